// How far two computations of a model in f32 may be from each other.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_F32BOUND_H
#define CHEEMS_TEST_UNIT_SUPPORT_F32BOUND_H

#include "RandomCheckpoint.h"
#include <algorithm>

namespace cheems::test {

/// What numbers of a row may differ by that were summed in another order, where
/// the row's deviation is 1. A sum of n terms errs by up to n units, sums of
/// sums by both: attention's over all `tokens` of scores, an SSD's over those
/// of its states. Each layer, and the head, passes on what came before and adds
/// its own.
inline double f32Bound(const RandomCheckpoint &c, int64_t tokens) {
  int64_t longest = std::max({c.hidden, c.intermediate, c.heads * c.headDim});
  if (c.anyAttention()) {
    longest = std::max(longest, tokens + c.headDim);
  }
  if (c.anySSD()) {
    longest = std::max(longest, 2 * tokens + c.stateSize);
  }
  return static_cast<double>(longest * (c.layers + 1)) * 0x1p-24;
}

} // namespace cheems::test

#endif
