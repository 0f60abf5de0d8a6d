//===- Results.h - What the threads of a kernel write -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_CALLS_RESULTS_H
#define CHEEMS_EMULATOR_TEST_CALLS_RESULTS_H

#include "Support/RunPTX.h"

namespace cheems::emulator::test {

/// Runs kernel `k` of a module in one block. Its parameter is the address of a
/// number for each thread.
inline std::vector<uint32_t> runResults(const std::string &ptx,
                                        uint32_t threads = 32) {
  return runPTX(ptx, std::vector<uint32_t>(threads), {.block = {threads, 1, 1}},
                "k");
}

} // namespace cheems::emulator::test

#endif
