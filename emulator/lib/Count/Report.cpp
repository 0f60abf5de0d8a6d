//===- Report.cpp - Counts as JSON, and their file -----------------------===//
#include "Report.h"

#include "Names.h"
#include "Traffic.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

using namespace cheems::emulator;
using Json = nlohmann::ordered_json;

namespace {

template <typename T> Json byPipe(const std::array<T, pipes> &values) {
  Json result = Json::object();
  for (int pipe = 0; pipe < pipes; ++pipe) {
    if (values[pipe] != T()) {
      result[std::string(pipeNames[pipe])] = values[pipe];
    }
  }
  return result;
}

Json asJson(const KernelCounts &counts) {
  return {{"kernel", counts.kernel},
          {"launches", counts.launches},
          {"blocks", counts.blocks},
          {"threads_per_block", counts.threads},
          {"registers_per_thread", counts.registers},
          {"shared_bytes_per_block", counts.sharedBytes},
          {"resident_blocks", counts.residentBlocks},
          {"occupancy", counts.occupancy},
          {"warp_instructions", byPipe(counts.instructions)},
          {"cycles", byPipe(counts.cycles)},
          {"barriers", counts.barriers},
          {"shared_wavefronts", counts.sharedWavefronts},
          {"bank_conflicts", counts.bankConflicts()},
          {"global_requests", counts.globalRequests},
          {"global_sectors", counts.globalSectors},
          {"dram_read_sectors", counts.dramReadSectors},
          {"dram_write_sectors", counts.dramWriteSectors},
          {"compulsory_bytes", counts.compulsoryBytes}};
}

Json asJson(const StepCounts &step) {
  Json kernels = Json::array(), copies = Json::object();
  for (const KernelCounts &counts : step.kernels) {
    kernels.push_back(asJson(counts));
  }
  for (size_t i = 0; i < step.copies.size(); ++i) {
    copies[std::string(directionNames[i])] = {{"copies", step.copies[i].copies},
                                              {"bytes", step.copies[i].bytes}};
  }
  return {{"kernels", std::move(kernels)}, {"host_copies", std::move(copies)}};
}

} // namespace

std::string
cheems::emulator::countsAsJson(const CountedGPU &gpu,
                               const std::vector<StepCounts> &steps) {
  Json list = Json::array();
  for (const StepCounts &step : steps) {
    list.push_back(asJson(step));
  }
  return Json{{"architecture", gpu.architecture},
              {"multiprocessors", gpu.multiprocessors},
              {"cache_bytes", gpu.cacheBytes()},
              {"sector_bytes", sectorBytes},
              {"steps", std::move(list)}}
             .dump(1) +
         "\n";
}

std::string
cheems::emulator::writeCounts(const std::string &path, const CountedGPU &gpu,
                              const std::vector<StepCounts> &steps) {
  const std::string text = path.ends_with(".txt") ? countsAsTable(gpu, steps)
                                                  : countsAsJson(gpu, steps);
  // What is no file, such as /dev/null, is written as it is: for root a rename
  // would put a file in the place of the device.
  std::error_code unknown;
  const bool isDevice = std::filesystem::is_other(path, unknown);
  const std::string temporary = isDevice ? path : path + ".tmp";
  std::FILE *file = std::fopen(temporary.c_str(), "w");
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) {
    isWritten &= std::fclose(file) == 0;
  }
  if (!isWritten ||
      (!isDevice && std::rename(temporary.c_str(), path.c_str()) != 0)) {
    const std::string reason = std::strerror(errno);
    if (!isDevice) {
      std::remove(temporary.c_str());
    }
    return "cannot write " + path + ": " + reason;
  }
  return {};
}
