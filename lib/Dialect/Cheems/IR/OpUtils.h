// What the destination-style ops of the dialect share: effects, shapes, and
// small builders for decompositions.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_OPUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_OPUTILS_H

#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

inline ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// On buffers an op reads its inputs and writes its destinations, and reads
/// those of which `readsInit` says so; on tensors it has no effects.
void destinationEffects(
    DestinationStyleOpInterface op, function_ref<bool(Value)> readsInit,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);

/// Results have the shapes of their destinations.
LogicalResult reifyDestinations(DestinationStyleOpInterface op,
                                OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes);

/// Emits "C<n>: ..." unless the two static-or-dynamic shapes can be equal.
LogicalResult verifySameShape(Operation *op, StringRef label,
                              ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                              StringRef what);

/// True unless there are both tensors and buffers.
bool haveOneSemantics(TypeRange types);

/// True unless both extents are static and differ.
bool compatible(int64_t a, int64_t b);

/// Says where a tile lies in an operand; empty: the operand is taken whole.
struct OperandTile {
  SmallVector<OpFoldResult> offsets, sizes;
};
/// The tile of `value` that `offsets` and `sizes` cut from all but its last
/// dimension, which stays whole.
OperandTile rowTile(OpBuilder &b, Location loc, Value value,
                    ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes);
/// A copy of `op` on slices: operand i is cut by tiles[i].
FailureOr<TilingResult> tileOp(Operation *op, OpBuilder &b,
                               ArrayRef<OperandTile> tiles);

/// [0, size) step 1 for each extent of `value`.
SmallVector<Range> fullDomain(OpBuilder &b, Location loc, Value value);
/// The same without the last dimension.
SmallVector<Range> rowDomain(OpBuilder &b, Location loc, Value value);

/// Widens f32, bf16, f16 or a signed code to f32.
Value widen(OpBuilder &b, Location loc, Value value);

} // namespace cheems

#endif
