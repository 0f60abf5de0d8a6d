// The rounding after an op whose outputs are rows of heads, as a part of its
// kernel.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROUNDEDOUTPUT_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROUNDEDOUTPUT_H

#include "TileBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems::tile {

/// The op that alone reads outputs, as rows of all heads, and rounds them.
struct RoundedOutput {
  linalg::GenericOp rounding; ///< null without one

  static RoundedOutput after(Value y);
  /// Memory for the rounded outputs in the shape of `y`; `y` without a
  /// rounding.
  Value memory(ImplicitLocOpBuilder &b, Value y) const;
  /// Replaces the rounding by the kernel's rounded outputs. Returns what
  /// replaces the op's own outputs: `y`, which nobody reads then.
  Value replace(ImplicitLocOpBuilder &b, PatternRewriter &rewriter,
                Value rounded, Value y) const;
};

/// The op that alone reads outputs, as rows of all heads, and quantizes them;
/// null without one.
QuantizeEntriesOp quantizedAfter(Value y);

} // namespace cheems::tile

#endif
