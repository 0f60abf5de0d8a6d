// What stands before state-space duality in a step, and becomes a part of its
// kernels.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDINPUTS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_SSD_SSDINPUTS_H

#include "Attention/AttentionInputs.h"

namespace cheems::tile {

/// b or c before its rotation. A norm before that is a launch of its own.
HeadsBefore rotatedGate(Value gate);

/// The op that makes `a` of what a checkpoint stores, as its logarithm; null
/// without one in the same block.
linalg::GenericOp opBeforeA(SegmentedSSDOp op);

/// What widens x, b or c of numbers in bf16, and splits them into heads: the
/// last op first. Empty if they have not been rounded.
SmallVector<Operation *> opsAfterRounding(Value heads);

/// What a launch takes from its group before the op itself.
struct SSDBefore {
  HeadsBefore b, c;    ///< as rotatedGate
  linalg::GenericOp a; ///< as opBeforeA

  static SSDBefore of(SegmentedSSDOp op);
};

/// x, b and c of an op: all of f32, or all in bf16.
struct SSDInputs {
  Value x, b, c;

  static SSDInputs of(OpBuilder &b, SegmentedSSDOp op);
};

} // namespace cheems::tile

#endif
