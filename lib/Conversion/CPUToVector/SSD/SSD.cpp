// ssd_chunk on buffers, chunk after chunk. What the heads of a group share
// comes first, then one head after the other. One row is the recurrence, and
// more rows are matmuls.
//
// The bits of a row do not depend on the rows after it, nor those of a column
// on the columns beside it. Every sum runs in ascending order through the same
// chains, in every tile.
#include "SSD.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

SSDKernel::SSDKernel(OpBuilder &b, SSDChunkOp op, const VectorUnit &unit,
                     int64_t most)
    : KernelBuilder(b, op.getLoc()), op(op), unit(unit), most(most),
      padded(llvm::alignTo(most, 2 * kBlock)), rowExtent(padded + kBlock) {
  auto state = cast<MemRefType>(op.getState().getType());
  heads = state.getDimSize(0);
  stateSize = state.getDimSize(1);
  headSize = state.getDimSize(2);
  groups = cast<MemRefType>(op.getB().getType()).getDimSize(1);
  zero = index(0);
  one = index(1);
}

void SSDKernel::fetch(Value buffer, ArrayRef<Value> at, int64_t count,
                      bool isWrite) {
  for (int64_t column = 0; column < count; column += kLineF32) {
    SmallVector<Value> indices(at);
    indices.back() = add(at.back(), column);
    memref::PrefetchOp::create(b, loc, buffer, indices, isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void SSDKernel::fetchGates(const SSDRows &rows, Value h, Value row) {
  int64_t lines = llvm::divideCeil(groups * stateSize, kLineF32);
  int64_t share = llvm::divideCeil(lines, heads) * kLineF32;
  Value from = arith::MulIOp::create(b, loc, h, index(share));
  for (Value gates : {op.getC(), op.getB()}) {
    fetch(gates, {add(add(rows.first, row), most), zero, from}, share);
  }
}

std::pair<Value, Value> SSDKernel::nextHead(const SSDRows &rows, Value h) {
  Value next = add(h, 1);
  Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                     index(heads));
  return {
      add(rows.first, arith::SelectOp::create(b, loc, none, index(most), zero)),
      arith::SelectOp::create(b, loc, none, zero, next)};
}

SmallVector<Value> SSDKernel::loopFours(
    Value from, Value to, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body) {
  constexpr int64_t four = 4;
  Value whole = mul(arith::DivUIOp::create(b, loc, to, index(four)), four);
  SmallVector<Value> sums =
      loop(from, whole, four, inits, [&](Value i, ValueRange before) {
        SmallVector<Value> after(before);
        for (int64_t offset = 0; offset < four; ++offset) {
          after = body(i, offset, after);
        }
        return after;
      });
  return loop(whole, to, 1, sums,
              [&](Value i, ValueRange before) { return body(i, 0, before); });
}

void SSDKernel::columns(int64_t most,
                        llvm::function_ref<void(Value, VectorType)> body) {
  int64_t at = headSize / most * most;
  if (at > 0) {
    each(zero, index(at), most, [&](Value p) { body(p, vectorOf(most)); });
  }
  for (int64_t count = most / 2; at < headSize; count /= 2) {
    if (count < kLeast) {
      count = headSize - at;
    }
    if (at + count <= headSize) {
      body(index(at), vectorOf(count));
      at += count;
    }
  }
}

Value SSDKernel::decay(Value logarithms) {
  auto type = cast<VectorType>(logarithms.getType()).clone(b.getF32Type());
  return math::ExpOp::create(b, loc,
                             arith::TruncFOp::create(b, loc, type, logarithms));
}

void SSDKernel::allocateDecays() {
  logarithm = allocate({rowExtent}, b.getF64Type());
  for (Value *buffer : {&fromStart, &steps, &toEnd, &near}) {
    *buffer = allocate({rowExtent}, b.getF32Type());
  }
}

void SSDKernel::decays(const SSDRows &rows, Value h) {
  Type f64 = b.getF64Type();
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, loc, f64, value);
  };
  Value rate = widen(read(op.getA(), h));
  Value total =
      loop(zero, rows.count, 1, zeroOf(f64), [&](Value t, ValueRange sum) {
        Value step = read(op.getStep(), {add(rows.first, t), h});
        Value next =
            arith::AddFOp::create(b, loc, sum[0], mul(rate, widen(step)));
        write(next, logarithm, t);
        write(step, steps, t);
        return SmallVector<Value>{next};
      })[0];
  VectorType type = vectorOf(kBlock), wide = type.clone(f64);
  // Past the last row scratch holds anything, and nothing reads it.
  each(zero, rows.count, kBlock, [&](Value u) {
    Value l = load(wide, logarithm, u);
    store(decay(l), fromStart, u);
    Value left = arith::SubFOp::create(b, loc, spread(wide, total), l);
    store(mul(decay(left), load(type, steps, u)), toEnd, u);
  });
}

void SSDKernel::blockDecays(Value t) {
  VectorType type = vectorOf(kBlock), wide = type.clone(b.getF64Type());
  Value last = arith::MaxUIOp::create(b, loc, t, one);
  Value until = spread(wide, read(logarithm, sub(last, one)));
  each(zero, t, kBlock, [&](Value u) {
    Value power =
        arith::SubFOp::create(b, loc, until, load(wide, logarithm, u));
    store(mul(decay(power), load(type, steps, u)), near, u);
  });
}

namespace {
/// All chunks, by one way of matmuls.
template <typename Products> void emitChunks(SSDKernel &k, Value rows) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  k.allocateDecays();
  Products products(k);
  Value perGroup = k.index(k.heads / k.groups);
  k.each(k.zero, rows, k.most, [&](Value first) {
    Value left = k.sub(rows, first);
    Value count = arith::MinUIOp::create(b, loc, left, k.index(k.most));
    SSDRows part{first, count};
    Value single =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, k.one);
    k.each(k.zero, k.index(k.groups), 1, [&](Value g) {
      Value from = arith::MulIOp::create(b, loc, g, perGroup);
      Value to = k.add(from, perGroup);
      scf::IfOp::create(
          b, loc, single,
          [&](OpBuilder &, Location) {
            k.each(from, to, 1, [&](Value h) { emitSSDRow(k, first, h, g); });
            scf::YieldOp::create(b, loc);
          },
          [&](OpBuilder &, Location) {
            products.group(part, g);
            k.each(from, to, 1, [&](Value h) {
              k.decays(part, h);
              products.head(part, h, g);
            });
            scf::YieldOp::create(b, loc);
          });
    });
  });
}
} // namespace

LogicalResult cheems::lowerSSDChunk(SSDChunkOp op, const VectorUnit &unit,
                                    RewriterBase &rewriter) {
  for (Value buffer :
       {op.getX(), op.getB(), op.getC(), op.getY(), op.getState()}) {
    if (!cast<MemRefType>(buffer.getType()).isLastDimUnitStride()) {
      return op.emitOpError("has no kernel for rows that are not contiguous");
    }
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, {op.getX(), /*dim=*/0},
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  int64_t most = succeeded(bound) && *bound <= kMostChunkRows
                     ? std::max<int64_t>(*bound, 1)
                     : kChunkRows;
  SSDKernel kernel(rewriter, op, unit, most);
  Value rows = memref::DimOp::create(rewriter, kernel.loc, op.getX(), 0);
  if (most > 1 && op.getAllowBf16() && unit.products == MatmulUnit::AMX) {
    emitChunks<SSDMatmulsAMX>(kernel, rows);
  } else if (most > 1) {
    emitChunks<SSDMatmulsFMA>(kernel, rows);
  } else {
    Value perGroup = kernel.index(kernel.heads / kernel.groups);
    kernel.each(kernel.zero, rows, 1, [&](Value t) {
      kernel.each(kernel.zero, kernel.index(kernel.heads), 1, [&](Value h) {
        Value g = arith::DivUIOp::create(rewriter, kernel.loc, h, perGroup);
        emitSSDRow(kernel, t, h, g);
      });
    });
  }
  return success();
}
