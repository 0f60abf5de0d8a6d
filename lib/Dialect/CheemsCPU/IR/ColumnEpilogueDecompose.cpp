// column_epilogue as scalar loops: in place a pair is read before either is
// written.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// Columns of y, of which the first is column `at` of all.
struct Columns : BaseBuilder<Columns> {
  OpBuilder &b;
  Location loc;
  Value at, zero, one;

  Columns(OpBuilder &b, Location loc, Value at, Value zero, Value one)
      : b(b), loc(loc), at(at), zero(zero), one(one) {}
  Location location() { return loc; }
  /// Column `n` of all as one of y's, not before the first.
  Value inside(int64_t n, Value end) {
    Value value = arith::MaxSIOp::create(b, loc, sub(index(n), at), zero);
    return arith::MinSIOp::create(b, loc, value, end);
  }
  Value each(Value from, Value to, Value step, Value y,
             function_ref<Value(OpBuilder &, Value, Value)> body) {
    return scf::ForOp::create(
               b, loc, from, to, step, y,
               [&](OpBuilder &b, Location loc, Value i, ValueRange y) {
                 scf::YieldOp::create(b, loc, body(b, i, y[0]));
               })
        .getResult(0);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
ColumnEpilogueOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1),
        at = getAt() ? getAt() : zero;
  Columns outer{b, loc, at, zero, one};
  Value rows = tensor::DimOp::create(b, loc, getY(), 0),
        end = tensor::DimOp::create(b, loc, getY(), 1);
  Value rotated = outer.inside(getRotatedColumns(), end);
  Value y = getY();
  if (getHeadSize()) {
    int64_t half = getHeadSize() / 2;
    Value size = constantIndex(b, loc, 2 * half),
          partner = constantIndex(b, loc, half);
    auto pair = [&](OpBuilder &b, Value t, Value head, Value i, Value y) {
      Columns c{b, loc, at, zero, one};
      Value low = c.add(head, i), high = c.add(low, partner);
      auto read = [&](Value from, Value column) -> Value {
        return tensor::ExtractOp::create(b, loc, from, ValueRange{t, column});
      };
      Value first = read(y, low), second = read(y, high),
            cosine = read(getCosine(), i), sine = read(getSine(), i);
      Value down = c.sub(c.mul(first, cosine), c.mul(second, sine)),
            up = c.add(c.mul(second, cosine), c.mul(first, sine));
      y = tensor::InsertOp::create(b, loc, down, y, ValueRange{t, low});
      return tensor::InsertOp::create(b, loc, up, y, ValueRange{t, high})
          .getResult();
    };
    y = outer.each(zero, rows, one, y, [&](OpBuilder &b, Value t, Value y) {
      Columns c{b, loc, at, zero, one};
      return c.each(zero, rotated, size, y,
                    [&](OpBuilder &b, Value head, Value y) {
                      Columns c{b, loc, at, zero, one};
                      return c.each(zero, partner, one, y,
                                    [&](OpBuilder &b, Value i, Value y) {
                                      return pair(b, t, head, i, y);
                                    });
                    });
    });
  }
  if (std::optional<ArrayRef<int64_t>> mapped = getMapped()) {
    Value from = outer.inside((*mapped)[0], end),
          to = outer.inside((*mapped)[1], end),
          first = constantIndex(b, loc, (*mapped)[0]);
    auto map = [&](OpBuilder &b, Value t, Value n, Value y) {
      Columns c{b, loc, at, zero, one};
      Value place = c.sub(c.add(at, n), first);
      SmallVector<Value> arguments{
          tensor::ExtractOp::create(b, loc, y, ValueRange{t, n})};
      for (Value operand : getWith()) {
        arguments.push_back(tensor::ExtractOp::create(b, loc, operand, place));
      }
      Value result = cloneEpilogue(b, getEpilogue(), arguments);
      return tensor::InsertOp::create(b, loc, result, y, ValueRange{t, n})
          .getResult();
    };
    y = outer.each(zero, rows, one, y, [&](OpBuilder &b, Value t, Value y) {
      Columns c{b, loc, at, zero, one};
      return c.each(from, to, one, y, [&](OpBuilder &b, Value n, Value y) {
        return map(b, t, n, y);
      });
    });
  }
  return SmallVector<Value>{y};
}
