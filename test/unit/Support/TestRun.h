// What a run takes of cases that are too many for every one: those that
// CHEEMS_TEST_SEED draws, or all of them where CHEEMS_TEST_LONG is set.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_TESTRUN_H
#define CHEEMS_TEST_UNIT_SUPPORT_TESTRUN_H

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::test {

/// A number of the environment's.
uint64_t setting(const char *name, uint64_t otherwise);

bool isLongRun();

/// CHEEMS_TEST_SEED, or 1.
uint64_t testSeed();

/// The case is of this run: one in `share`, another one with the next seed.
bool isDrawn(uint64_t number, uint64_t share);
bool isDrawn(const std::string &name, uint64_t share);

/// Returns those of `all` that are in this run: every one in `share`.
template <typename T>
std::vector<T> drawnOf(const std::vector<T> &all, uint64_t share) {
  std::vector<T> drawn;
  for (size_t i = 0; i < all.size(); ++i) {
    if (isDrawn(i, share)) {
      drawn.push_back(all[i]);
    }
  }
  return drawn;
}

} // namespace cheems::test

#endif
