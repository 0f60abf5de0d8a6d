// keep_threshold, evaluated by sorting every query's candidates.
#ifndef CHEEMS_REFERENCE_KEEPTHRESHOLD_H
#define CHEEMS_REFERENCE_KEEPTHRESHOLD_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// For each mask head m and query t the worst (mask value, position) that is
/// still kept. Keys rank by mask value as f32 descending, then position
/// ascending.
struct KeepThreshold {
  Tensor mask; ///< [M, T]; -inf where every causal key is kept
  std::vector<int64_t>
      last; ///< [M, T] row-major; 2^31 - 1 where every causal key is kept

  /// Whether a key ranks at least as high as the threshold. Causality is the
  /// caller's to check.
  bool keeps(int64_t head, int64_t query, double keyMask,
             int64_t keyPosition) const;
};

/// mask [M, N] of keys at distinct positions `keyPositions` [N], each below
/// 2^31, in any order.
/// A query at position p has the keys at positions <= p as candidates; its
/// threshold is the `window`-th best of them. With `window` candidates or
/// fewer, all are kept. `window` is at least 1.
KeepThreshold keepThreshold(const Tensor &mask,
                            llvm::ArrayRef<int64_t> keyPositions,
                            llvm::ArrayRef<int64_t> queryPositions,
                            int64_t window);

/// [T]: by how little masks would have to change for some head to keep another
/// set of keys, which is what an evaluation with rounding may do. Infinity
/// where nothing is dropped. Here masks are not rounded. With `exactTies` equal
/// masks only ever change together, so ties cost nothing and the distance is to
/// the next different mask; without, a tie between a kept and a dropped key
/// gives zero.
std::vector<double> keepMargins(const Tensor &mask,
                                llvm::ArrayRef<int64_t> keyPositions,
                                llvm::ArrayRef<int64_t> queryPositions,
                                int64_t window, bool exactTies);

} // namespace cheems::reference

#endif
