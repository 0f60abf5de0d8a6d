// Elementwise ops that become a part of a kernel.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ELEMENTWISE_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ELEMENTWISE_H

#include "TileBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cheems::tile {

/// What of an operand an element [t, n] of the result is computed from.
enum class Reach {
  Element, ///< [t, n]
  Column,  ///< [n]
};

/// How an elementwise op on rows [T, N] reads its operand.
Reach reachOf(linalg::GenericOp op, OpOperand &operand);

/// Whether `op` computes each element of one tensor [T, N] from elements at its
/// index of others [T, N], and at its column of others [N].
bool isElementwise(linalg::GenericOp op);

/// Whether `op` computes each element of a vector from the same element of
/// another one.
bool isFunctionOfVector(linalg::GenericOp op);

/// What an op on elements widens to f32; null for any other value.
Value widenedBy(Value value);

/// The memory that `value` fills with zeros; null if it is anything else.
Value filledWithZeros(Value value);

/// Whether one op alone reads `value`, in the block in which it is made.
inline bool hasOneUseInBlock(Value value) {
  return value.hasOneUse() &&
         (*value.user_begin())->getBlock() == value.getParentBlock();
}

/// The elementwise op that alone reads `value`, in the same block, if there is
/// one.
linalg::GenericOp onlyElementwiseUse(Value value);

/// Where the tile [t, n] of a block lies.
struct RowsAndColumns {
  Value row, column;
  /// Rows of the tile are columns of memory.
  bool across = false;

  Place place() const;
  /// Returns the place of a vector with a number per column.
  Place columns() const { return {{column}, {0}}; }
};

/// The op's operands, and what their part at `at` is as a tile of the shape and
/// layout of `like`. Null for those that the body does not use.
/// \param memory a memref for each operand; null where there is a tile already.
/// \param tiles a tile for each operand that is there already, or null.
SmallVector<Value> loadArguments(TileBuilder &t, linalg::GenericOp op,
                                 ArrayRef<Value> memory, ArrayRef<Value> tiles,
                                 RankedTensorType like,
                                 const RowsAndColumns &at);

/// Bytes that accesses of a row of `memory` may have.
int64_t alignmentOf(Value memory, const RowsAndColumns &at);

/// The op's body on tiles of one shape and layout.
/// \param arguments a tile for each argument of the body; null for those that
///   the body does not use.
Value inlineBody(TileBuilder &t, linalg::GenericOp op,
                 ArrayRef<Value> arguments, RankedTensorType like);

} // namespace cheems::tile

#endif
