// What stands before attention in a step, and becomes a part of its kernels.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONINPUTS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONINPUTS_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// Operands of a launch, each once, and what they are in the kernel.
class LaunchOperands {
public:
  void read(Value value);
  /// Copies boxes in bulk.
  void readBoxes(Value matrix, TensorMapType type);
  void write(Value value);

  SmallVector<Value> inputs, outputs;

  SmallVector<Type> types() const;
  /// The kernel's argument for an operand; null for none.
  Value in(ValueRange arguments, Value operand) const;

private:
  SmallVector<std::pair<Value, TensorMapType>> maps;
};

/// Rows of heads as tensors: rotated(normalized(heads)).
struct HeadsBefore {
  Value heads;     ///< [T, H, P]
  RmsNormOp norm;  ///< may be null
  RotaryOp rotary; ///< may be null

  /// What made `value`, of ops that nothing else reads. Rotations are those of
  /// whole heads.
  static HeadsBefore of(Value value);
  /// The same of what a rotation makes; one of a part of each head takes no
  /// norm.
  static HeadsBefore rotatedBy(RotaryOp op);
  void addTo(LaunchOperands &operands);
  HeadRows in(const LaunchOperands &operands, ValueRange arguments);
  /// Those of its ops that there are.
  SmallVector<Operation *> ops() const;
};

/// Mask values as a tensor, or the matmul that makes them, or none.
struct MaskBefore {
  Value values; ///< [T, M]; null if a kernel computes the matmul

  linalg::MatmulOp product;
  linalg::GenericOp before; ///< on the matmul's x alone; may be null
  SmallVector<linalg::GenericOp> after;

  /// The matmul of one row of x if that is what makes `value`.
  static MaskBefore matmulOf(Value value);
  SmallVector<Operation *> ops() const;
  void addTo(LaunchOperands &operands);
  MaskSource in(const LaunchOperands &operands, ValueRange arguments);

private:
  Value x();
};

/// All that becomes an entry.
struct EntriesBefore {
  HeadsBefore key, value;
  MaskBefore mask;

  void addTo(LaunchOperands &operands);
  NewEntries in(const LaunchOperands &operands, ValueRange arguments);
};

/// What stands before an op of attention and becomes a part of its kernels.
struct AttentionBefore {
  HeadsBefore query;
  EntriesBefore added;
  /// Whether the kernel of attention stores the entries itself: then one block
  /// has the entry.
  bool storesFirst;

  /// \param sizes of the kernel that attends.
  AttentionBefore(SegmentedAttentionOp op, const AttentionShape &shape,
                  AttentionTileAttr sizes);
  SmallVector<Operation *> ops() const;
};

/// How many blocks the query heads of a state head are.
int64_t headBlocksOf(const AttentionShape &shape, AttentionTileAttr sizes);

/// Whether attention of one row leaves splits that a matmul may merge: all
/// rows see as many entries as there are before them, which their position
/// says. Then a matmul needs nothing else.
bool leavesSplits(const AttentionShape &shape, AttentionStrategyAttr strategy);

} // namespace cheems::tile

#endif
