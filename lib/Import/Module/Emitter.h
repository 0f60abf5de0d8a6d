// Small builders for the ops that a model is made of, all on tensors in
// destination style.
#ifndef CHEEMS_LIB_IMPORT_MODULE_EMITTER_H
#define CHEEMS_LIB_IMPORT_MODULE_EMITTER_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Import/ModuleBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems {

using Extents = llvm::ArrayRef<mlir::OpFoldResult>;

struct Emitter {
  mlir::ImplicitLocOpBuilder b;

  explicit Emitter(mlir::ModuleOp module)
      : b(module.getLoc(), module.getContext()) {}

  mlir::OpFoldResult attr(int64_t value) { return b.getIndexAttr(value); }
  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value c) {
    return mlir::arith::AddIOp::create(b, a, c);
  }
  mlir::Value rows(mlir::Value tensor) {
    return mlir::tensor::DimOp::create(b, tensor, 0);
  }

  mlir::Value empty(Extents extents, mlir::Type element) {
    return mlir::tensor::EmptyOp::create(b, extents, element);
  }
  /// A slice with unit strides, reduced to `type`.
  mlir::Value slice(mlir::Value source, Extents offsets, Extents sizes,
                    llvm::ArrayRef<int64_t> shape);
  mlir::Value insert(mlir::Value source, mlir::Value into, Extents offsets,
                     Extents sizes);

  /// y = x W^T + bias for x [T, K], W [N, K]; `bias` may be null. Written into
  /// `y` [T, N] where that is given.
  mlir::Value project(mlir::Value x, mlir::Value weight, mlir::Value bias,
                      mlir::Value y = {});
  mlir::Value rmsNorm(mlir::Value x, mlir::Value weight, double epsilon);
  /// [T, H*P] as [T, H, P], and back.
  mlir::Value splitHeads(mlir::Value x, int64_t heads);
  mlir::Value mergeHeads(mlir::Value x);
  /// x [T, H, P] turned by the tables [T, P/2].
  mlir::Value rotate(mlir::Value x, mlir::Value cosine, mlir::Value sine);
  /// scale[d] * x[t, d] + y, written into x; y is [T, D], [D] or null.
  mlir::Value residual(mlir::Value x, mlir::Value scale, mlir::Value y);

  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  /// An elementwise op over the identity of `out`; inputs by their maps.
  mlir::Value map(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                  mlir::Value out, Body body);
};

} // namespace cheems

#endif
