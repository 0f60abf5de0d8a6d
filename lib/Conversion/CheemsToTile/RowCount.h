// How many rows a step has, as factors of grids.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWCOUNT_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ROWCOUNT_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems::tile {

/// 1 or 0: whether there are rows and fewer than `from`, and whether there are
/// at least so many.
struct RowLimit {
  Value isFewer, isMore;

  /// \param rows a tensor [T, ...].
  /// \param from 2 or more.
  RowLimit(ImplicitLocOpBuilder &b, Value rows, int64_t from) {
    Value count = b.createOrFold<tensor::DimOp>(rows, 0);
    auto atMost = [&](int64_t most) -> Value {
      return arith::MinUIOp::create(b, count,
                                    arith::ConstantIndexOp::create(b, most));
    };
    Value any = atMost(1), below = from == 2 ? any : atMost(from - 1);
    isMore = arith::SubIOp::create(b, atMost(from), below);
    isFewer = arith::SubIOp::create(b, any, isMore);
  }
};

/// 1 or 0: whether there is one row, and whether there are more.
struct RowCount {
  Value isOne, isMore;

  RowCount(ImplicitLocOpBuilder &b, Value rows) {
    RowLimit limit(b, rows, 2);
    isOne = limit.isFewer;
    isMore = limit.isMore;
  }
};

} // namespace cheems::tile

#endif
