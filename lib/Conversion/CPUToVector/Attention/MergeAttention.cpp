// Makes one running softmax of those of two splits, one vector of values at a
// time. All products are rounded before they are added. So the result is the
// same if the two splits are exchanged.
#include "KernelBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
struct Merge : KernelBuilder {
  MergeAttentionOp op;
  int64_t lanes;
  Value t, head;

  Value load(Value numbers) {
    return memref::LoadOp::create(b, loc, numbers, ValueRange{t, head});
  }
  void store(Value number, Value numbers) {
    memref::StoreOp::create(b, loc, number, numbers, ValueRange{t, head});
  }

  /// Whether anything was; written so that a NaN counts as seen and spreads.
  Value seen(Value maximum) {
    Value lowest = f32(-std::numeric_limits<double>::infinity());
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, maximum,
                                 lowest);
  }

  /// y <- next(later_y, p, type).
  void setValues(function_ref<Value(Value, Value, VectorType)> next) {
    auto part = [&](Value p, int64_t width) {
      auto type = vectorOf(width);
      SmallVector<Value> place{t, head, p};
      Value later = vector::LoadOp::create(b, loc, type, op.getLaterY(), place);
      vector::StoreOp::create(b, loc, next(later, p, type), op.getY(), place);
    };
    int64_t size = cast<MemRefType>(op.getY().getType()).getDimSize(2);
    if (ShapedType::isDynamic(size)) {
      return each(index(0), extent(op.getY(), 2), 1,
                  [&](Value p) { part(p, 1); });
    }
    int64_t rest = size % lanes;
    each(index(0), index(size - rest), lanes, [&](Value p) { part(p, lanes); });
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
    Value maximum = select(greater, before, later);
    auto factor = [&](Value of) -> Value {
      return math::ExpOp::create(b, loc, sub(of, maximum));
    };
    Value keeps = factor(before), joins = factor(later);
    auto sum = [&](Value old, Value added, Value keeps, Value joins) -> Value {
      return add(mul(old, keeps), mul(added, joins));
    };
    store(maximum, op.getMaximum());
    store(sum(load(op.getSum()), load(op.getLaterSum()), keeps, joins),
          op.getSum());
    setValues([&](Value added, Value p, VectorType type) {
      Value old = vector::LoadOp::create(b, loc, type, op.getY(),
                                         ValueRange{t, head, p});
      return sum(old, added, spread(type, keeps), spread(type, joins));
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
  Merge merge{{rewriter, loc}, op, unit.lanes, Value(), Value()};
  Value zero = merge.index(0), rows = merge.extent(op.getY(), 0),
        heads = merge.extent(op.getY(), 1);
  merge.each(zero, rows, 1, [&](Value t) {
    merge.each(zero, heads, 1, [&](Value head) {
      merge.t = t;
      merge.head = head;
      merge.lower();
    });
  });
  return success();
}
