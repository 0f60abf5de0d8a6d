// Whether a step has one row, as factors of grids.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWCOUNT_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWCOUNT_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems::tile {

/// 1 or 0: whether there is one row, and whether there are more.
struct RowCount {
  Value isOne, isMore;

  /// \param rows a tensor [T, ...].
  RowCount(ImplicitLocOpBuilder &b, Value rows) {
    Value count = b.createOrFold<tensor::DimOp>(rows, 0);
    auto atMost = [&](int64_t most) -> Value {
      return arith::MinUIOp::create(b, count,
                                    arith::ConstantIndexOp::create(b, most));
    };
    Value any = atMost(1);
    isMore = arith::SubIOp::create(b, atMost(2), any);
    isOne = arith::SubIOp::create(b, any, isMore);
  }
};

} // namespace cheems::tile

#endif
