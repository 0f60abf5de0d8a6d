// Which experts one launch adds, and what it computes before that.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTGROUP_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTGROUP_H

#include "ExpertKernels.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems::tile {

/// Sums of some heads' experts each, and what leads to them.
struct ExpertGroup {
  /// They add from zero, in the order of heads. None if there is no kernel.
  SmallVector<MixExpertsOp> parts;
  RetrieveExpertsOp retrieve; ///< null if experts are there already
  linalg::GenericOp scores;   ///< null if scores are there already

  /// All of the block that one launch can have with `op`.
  static ExpertGroup around(MixExpertsOp op);
  /// Those of a group of kind `experts`.
  static ExpertGroup of(GroupOp group);

  /// The op that has the strategy of all.
  MixExpertsOp root() const { return parts.front(); }
  int64_t heads() const;
  RetrievalForm form() const;
  ExpertsStrategyAttr strategy(const Strategy &strategy) const;

  /// All of them, with what takes the heads of each part.
  SmallVector<Operation *> ops() const;
  /// The row and the tables, with the scales of quantized values.
  SmallVector<Value> operands() const;
  /// What the experts come from.
  SmallVector<Value> sources() const;
};

/// Extents of a retrieval.
RetrievalForm formOf(RetrieveExpertsOp op);

/// What takes the scales [E] as a part of a matrix [E, 1] that has no others;
/// null if there is none.
tensor::ExtractSliceOp columnBefore(Value scales);

/// The strategy of a retrieval by itself.
ExpertsStrategyAttr strategyOfRetrieval(RetrieveExpertsOp op,
                                        const Strategy &strategy);

} // namespace cheems::tile

#endif
