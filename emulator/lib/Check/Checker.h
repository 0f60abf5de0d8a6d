//===- Checker.h - Order between threads ------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_CHECKER_H
#define CHEEMS_EMULATOR_CHECK_CHECKER_H

#include <cstdint>

namespace cheems::emulator {

/// From now on, grids that start are checked for races in shared and global
/// memory and for missing proxy fences. A Finding has one of these rules:
///
/// - "race": two accesses of one byte by different threads, of which at least
///   one writes and at least one is weak, and no order between them. Order
///   comes from barriers, phases of mbarriers, fences with strong accesses, and
///   releases that are acquired, within their scopes (PTX ISA, "Memory
///   Consistency Model"). Nothing orders blocks of a grid that do not
///   communicate, so these are held against each other when they have ended.
/// - "missing-proxy-fence": an access by the async proxy to bytes that were
///   written by the generic proxy, without fence.proxy.async between them; or
///   by the tensor unit to a map that a block of the grid has changed, without
///   fence.proxy.tensormap.
///
/// Two writes of one value without order are no finding; they are counted, by
/// pieces that one thread writes, or by bytes if independent blocks do so.
/// What asynchronous copies do behind the back of threads is checked where they
/// are modelled (AsyncCopy/), not here.
void startChecking();

/// Unordered writes of the same value, since startChecking.
uint64_t sameValueWrites();

} // namespace cheems::emulator

#endif
