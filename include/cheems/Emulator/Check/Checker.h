//===- Checker.h - Order between the threads of a cluster -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_CHECKER_H
#define CHEEMS_EMULATOR_CHECK_CHECKER_H

#include <cstdint>

namespace cheems::emulator {

/// From now on, grids that start are checked for races in shared memory and for
/// missing proxy fences. A Finding has one of these rules:
///
/// - "race": two accesses of one byte by different threads, of which at least
///   one writes and at least one is weak, and no order between them. Order
///   comes from barriers, phases of mbarriers, fences with strong accesses, and
///   releases that are acquired (PTX ISA, "Memory Consistency Model").
/// - "missing-proxy-fence": an access by the async proxy to bytes that were
///   written by the generic proxy, without fence.proxy.async between them; or
///   by the tensor unit to a map that the block has changed, without
///   fence.proxy.tensormap.
///
/// Two writes of one value without order are no finding; they are counted.
/// What asynchronous copies do behind the back of threads is checked where they
/// are modelled (Copy/), not here.
void startChecking();

/// Unordered writes of the same value, since startChecking.
uint64_t sameValueWrites();

} // namespace cheems::emulator

#endif
