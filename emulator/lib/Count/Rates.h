//===- Rates.h - Cycles that an instruction keeps its pipe busy -*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_RATES_H
#define CHEEMS_EMULATOR_COUNT_RATES_H

#include "Decode/Program.h"

#include <cstdint>

namespace cheems::emulator {

/// Cycles that one warp's instruction keeps its pipe of a multiprocessor busy,
/// by documented rates: "Throughput of Native Arithmetic Instructions" in the
/// CUDA C++ Programming Guide, and for matmuls the peaks of the A100 and H100
/// data sheets. Latency is no part of it, and neither is what an access waits
/// for in memory. Zero for what occupies no arithmetic pipe.
double cyclesOf(const Detail &detail, int architecture);

/// Multiply-adds of one warp: m * n * k of an mma, a quarter of those of a
/// wgmma, which four warps execute. Zero for everything else.
uint64_t multiplyAddsOf(const Detail &detail);

} // namespace cheems::emulator

#endif
