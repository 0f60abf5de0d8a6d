// The kit of code on tensors, in destination style.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_TENSORBUILDER_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_TENSORBUILDER_H

#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems {

using Extents = ArrayRef<OpFoldResult>;

struct TensorBuilder : BaseBuilder<TensorBuilder> {
  ImplicitLocOpBuilder b;

  explicit TensorBuilder(const ImplicitLocOpBuilder &builder) : b(builder) {}

  Location location() { return b.getLoc(); }

  Value rows(Value tensor) { return tensor::DimOp::create(b, tensor, 0); }

  Value empty(Extents extents, Type element) {
    return tensor::EmptyOp::create(b, extents, element);
  }
  /// Returns a tensor with the extents of `like`, to be written.
  Value emptyLike(Value like, Type element) {
    return empty(tensor::getMixedSizes(b, b.getLoc(), like), element);
  }

  using Body =
      llvm::function_ref<Value(OpBuilder &, Location, ValueRange arguments)>;
  /// An elementwise op over the identity of `out`; inputs by their maps.
  Value map(ValueRange inputs, ArrayRef<AffineMap> maps, Value out, Body body);
};

} // namespace cheems

#endif
