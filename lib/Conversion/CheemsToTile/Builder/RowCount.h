// How many rows a step has, as conditions of launches.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCOUNT_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_ROWCOUNT_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems::tile {

/// Whether a tensor [T, ...] has fewer rows than `from`, or at least so many.
struct RowLimit {
  Value isFewer, isMore;

  RowLimit(ImplicitLocOpBuilder &b, Value rows, int64_t from) {
    Value count = b.createOrFold<tensor::DimOp>(rows, 0);
    auto compare = [&](arith::CmpIPredicate predicate) -> Value {
      return arith::CmpIOp::create(b, predicate, count,
                                   arith::ConstantIndexOp::create(b, from));
    };
    isFewer = compare(arith::CmpIPredicate::ult);
    isMore = compare(arith::CmpIPredicate::uge);
  }
};

/// Whether there is one row, or none, and whether there are more.
struct RowCount {
  Value isOne, isMore;

  RowCount(ImplicitLocOpBuilder &b, Value rows) {
    RowLimit limit(b, rows, 2);
    isOne = limit.isFewer;
    isMore = limit.isMore;
  }
};

/// The other way round.
inline Value isNot(ImplicitLocOpBuilder &b, Value condition) {
  return arith::XOrIOp::create(b, condition,
                               arith::ConstantIntOp::create(b, 1, 1));
}

/// Both.
inline Value areBoth(ImplicitLocOpBuilder &b, Value one, Value other) {
  return arith::AndIOp::create(b, one, other);
}

} // namespace cheems::tile

#endif
