// finish on buffers, row by row: two vectors of a head at a time, which are
// each other's partners, and vectors of the columns that are mapped.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
struct Finish {
  OpBuilder &b;
  Location loc;
  FinishOp op;
  int64_t lanes;
  Value zero, at, columns;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value plus(Value left, Value right) {
    return arith::AddIOp::create(b, loc, left, right);
  }
  Value times(Value left, Value right) {
    return arith::MulFOp::create(b, loc, left, right);
  }
  void each(Value from, Value to, int64_t step,
            function_ref<void(Value)> body) {
    scf::ForOp::create(b, loc, from, to, index(step), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         body(i);
                         scf::YieldOp::create(b, loc);
                       });
  }
  /// Column `n` of all as one of y's: none before the first, none past the
  /// last.
  Value inside(int64_t n) {
    Value value = arith::SubIOp::create(b, loc, index(n), at);
    value = arith::MaxSIOp::create(b, loc, value, zero);
    return arith::MinSIOp::create(b, loc, value, columns);
  }

  /// `count` pairs of the head that begins at column `head`, from pair `i` on.
  void turn(Value t, Value head, Value i, int64_t count) {
    auto type = VectorType::get({count}, b.getF32Type());
    auto load = [&](Value buffer, Value column) -> Value {
      return vector::LoadOp::create(b, loc, type, buffer,
                                    ValueRange{t, column});
    };
    Value low = plus(head, i), high = plus(low, index(op.getHeadSize() / 2));
    Value first = load(op.getY(), low), second = load(op.getY(), high),
          cosine = load(op.getAngles()[0], i),
          sine = load(op.getAngles()[1], i);
    Value down = arith::SubFOp::create(b, loc, times(first, cosine),
                                       times(second, sine)),
          up = arith::AddFOp::create(b, loc, times(second, cosine),
                                     times(first, sine));
    vector::StoreOp::create(b, loc, down, op.getY(), ValueRange{t, low});
    vector::StoreOp::create(b, loc, up, op.getY(), ValueRange{t, high});
  }

  void turnRow(Value t, Value turned) {
    int64_t half = op.getHeadSize() / 2, whole = half / lanes * lanes;
    each(zero, turned, 2 * half, [&](Value head) {
      each(zero, index(whole), lanes,
           [&](Value i) { turn(t, head, i, lanes); });
      if (whole < half) {
        turn(t, head, index(whole), half - whole);
      }
    });
  }

  void map(Value t, Value n, Value to) {
    auto type = VectorType::get({lanes}, b.getF32Type());
    auto like = [&](Type element) -> Type {
      return VectorType::get({lanes}, element);
    };
    Value mask = vector::CreateMaskOp::create(
        b, loc, cast<VectorType>(like(b.getI1Type())),
        arith::SubIOp::create(b, loc, to, n).getResult());
    Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    auto load = [&](Value buffer, ValueRange place) -> Value {
      return vector::MaskedLoadOp::create(b, loc, type, buffer, place, mask,
                                          nothing);
    };
    Block &epilogue = op.getEpilogue().front();
    Value place =
        arith::SubIOp::create(b, loc, plus(at, n), index((*op.getMapped())[0]));
    IRMapping values;
    values.map(epilogue.getArgument(0), load(op.getY(), ValueRange{t, n}));
    for (auto [argument, operand] :
         llvm::zip_equal(epilogue.getArguments().drop_front(), op.getWith())) {
      values.map(argument, load(operand, place));
    }
    auto spread = [&](Value value) -> Value {
      // A scalar from outside of the epilogue, or a constant in it.
      if (Value mapped = values.lookupOrNull(value)) {
        return mapped;
      }
      return vector::BroadcastOp::create(b, loc, like(value.getType()), value);
    };
    for (Operation &inner : epilogue.without_terminator()) {
      if (inner.hasTrait<OpTrait::ConstantLike>()) {
        Value scalar = b.clone(inner)->getResult(0);
        values.map(inner.getResult(0), spread(scalar));
        continue;
      }
      SmallVector<Value> operands =
          llvm::map_to_vector(inner.getOperands(), spread);
      SmallVector<Type> types =
          llvm::map_to_vector(inner.getResultTypes(), like);
      values.map(inner.getResults(),
                 mlir::clone(b, &inner, types, operands)->getResults());
    }
    vector::MaskedStoreOp::create(
        b, loc, op.getY(), ValueRange{t, n}, mask,
        spread(cast<YieldOp>(epilogue.back()).getValue()));
  }

  void run() {
    Value rows = memref::DimOp::create(b, loc, op.getY(), zero);
    // Ends are the same for all rows, and none where the columns are others.
    Value turned = inside(op.getTurnedColumns());
    Value from, to;
    if (std::optional<ArrayRef<int64_t>> mapped = op.getMapped()) {
      from = inside((*mapped)[0]);
      to = inside((*mapped)[1]);
    }
    each(zero, rows, 1, [&](Value t) {
      if (op.getHeadSize()) {
        turnRow(t, turned);
      }
      if (from) {
        each(from, to, lanes, [&](Value n) { map(t, n, to); });
      }
    });
  }
};
} // namespace

LogicalResult cheems::lowerFinish(FinishOp op, const VectorUnit &unit,
                                  RewriterBase &rewriter) {
  Location loc = op.getLoc();
  for (Value buffer : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (type && !type.isLastDimUnitStride()) {
      return op.emitOpError("has no kernel for rows that are not contiguous");
    }
  }
  Finish finish{rewriter, loc, op, unit.lanes, Value(), Value(), Value()};
  finish.zero = finish.index(0);
  finish.at = op.getAt() ? op.getAt() : finish.zero;
  finish.columns =
      memref::DimOp::create(rewriter, loc, op.getY(), finish.index(1));
  finish.run();
  return success();
}
