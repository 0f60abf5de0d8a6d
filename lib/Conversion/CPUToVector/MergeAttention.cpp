// Two pieces' running softmax as one: values a vector at a time. All products
// are rounded before they are added, so that the pieces may change places.
#include "Kernels.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
struct Merge {
  OpBuilder &b;
  Location loc;
  MergeAttentionOp op;
  int64_t lanes;
  Value t, head;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value load(Value numbers) {
    return memref::LoadOp::create(b, loc, numbers, ValueRange{t, head});
  }
  void store(Value number, Value numbers) {
    memref::StoreOp::create(b, loc, number, numbers, ValueRange{t, head});
  }
  void each(Value to, int64_t step, function_ref<void(Value)> body) {
    scf::ForOp::create(b, loc, index(0), to, index(step), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         body(i);
                         scf::YieldOp::create(b, loc);
                       });
  }

  /// Whether anything was; written so that a NaN counts as seen and spreads.
  Value seen(Value maximum) {
    Value lowest = arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, maximum,
                                 lowest);
  }

  /// y <- next(later_y, p, type).
  void setValues(function_ref<Value(Value, Value, VectorType)> next) {
    auto part = [&](Value p, int64_t width) {
      auto type = VectorType::get({width}, b.getF32Type());
      SmallVector<Value> place{t, head, p};
      Value later = vector::LoadOp::create(b, loc, type, op.getLaterY(), place);
      vector::StoreOp::create(b, loc, next(later, p, type), op.getY(), place);
    };
    int64_t size = cast<MemRefType>(op.getY().getType()).getDimSize(2);
    if (ShapedType::isDynamic(size)) {
      Value all = memref::DimOp::create(b, loc, op.getY(), index(2));
      return each(all, 1, [&](Value p) { part(p, 1); });
    }
    int64_t rest = size % lanes;
    each(index(size - rest), lanes, [&](Value p) { part(p, lanes); });
    if (rest != 0) {
      part(index(size - rest), rest);
    }
  }

  void take() {
    store(load(op.getLaterMaximum()), op.getMaximum());
    store(load(op.getLaterSum()), op.getSum());
    setValues([](Value later, Value, VectorType) { return later; });
  }

  void combine(Value before, Value later) {
    Value greater =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, before, later);
    Value maximum = arith::SelectOp::create(b, loc, greater, before, later);
    auto factor = [&](Value of) -> Value {
      return math::ExpOp::create(b, loc,
                                 arith::SubFOp::create(b, loc, of, maximum));
    };
    Value keeps = factor(before), joins = factor(later);
    auto sum = [&](Value old, Value added, Value keeps, Value joins) -> Value {
      return arith::AddFOp::create(b, loc,
                                   arith::MulFOp::create(b, loc, old, keeps),
                                   arith::MulFOp::create(b, loc, added, joins));
    };
    store(maximum, op.getMaximum());
    store(sum(load(op.getSum()), load(op.getLaterSum()), keeps, joins),
          op.getSum());
    setValues([&](Value added, Value p, VectorType type) {
      Value old = vector::LoadOp::create(b, loc, type, op.getY(),
                                         ValueRange{t, head, p});
      return sum(old, added, vector::BroadcastOp::create(b, loc, type, keeps),
                 vector::BroadcastOp::create(b, loc, type, joins));
    });
  }

  void lower() {
    Value later = load(op.getLaterMaximum());
    auto any = scf::IfOp::create(b, loc, seen(later), /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(any.thenBlock());
    Value before = load(op.getMaximum());
    auto both = scf::IfOp::create(b, loc, seen(before), /*withElse=*/true);
    b.setInsertionPointToStart(both.thenBlock());
    combine(before, later);
    b.setInsertionPointToStart(both.elseBlock());
    take();
  }
};
} // namespace

LogicalResult cheems::lowerMergeAttention(MergeAttentionOp op,
                                          const VectorUnit &unit,
                                          RewriterBase &rewriter) {
  Location loc = op.getLoc();
  Merge merge{rewriter, loc, op, unit.lanes, Value(), Value()};
  auto extent = [&](int64_t i) -> Value {
    return memref::DimOp::create(rewriter, loc, op.getY(), merge.index(i));
  };
  Value rows = extent(0), heads = extent(1);
  merge.each(rows, 1, [&](Value t) {
    merge.each(heads, 1, [&](Value head) {
      merge.t = t;
      merge.head = head;
      merge.lower();
    });
  });
  return success();
}
