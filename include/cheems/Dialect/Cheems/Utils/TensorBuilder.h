// Small builders of ops on tensors, in destination style.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_TENSORBUILDER_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_TENSORBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::cheems {

using Extents = ArrayRef<OpFoldResult>;

struct TensorBuilder {
  ImplicitLocOpBuilder b;

  explicit TensorBuilder(const ImplicitLocOpBuilder &builder) : b(builder) {}

  OpFoldResult attr(int64_t value) { return b.getIndexAttr(value); }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value rows(Value tensor) { return tensor::DimOp::create(b, tensor, 0); }

  Value empty(Extents extents, Type element) {
    return tensor::EmptyOp::create(b, extents, element);
  }
  /// Of the extents of `like`, to be written.
  Value emptyLike(Value like, Type element) {
    return empty(tensor::getMixedSizes(b, b.getLoc(), like), element);
  }
  /// A slice with unit strides, reduced to `shape`.
  Value slice(Value source, Extents offsets, Extents sizes,
              ArrayRef<int64_t> shape);
  Value insert(Value source, Value into, Extents offsets, Extents sizes);

  using Body =
      llvm::function_ref<Value(OpBuilder &, Location, ValueRange arguments)>;
  /// An elementwise op over the identity of `out`; inputs by their maps.
  Value map(ValueRange inputs, ArrayRef<AffineMap> maps, Value out, Body body);
};

} // namespace mlir::cheems

#endif
