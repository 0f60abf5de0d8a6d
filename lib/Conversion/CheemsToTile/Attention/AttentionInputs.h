// What stands before attention in a step, and becomes a part of its kernels.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONINPUTS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONINPUTS_H

#include "AttentionKernels.h"

namespace cheems::tile {

/// Operands of a launch, each once, and what they are in the kernel.
class LaunchOperands {
public:
  void read(Value value);
  /// By bulk copies of boxes.
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

  /// What made `value`, of ops that nothing else reads.
  static HeadsBefore of(Value value);
  static HeadsBefore rotatedBy(RotaryOp op);
  void addTo(LaunchOperands &operands);
  HeadRows in(const LaunchOperands &operands, ValueRange arguments);
};

/// Mask values as a tensor, or the product that makes them, or none.
struct MaskBefore {
  Value values; ///< [T, M]; null if a kernel computes the product

  linalg::MatmulOp product;
  linalg::GenericOp before; ///< on the product's x alone; may be null
  SmallVector<linalg::GenericOp> after;

  /// The product of one row of x if that is what makes `value`.
  static MaskBefore productOf(Value value);
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

} // namespace cheems::tile

#endif
