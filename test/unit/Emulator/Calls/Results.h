//===- Results.h - What the threads of a kernel write -----------*- C++ -*-===//
#ifndef CHEEMS_TEST_UNIT_EMULATOR_CALLS_RESULTS_H
#define CHEEMS_TEST_UNIT_EMULATOR_CALLS_RESULTS_H

#include "cheems/Emulator/Machine/Launch.h"

#include <cstring>
#include <string>
#include <vector>

namespace cheems::emulator::test {

/// Runs kernel `k` of a module in one block. Its parameter is the address of a
/// number for each thread.
inline std::vector<uint32_t> runResults(const std::string &ptx,
                                        uint32_t threads = 32) {
  Options options;
  options.memoryBytes = 1 << 24;
  options.threads = 1;
  options.multiprocessors = 1;
  Device device(options);
  std::unique_ptr<Module> module = Module::load(device, ptx);
  std::vector<uint32_t> results(threads);
  uint64_t bytes = threads * sizeof(uint32_t);
  uint64_t out = *device.memory.allocate(bytes);
  Launch launch;
  launch.kernel = module->kernel("k");
  launch.block.x = threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  Grid(device, launch).run();
  std::memcpy(results.data(), device.memory.data(out), bytes);
  return results;
}

} // namespace cheems::emulator::test

#endif
