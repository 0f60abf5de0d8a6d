// A whole Doge model evaluated in double from its checkpoint: what every
// compiled model is compared with.
#ifndef CHEEMS_REFERENCE_DOGE_H
#define CHEEMS_REFERENCE_DOGE_H

#include "cheems/Import/Checkpoint.h"
#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// Logits [T, vocabulary] of one sequence `ids` [T], each in [0, vocabulary), T
/// >= 1. Weights are used exactly as stored; nothing is rounded. A dynamic
/// rotary base is that of length T for every position.
Tensor evaluateDoge(const Checkpoint &checkpoint, llvm::ArrayRef<int64_t> ids);

/// Logits, and how firmly each row stands against rounding elsewhere.
struct DogeEvaluation {
  Tensor logits; ///< [T, vocabulary]
  /// [T]: the least keepMargins of the rows up to this one, over all layers.
  /// While masks err by less than half of it, the same keys are kept and the
  /// logits differ by rounding alone; past it they may differ by a whole key.
  /// Ties count as exact in the first layer only: there equal tokens have equal
  /// masks, whatever the arithmetic.
  std::vector<double> keepMargin;
};
DogeEvaluation evaluateDogeWithMargins(const Checkpoint &checkpoint,
                                       llvm::ArrayRef<int64_t> ids);

/// The `count` greedy tokens after `ids`; of equal logits the lowest id wins.
/// Every token is a full evaluation, and end-of-text tokens do not stop it.
std::vector<int64_t> greedy(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids, int64_t count);

} // namespace cheems::reference

#endif
