// ssd as its recurrence, ssd_chunk as the dual form, both in scalar loops that
// update y and the state in place.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// The operands of either op and the loops over them.
struct SSD : BaseBuilder<SSD> {
  OpBuilder &b;
  Location loc;
  Value x, step, a, inputGate, outputGate, skip; // the gates: b and c
  int64_t heads, groups, stateSize, headSize;
  Value zero, one, rows;

  template <typename Op>
  SSD(OpBuilder &b, Op op)
      : b(b), loc(op.getLoc()), x(op.getX()), step(op.getStep()), a(op.getA()),
        inputGate(op.getB()), outputGate(op.getC()), skip(op.getSkip()) {
    ArrayRef<int64_t> state =
        cast<ShapedType>(op.getState().getType()).getShape();
    heads = state[0];
    stateSize = state[1];
    headSize = state[2];
    groups = cast<ShapedType>(op.getB().getType()).getDimSize(1);
    zero = index(0);
    one = index(1);
    rows = tensor::DimOp::create(b, loc, op.getX(), zero);
  }

  Location location() { return loc; }
  SmallVector<Value> loop(Value from, Value to, ValueRange carried, Fold body) {
    return BaseBuilder::loop(from, to, 1, carried, body);
  }
  SmallVector<Value> loop(int64_t count, ValueRange carried, Fold body) {
    return loop(zero, index(count), carried, body);
  }

  Value read(Value tensor, ValueRange at) {
    return tensor::ExtractOp::create(b, loc, tensor, at);
  }
  Value write(Value value, Value tensor, ValueRange at) {
    return tensor::InsertOp::create(b, loc, value, tensor, at);
  }
  Value group(Value head) {
    return arith::DivUIOp::create(b, loc, head, index(heads / groups));
  }
  Value widenToDouble(Value value) {
    return arith::ExtFOp::create(b, loc, b.getF64Type(), value);
  }

  /// What y starts from: skip * x, or zero.
  Value start(Value t, Value h, Value p) {
    return skip ? mul(read(skip, h), read(x, {t, h, p})) : f32(0);
  }

  /// Every row after the one before it.
  SmallVector<Value> recurrence(ValueRange carried) {
    return loop(zero, rows, carried, [&](Value t, ValueRange carried) {
      return loop(heads, carried, [&](Value h, ValueRange carried) {
        return oneRow(t, h, carried);
      });
    });
  }

  SmallVector<Value> oneRow(Value t, Value h, ValueRange carried) {
    Value g = group(h), rate = read(step, {t, h});
    Value decay = math::ExpOp::create(b, loc, mul(read(a, h), rate));
    Value y = loop(headSize, carried[0], [&](Value p, ValueRange y) {
      return SmallVector<Value>{write(start(t, h, p), y[0], {t, h, p})};
    })[0];
    return loop(stateSize, {y, carried[1]}, [&](Value n, ValueRange carried) {
      Value in = mul(rate, read(inputGate, {t, g, n}));
      Value out = read(outputGate, {t, g, n});
      return loop(headSize, carried, [&](Value p, ValueRange carried) {
        Value y = carried[0], state = carried[1];
        Value h1 = add(mul(decay, read(state, {h, n, p})),
                       mul(in, read(x, {t, h, p})));
        Value sum = add(read(y, {t, h, p}), mul(out, h1));
        return SmallVector<Value>{write(sum, y, {t, h, p}),
                                  write(h1, state, {h, n, p})};
      });
    });
  }

  /// l [T, H]: the logarithm of the decay up to a row, itself included.
  Value logarithms() {
    Value l = tensor::EmptyOp::create(
        b, loc, {tensor::getMixedSize(b, loc, x, 0), b.getIndexAttr(heads)},
        b.getF64Type());
    return loop(heads, l, [&](Value h, ValueRange l) {
      Value none = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0));
      Value rate = widenToDouble(read(a, h));
      SmallVector<Value> done =
          loop(zero, rows, {l[0], none}, [&](Value t, ValueRange args) {
            Value sum =
                add(args[1], mul(rate, widenToDouble(read(step, {t, h}))));
            return SmallVector<Value>{write(sum, args[0], {t, h}), sum};
          });
      return SmallVector<Value>{done[0]};
    })[0];
  }

  /// The decay from row u to a row whose logarithm is `to`.
  Value decay(Value to, Value l, Value u, Value h) {
    return exponential(sub(to, read(l, {u, h})));
  }
  Value exponential(Value power) {
    return math::ExpOp::create(
        b, loc, arith::TruncFOp::create(b, loc, b.getF32Type(), power));
  }

  /// One row of y from the state before the chunk and the chunk's rows up to
  /// this one.
  Value dualRow(Value l, Value t, Value h, Value y, Value state) {
    Value g = group(h), to = read(l, {t, h});
    Value fromStart = exponential(to);
    y = loop(headSize, y, [&](Value p, ValueRange y) {
      return SmallVector<Value>{write(start(t, h, p), y[0], {t, h, p})};
    })[0];
    auto accumulate = [&](Value y, Value weight, Value from, ValueRange row) {
      return loop(headSize, y, [&](Value p, ValueRange y) {
        SmallVector<Value> at(row);
        at.push_back(p);
        Value sum = add(read(y[0], {t, h, p}), mul(weight, read(from, at)));
        return SmallVector<Value>{write(sum, y[0], {t, h, p})};
      });
    };
    y = loop(stateSize, y, [&](Value n, ValueRange y) {
      Value weight = mul(fromStart, read(outputGate, {t, g, n}));
      return accumulate(y[0], weight, state, {h, n});
    })[0];
    Value end = add(t, one);
    return loop(zero, end, y, [&](Value u, ValueRange y) {
      Value none = f32(0);
      Value product = loop(stateSize, none, [&](Value n, ValueRange sum) {
        return SmallVector<Value>{add(sum[0], mul(read(outputGate, {t, g, n}),
                                                  read(inputGate, {u, g, n})))};
      })[0];
      Value weight = mul(mul(decay(to, l, u, h), read(step, {u, h})), product);
      return accumulate(y[0], weight, x, {u, h});
    })[0];
  }

  /// The state after the chunk.
  Value dualState(Value l, Value h, Value state) {
    Value g = group(h);
    Value last = sub(rows, one);
    Value to = read(l, {last, h});
    Value whole = exponential(to);
    auto each = [&](Value state,
                    llvm::function_ref<Value(Value, Value, Value)> map) {
      return loop(stateSize, state, [&](Value n, ValueRange state) {
        return loop(headSize, state, [&](Value p, ValueRange state) {
          Value old = read(state[0], {h, n, p});
          return SmallVector<Value>{write(map(n, p, old), state[0], {h, n, p})};
        });
      });
    };
    state = each(state,
                 [&](Value, Value, Value old) { return mul(whole, old); })[0];
    return loop(zero, rows, state, [&](Value u, ValueRange state) {
      Value weight = mul(decay(to, l, u, h), read(step, {u, h}));
      return each(state[0], [&](Value n, Value p, Value old) {
        Value in = mul(weight, read(inputGate, {u, g, n}));
        return add(old, mul(in, read(x, {u, h, p})));
      });
    })[0];
  }

  SmallVector<Value> dual(ValueRange carried) {
    Value l = logarithms();
    return loop(heads, carried, [&](Value h, ValueRange carried) {
      Value y = loop(zero, rows, carried[0], [&](Value t, ValueRange y) {
        return SmallVector<Value>{dualRow(l, t, h, y[0], carried[1])};
      })[0];
      return SmallVector<Value>{y, dualState(l, h, carried[1])};
    });
  }
};
} // namespace

FailureOr<SmallVector<Value>> SSDOp::decomposeOperation(OpBuilder &b) {
  return SSD(b, *this).recurrence({getY(), getState()});
}

FailureOr<SmallVector<Value>> SSDChunkOp::decomposeOperation(OpBuilder &b) {
  SSD ssd(b, *this);
  Value several = arith::CmpIOp::create(b, getLoc(), arith::CmpIPredicate::ugt,
                                        ssd.rows, ssd.one);
  SmallVector<Value> carried{getY(), getState()};
  auto form = scf::IfOp::create(
      b, getLoc(), several,
      [&](OpBuilder &, Location loc) {
        scf::YieldOp::create(b, loc, ssd.dual(carried));
      },
      [&](OpBuilder &, Location loc) {
        scf::YieldOp::create(b, loc, ssd.recurrence(carried));
      });
  return SmallVector<Value>(form.getResults());
}
