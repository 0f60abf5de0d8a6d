// online_attention and merge_attention, evaluated in double.
#ifndef CHEEMS_REFERENCE_ONLINEATTENTION_H
#define CHEEMS_REFERENCE_ONLINEATTENTION_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Reference/Tensor.h"
#include <functional>

namespace cheems::reference {

using cheems::MaskKind;

/// The softmax so far of T rows and H query heads: maximum and sum [T, H], y
/// [T, H, P], not yet divided by the sum.
struct RunningSoftmax {
  Tensor maximum, sum, y;

  /// Before the first block.
  static RunningSoftmax none(int64_t rows, int64_t heads, int64_t size);
  /// y / sum, zero where nothing was seen.
  Tensor result() const;
};

/// Brings `state` up to date with a block of entries: q [T, H, P], k and v
/// [G, J, P], mask [M, J], or null for kind none, of which M is G. `sees(t, m,
/// j)` tells whether row t sees entry j of the block under mask head m; entries
/// it hides are not looked at.
void onlineAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                     const Tensor *mask, MaskKind kind, double scale,
                     const std::function<bool(int64_t, int64_t, int64_t)> &sees,
                     RunningSoftmax &state);

/// Puts a later split's softmax and an earlier one's, `state`, together.
void mergeAttention(const RunningSoftmax &later, RunningSoftmax &state);

} // namespace cheems::reference

#endif
