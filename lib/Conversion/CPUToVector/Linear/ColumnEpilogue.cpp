// column_epilogue on buffers, row by row. Of a head, two vectors that are each
// other's partners are rotated at a time. Of the columns that are mapped, one
// vector is taken at a time.
#include "Epilogue.h"
#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
struct ColumnEpilogue : KernelBuilder {
  ColumnEpilogueOp op;
  int64_t lanes;
  Value zero, at, columns;

  /// Column `n` of all as one of y's: none before the first, none past the
  /// last.
  Value clamped(int64_t n) {
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
    Value low = add(head, i), high = add(low, index(op.getHeadSize() / 2));
    Value first = load(op.getY(), low), second = load(op.getY(), high),
          cosine = load(op.getCosine(), i), sine = load(op.getSine(), i);
    Value down = arith::SubFOp::create(b, loc, mul(first, cosine),
                                       mul(second, sine)),
          up = arith::AddFOp::create(b, loc, mul(second, cosine),
                                     mul(first, sine));
    vector::StoreOp::create(b, loc, down, op.getY(), ValueRange{t, low});
    vector::StoreOp::create(b, loc, up, op.getY(), ValueRange{t, high});
  }

  void rotateRow(Value t, Value rotated) {
    int64_t half = op.getHeadSize() / 2, whole = half / lanes * lanes;
    each(zero, rotated, 2 * half, [&](Value head) {
      each(zero, index(whole), lanes,
           [&](Value i) { turn(t, head, i, lanes); });
      if (whole < half) {
        turn(t, head, index(whole), half - whole);
      }
    });
  }

  void map(Value t, Value n, Value to) {
    auto type = VectorType::get({lanes}, b.getF32Type());
    Value mask = inside(lanes, arith::SubIOp::create(b, loc, to, n));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    auto load = [&](Value buffer, ValueRange place) -> Value {
      return vector::MaskedLoadOp::create(b, loc, type, buffer, place, mask,
                                          zeros);
    };
    Value place =
        arith::SubIOp::create(b, loc, add(at, n), index((*op.getMapped())[0]));
    SmallVector<Value> arguments{load(op.getY(), ValueRange{t, n})};
    for (Value operand : op.getWith()) {
      arguments.push_back(load(operand, place));
    }
    vector::MaskedStoreOp::create(
        b, loc, op.getY(), ValueRange{t, n}, mask,
        emitEpilogue(b, loc, op.getEpilogue().front(), arguments, lanes));
  }

  void run() {
    Value rows = memref::DimOp::create(b, loc, op.getY(), zero);
    // Ends are the same for all rows, and none where the columns are others.
    Value rotated = clamped(op.getRotatedColumns());
    Value from, to;
    if (std::optional<ArrayRef<int64_t>> mapped = op.getMapped()) {
      from = clamped((*mapped)[0]);
      to = clamped((*mapped)[1]);
    }
    each(zero, rows, 1, [&](Value t) {
      if (op.getHeadSize()) {
        rotateRow(t, rotated);
      }
      if (from) {
        each(from, to, lanes, [&](Value n) { map(t, n, to); });
      }
    });
  }
};
} // namespace

LogicalResult cheems::lowerColumnEpilogue(ColumnEpilogueOp op,
                                          const VectorUnit &unit,
                                          RewriterBase &rewriter) {
  Location loc = op.getLoc();
  for (Value buffer : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (type && !type.isLastDimUnitStride()) {
      return op.emitOpError("has no kernel for rows that are not contiguous");
    }
  }
  ColumnEpilogue epilogue{{rewriter, loc}, op,      unit.lanes,
                          Value(),         Value(), Value()};
  epilogue.zero = epilogue.index(0);
  epilogue.at = op.getAt() ? op.getAt() : epilogue.zero;
  epilogue.columns =
      memref::DimOp::create(rewriter, loc, op.getY(), epilogue.index(1));
  epilogue.run();
  return success();
}
