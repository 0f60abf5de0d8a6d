// The limits of NVIDIA's GPUs that kernels must keep, each in this place alone.
// What a GPU of a certain kind has more of is in #cheems_tile.target.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_HARDWARE_H
#define CHEEMS_DIALECT_CHEEMSTILE_IR_HARDWARE_H

#include <cstdint>

namespace cheems::tile {

constexpr int64_t kWarpThreads = 32;
/// A block has at most this many threads (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
constexpr int64_t kMostBlockThreads = 1024;
/// A block of any supported GPU has at most this much shared memory (the same
/// table, compute capability 9.0).
constexpr int64_t kMostSharedBytes = 227 * int64_t(1024);
/// Bulk copies write to addresses that this divides (PTX ISA, "Tensors").
constexpr int64_t kBoxAlignment = 128;
/// One access of a thread moves at most this many bytes.
constexpr int64_t kAccessBytes = 16;

/// k of one instruction of tensor cores, of numbers of 16 bits.
constexpr int64_t kMmaDepth = 16;
/// Neighbouring warps that share an instruction of `warpgroup_mma`, the rows
/// that it multiplies, and the most columns.
constexpr int64_t kWarpgroupWarps = 4, kWarpgroupRows = 64,
                  kMostWarpgroupColumns = 256;

/// Registers of a thread. A block of 384 threads starts with 168 each. Then a
/// warpgroup that only copies keeps few, and two that multiply get the rest.
constexpr int64_t kFewRegisters = 40, kManyRegisters = 232;
/// Numbers of a thread beside which a ninth warp would leave too few registers:
/// with it a thread has at most 168. Each of the four parts of a multiprocessor
/// has a quarter of them, and one of the parts has three of those warps. Then
/// four warps fill a ring, which hand theirs over.
constexpr int64_t kManySums = 128, kManyWarps = 8, kMostFillers = 4;

} // namespace cheems::tile

#endif
