// Counts what a program takes from the heap, compiled models included. Linking
// it replaces malloc and its kin, which sanitizers do too.
#ifndef CHEEMS_TEST_UNIT_SESSION_ALLOCATIONCOUNT_H
#define CHEEMS_TEST_UNIT_SESSION_ALLOCATIONCOUNT_H

#include <cstdint>

namespace cheems::test {

/// Allocations so far, of all threads.
int64_t allocations();

} // namespace cheems::test

#endif
