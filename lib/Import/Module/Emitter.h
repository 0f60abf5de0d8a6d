// Builders of what a model is made of: the body of one function, straight-line,
// on tensors in destination style.
#ifndef CHEEMS_LIB_IMPORT_MODULE_EMITTER_H
#define CHEEMS_LIB_IMPORT_MODULE_EMITTER_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "cheems/Import/ModuleBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cheems {

struct Emitter : TensorBuilder {
  mlir::OpFoldResult rowCount; ///< T: rows of every tensor of rows

  explicit Emitter(mlir::ModuleOp module)
      : TensorBuilder(
            mlir::ImplicitLocOpBuilder(module.getLoc(), module.getContext())) {}

  /// Begins the body of a function, at whose start `rows` [T, ...] is there.
  void begin(mlir::Block *body, mlir::Value rows);
  /// 0.0, once per body.
  mlir::Value zero();

  /// [T, ...] to be written, with further extents as they are in `like`.
  mlir::Value emptyRows(mlir::Value like, mlir::Type element);
  /// [T, columns] of zeros.
  mlir::Value zeroRows(int64_t columns);

  // An op that applies a weight has the location of that weight.

  /// y = x W^T + bias for x [T, K], W [N, K]; `bias` may be null. Written into
  /// `y` [T, N] where that is given.
  mlir::Value project(mlir::Value x, mlir::Value weight, mlir::Value bias,
                      mlir::Value y = {});
  /// Written into `y` [T, K] where that is given.
  mlir::Value rmsNorm(mlir::Value x, mlir::Value weight, double epsilon,
                      mlir::Value y = {});
  /// [T, H*P] as [T, H, P], and back.
  mlir::Value splitHeads(mlir::Value x, int64_t heads);
  mlir::Value mergeHeads(mlir::Value x);
  /// x [T, H, P] turned by the tables [T, R/2], or x itself without tables.
  mlir::Value rotate(mlir::Value x, mlir::Value cosine, mlir::Value sine);
  /// factor * x, written into a tensor of its own or into x.
  mlir::Value scaled(mlir::Value x, double factor);
  mlir::Value scaledInPlace(mlir::Value x, double factor);
  /// scale[d] * x[t, d] + factor * y, written into x. Without a scale x stays
  /// as it is; y is [T, D], [D] or null.
  mlir::Value residual(mlir::Value x, mlir::Value scale, mlir::Value y,
                       double factor);

private:
  mlir::Value zeroOfBody;
};

} // namespace cheems

#endif
