//===- Report.cpp - Counts as a table and as JSON ------------------------===//
#include "cheems/Emulator/Count/Report.h"

#include "cheems/Emulator/Count/Traffic.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

using namespace cheems::emulator;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, pipes> pipeNames = {
    "none", "control",    "alu", "fma",    "half", "fp64",
    "mufu", "conversion", "lsu", "tensor", "async"};

constexpr std::array<std::string_view, 3> directionNames = {
    "to_device", "to_host", "within_device"};

template <typename T> Json byPipe(const std::array<T, pipes> &values) {
  Json result = Json::object();
  for (int pipe = 0; pipe < pipes; ++pipe) {
    if (values[pipe] != T()) {
      result[std::string(pipeNames[pipe])] = values[pipe];
    }
  }
  return result;
}

Json describe(const KernelCounts &counts) {
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

Json describe(const StepCounts &step) {
  Json kernels = Json::array(), copies = Json::object();
  for (const KernelCounts &counts : step.kernels) {
    kernels.push_back(describe(counts));
  }
  for (size_t i = 0; i < step.copies.size(); ++i) {
    copies[std::string(directionNames[i])] = {{"copies", step.copies[i].copies},
                                              {"bytes", step.copies[i].bytes}};
  }
  return {{"kernels", std::move(kernels)}, {"host_copies", std::move(copies)}};
}

/// The pipe that is busy for longest: where time goes if nothing else waits.
std::pair<int, double> busiest(const KernelCounts &counts) {
  auto most = std::max_element(counts.cycles.begin(), counts.cycles.end());
  return {static_cast<int>(most - counts.cycles.begin()), *most};
}

uint64_t sum(const std::array<uint64_t, pipes> &values) {
  uint64_t result = 0;
  for (uint64_t value : values) {
    result += value;
  }
  return result;
}

using Row = std::vector<std::string>;

Row rowOf(const CountedCard &card, const KernelCounts &counts) {
  const auto [pipe, cycles] = busiest(counts);
  std::string busy = "-";
  if (cycles > 0) {
    busy = std::string(pipeNames[pipe]) + " " +
           std::to_string(std::llround(cycles / card.multiprocessors));
  }
  char occupancy[16];
  std::snprintf(occupancy, sizeof(occupancy), "%.0f %%",
                100 * counts.occupancy);
  return {counts.kernel,
          std::to_string(counts.launches),
          std::to_string(counts.blocks),
          occupancy,
          std::to_string(sum(counts.instructions)),
          busy,
          std::to_string(counts.barriers),
          std::to_string(counts.sharedWavefronts),
          std::to_string(counts.bankConflicts()),
          std::to_string(counts.globalSectors),
          std::to_string(counts.dramReadSectors),
          std::to_string(counts.dramWriteSectors),
          std::to_string(counts.compulsoryBytes)};
}

/// Columns as wide as their widest cell; numbers end where their titles end.
std::string align(const std::vector<Row> &rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text;
}

} // namespace

std::string
cheems::emulator::countsAsJson(const CountedCard &card,
                               const std::vector<StepCounts> &steps) {
  Json list = Json::array();
  for (const StepCounts &step : steps) {
    list.push_back(describe(step));
  }
  return Json{{"architecture", card.architecture},
              {"multiprocessors", card.multiprocessors},
              {"cache_bytes", card.cacheBytes()},
              {"sector_bytes", sectorBytes},
              {"steps", std::move(list)}}
             .dump(1) +
         "\n";
}

std::string
cheems::emulator::countsAsTable(const CountedCard &card,
                                const std::vector<StepCounts> &steps) {
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps.size() > 1) {
      text += "step " + std::to_string(i) + "\n";
    }
    std::vector<Row> rows = {{"kernel", "launches", "blocks", "occupancy",
                              "instructions", "busiest pipe, cycles",
                              "barriers", "wavefronts", "conflicts", "sectors",
                              "DRAM reads", "DRAM writes", "compulsory bytes"}};
    for (const KernelCounts &counts : steps[i].kernels) {
      rows.push_back(rowOf(card, counts));
    }
    text += align(rows);
    for (size_t d = 0; d < directionNames.size(); ++d) {
      const CopyCounts &copies = steps[i].copies[d];
      if (copies.copies) {
        text += "copies " + std::string(directionNames[d]) + ": " +
                std::to_string(copies.copies) + ", " +
                std::to_string(copies.bytes) + " bytes\n";
      }
    }
  }
  return text;
}

std::string
cheems::emulator::writeCounts(const std::string &path, const CountedCard &card,
                              const std::vector<StepCounts> &steps) {
  const std::string text = countsAsJson(card, steps);
  const std::string temporary = path + ".tmp";
  std::FILE *file = std::fopen(temporary.c_str(), "w");
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) {
    isWritten &= std::fclose(file) == 0;
  }
  if (!isWritten || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    return "cannot write " + path + ": " + reason;
  }
  return {};
}
