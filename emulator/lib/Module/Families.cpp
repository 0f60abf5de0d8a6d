//===- Families.cpp - The list of all families of opcodes ---------------===//
#include "Families.h"

#include "Arithmetic/Families.h"
#include "AsyncCopy/Families.h"
#include "Calls/Families.h"
#include "Control/Families.h"
#include "LoadStore/Families.h"
#include "ShuffleVote/Families.h"
#include "TensorCore/Families.h"

#include <stdexcept>

using namespace cheems::emulator;

/// FAMILY(name) is a table that is compiled once (a function of the namespace
/// cheems::emulator), LANES(name) one that is compiled per instruction set.
#if defined(CHEEMS_HAS_LANES_BASELINE)
#define CHEEMS_BASELINE(name) baseline::name
#else
#define CHEEMS_BASELINE(name) nullptr
#endif
#if defined(CHEEMS_HAS_LANES_AVX2)
#define CHEEMS_AVX2(name) avx2::name
#else
#define CHEEMS_AVX2(name) nullptr
#endif
#if defined(CHEEMS_HAS_LANES_AVX512)
#define CHEEMS_AVX512(name) avx512::name
#else
#define CHEEMS_AVX512(name) nullptr
#endif
#define FAMILY(name) {name, name, name},
#define LANES(name)                                                            \
  {CHEEMS_BASELINE(name), CHEEMS_AVX2(name), CHEEMS_AVX512(name)},

namespace {

/// One function per instruction set, in the order of HostSet; null: not
/// compiled.
using Table = std::span<const Opcode> (*)();
struct Family {
  Table tables[3];
};

// A line each. Where two entries match a statement the first one counts.
// clang-format off
constexpr Family list[] = {
    // Control
    FAMILY(calls)
    FAMILY(clocks)
    FAMILY(branches)
    FAMILY(exits)
    FAMILY(namedBarriers)
    FAMILY(warpBarriers)
    FAMILY(clusterBarriers)
    FAMILY(gridDependencies)
    FAMILY(registerPools)
    FAMILY(elections)
    FAMILY(hints)

    // Lanes
    LANES(floatArithmetic)
    LANES(floatDivision)
    LANES(approximations)
    LANES(halfArithmetic)
    LANES(floatMinimum)
    LANES(signs)
    LANES(comparison)
    LANES(extendedPrecision)
    LANES(integerAddition)
    LANES(integerMultiplication)
    LANES(integerDivision)
    LANES(bitFields)
    LANES(dotProducts)
    LANES(logic)
    LANES(lop3)
    LANES(shifts)
    LANES(permutation)
    LANES(selection)
    LANES(movement)
    LANES(addresses)
    LANES(packedConversion)
    LANES(conversion)
    LANES(video)

    // Memory
    LANES(loads)
    LANES(stores)
    FAMILY(atomics)
    FAMILY(fences)
    FAMILY(cacheControl)
    FAMILY(cachePolicies)
    FAMILY(clusterAddresses)
    FAMILY(unmodelledMemory)

    // Exchange
    LANES(shuffles)
    FAMILY(votes)
    FAMILY(matches)
    FAMILY(warpReductions)

    // Tensor
    FAMILY(mmaOfItsOwn)
    LANES(mma)
    FAMILY(matrixMoves)
    LANES(wgmma)
    FAMILY(warpgroupGroups)

    // Copy
    FAMILY(tensorCopies)
    FAMILY(bulkCopies)
    FAMILY(asyncCopies)
    FAMILY(remoteStores)
    FAMILY(mbarriers)
    FAMILY(mbarrierWaits)
    FAMILY(tensorMaps)

};
// clang-format on

/// Whether the host has AVX2 and all else that code for it uses: fused
/// multiply-adds, f16, bits.
[[maybe_unused]] bool hasAVX2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("popcnt");
}

} // namespace

bool cheems::emulator::isAvailable(HostSet set) {
  switch (set) {
  case HostSet::baseline:
#if defined(CHEEMS_HAS_LANES_BASELINE)
    return true;
#else
    return false;
#endif
  case HostSet::avx2:
#if defined(CHEEMS_HAS_LANES_AVX2)
    return hasAVX2();
#else
    return false;
#endif
  case HostSet::avx512:
#if defined(CHEEMS_HAS_LANES_AVX512)
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && hasAVX2();
#else
    return false;
#endif
  }
  return false;
}

HostSet cheems::emulator::hostSet() {
  for (HostSet set : {HostSet::avx512, HostSet::avx2, HostSet::baseline}) {
    if (isAvailable(set)) {
      return set;
    }
  }
  throw std::runtime_error(
      "the emulator has no code for this CPU, which lacks AVX2: build it with "
      "-DCHEEMS_EMULATOR_INSTRUCTION_SETS=BASELINE");
}

std::vector<std::span<const Opcode>> cheems::emulator::families(HostSet set) {
  std::vector<std::span<const Opcode>> tables;
  for (const Family &family : list) {
    tables.push_back(family.tables[static_cast<int>(set)]());
  }
  return tables;
}
