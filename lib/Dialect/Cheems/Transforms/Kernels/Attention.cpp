// A block of keys for attention: rows in tiles that share each loaded key and
// value, what is left row by row. Rows do not depend on their tile: each one's
// scores, exponentials and sums run in the same order alone.
#include "Attention.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

AttentionKernel::AttentionKernel(OpBuilder &b, OnlineAttentionOp op,
                                 const VectorUnit &unit)
    : b(b), loc(op.getLoc()), op(op), lanes(unit.lanes), tile(4) {
  auto shape = cast<MemRefType>(op.getQuery().getType()).getShape();
  auto keys = cast<MemRefType>(op.getKeys().getType());
  heads = shape[1];
  size = shape[2];
  headsPerKey = heads / keys.getDimSize(0);
  headsPerMask = heads / cast<MemRefType>(op.getMask().getType()).getDimSize(0);
  zero = index(0);
  one = index(1);
  lowest = f32(-std::numeric_limits<double>::infinity());
  nothing = f32(0);
  if (!ShapedType::isDynamic(shape[0]) && shape[0] < tile) {
    tile = 1;
  }
  auto scratch = [&](int64_t rows, int64_t columns) {
    return memref::AllocOp::create(
        b, loc, MemRefType::get({rows, columns}, b.getF32Type()));
  };
  weights = scratch(tile, kEntries);
  shrinks =
      memref::AllocOp::create(b, loc, MemRefType::get({tile}, b.getF32Type()));
  if (tile > 1) {
    turnedKeys = scratch(size, kEntries);
    if (!keys.getElementType().isF32()) {
      widenedValues = scratch(kEntries, size);
    }
  }
}

SmallVector<Value> AttentionKernel::loop(
    Value from, Value to, int64_t step, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, from, to, index(step), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!next.empty()) {
    scf::YieldOp::create(b, loc, next);
  }
  return SmallVector<Value>(loop.getResults());
}

void AttentionKernel::each(Value from, Value to, int64_t step,
                           llvm::function_ref<void(Value)> body) {
  loop(from, to, step, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

void AttentionKernel::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// How many of the `count` entries from `base` on the row may see.
Value AttentionKernel::seenBy(Value row, Value base, Value count) {
  Value end;
  if (op.getSeen()) {
    end = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        memref::LoadOp::create(b, loc, op.getSeen(), row));
  } else {
    end = arith::AddIOp::create(b, loc, op.getFirst(), add(row, 1));
  }
  Value before = arith::AddIOp::create(b, loc, op.getFrom(), base);
  Value seen = arith::SubIOp::create(b, loc, end, before);
  return arith::MinSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, seen, zero), count);
}

Value AttentionKernel::masked(Value buffer, Value maskHead, Value from,
                              Value inside, TypedAttr fill) {
  auto type = VectorType::get(
      {kGroup}, cast<MemRefType>(buffer.getType()).getElementType());
  Value pass = spread(type, arith::ConstantOp::create(b, loc, fill));
  return vector::MaskedLoadOp::create(b, loc, type, buffer,
                                      ValueRange{maskHead, from}, inside, pass);
}

/// Which of a group's entries the row sees, given those `inside` its range.
Value AttentionKernel::visible(const Tile &of, Value row, Value mask,
                               Value from, Value inside) {
  VectorType group = vectorOf(kGroup);
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, loc, x, y);
  };
  if (op.getKind() == MaskKind::threshold) {
    Value bound = spread(group, f32(op.getHideBelow()->convertToDouble()));
    return both(inside, arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                              mask, bound));
  }
  if (!op.getThreshold()) {
    return inside;
  }
  Value priority = masked(op.getPriority(), of.maskHead, from, inside,
                          b.getI32IntegerAttr(0));
  Value bound =
      spread(group, memref::LoadOp::create(b, loc, op.getThreshold(),
                                           ValueRange{row, of.maskHead}));
  Value last = spread(cast<VectorType>(priority.getType()),
                      memref::LoadOp::create(b, loc, op.getLast(),
                                             ValueRange{row, of.maskHead}));
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, mask, bound);
  Value tie =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, bound);
  Value late =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, priority, last);
  return both(inside, arith::OrIOp::create(b, loc, above, both(tie, late)));
}

/// Turns the scores of row i of the tile into weights, up to the tile's last
/// entry, and brings its maximum and sum up to date. Returns whether it sees
/// anything.
Value AttentionKernel::softmax(const Tile &of, Value i) {
  VectorType group = vectorOf(kGroup);
  Value row = arith::AddIOp::create(b, loc, of.row, i),
        seen = seenBy(row, of.base, of.entries);
  auto noSign =
      arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::nsz);
  auto inside = [&](Value x) -> Value {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({kGroup}, b.getI1Type()),
        arith::SubIOp::create(b, loc, seen, x).getResult());
  };
  auto maskOf = [&](Value x, Value lanes) {
    return masked(op.getMask(), of.maskHead,
                  arith::AddIOp::create(b, loc, of.base, x), lanes,
                  b.getF32FloatAttr(0));
  };
  auto scores = [&](Value x) -> Value {
    return vector::LoadOp::create(b, loc, group, weights, ValueRange{i, x});
  };
  auto store = [&](Value vector, Value x) {
    vector::StoreOp::create(b, loc, vector, weights, ValueRange{i, x});
  };
  Value factor = spread(group, f32(op.getScale().convertToDouble()));
  SmallVector<Value> best =
      loop(zero, of.most, kGroup, spread(group, lowest),
           [&](Value x, ValueRange args) -> SmallVector<Value> {
             Value s = arith::MulFOp::create(b, loc, scores(x), factor);
             Value lanes = inside(x), mask;
             if (op.getKind() != MaskKind::scale) {
               mask = maskOf(x, lanes);
             }
             if (op.getKind() == MaskKind::bias) {
               s = arith::AddFOp::create(b, loc, s, mask);
             }
             Value from = arith::AddIOp::create(b, loc, of.base, x);
             s = select(visible(of, row, mask, from, lanes), s,
                        spread(group, lowest));
             store(s, x);
             return {arith::MaximumFOp::create(b, loc, args[0], s, noSign)};
           });
  Value highest = vector::ReductionOp::create(
      b, loc, vector::CombiningKind::MAXIMUMF, best[0]);
  SmallVector<Value> at{row, of.head};
  Value before = memref::LoadOp::create(b, loc, op.getMaximum(), at);
  Value maximum = arith::MaximumFOp::create(b, loc, before, highest);
  // While nothing is seen the maximum is -infinity; 0 in its place keeps every
  // exponential at 0 and not NaN.
  Value none =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, lowest);
  Value origin = select(none, nothing, maximum);
  SmallVector<Value> total = loop(
      zero, of.most, kGroup, spread(group, nothing),
      [&](Value x, ValueRange args) -> SmallVector<Value> {
        Value e = math::ExpOp::create(
            b, loc,
            arith::SubFOp::create(b, loc, scores(x), spread(group, origin)));
        Value sum = arith::AddFOp::create(b, loc, args[0], e);
        if (op.getKind() == MaskKind::scale) {
          e = arith::MulFOp::create(b, loc, e, maskOf(x, inside(x)));
        }
        store(e, x);
        return {sum};
      });
  Value sum = total[0];
  for (int64_t half = kGroup / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, sum, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{half},
          ArrayRef<int64_t>{1});
    };
    sum = arith::AddFOp::create(b, loc, part(0), part(half));
  }
  sum = vector::ExtractOp::create(b, loc, sum, ArrayRef<int64_t>{0});
  // Written so that a NaN counts as seen and spreads.
  Value any =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, highest, lowest);
  Value shrink = math::ExpOp::create(
      b, loc, arith::SubFOp::create(b, loc, before, origin));
  Value old = memref::LoadOp::create(b, loc, op.getSum(), at);
  memref::StoreOp::create(b, loc, maximum, op.getMaximum(), at);
  memref::StoreOp::create(
      b, loc, select(any, math::FmaOp::create(b, loc, old, shrink, sum), old),
      op.getSum(), at);
  memref::StoreOp::create(b, loc, select(any, shrink, f32(kBlind)), shrinks, i);
  return any;
}

void AttentionKernel::sumValues(const Tile &of, Value p, int64_t width) {
  VectorType type = vectorOf(width);
  bool alone = of.count == 1;
  auto place = [&](int64_t i) {
    return SmallVector<Value>{add(of.row, i), of.head, p};
  };
  SmallVector<Value> factors, sums;
  for (int64_t i = 0; i < of.count; ++i) {
    factors.push_back(memref::LoadOp::create(b, loc, shrinks, index(i)));
    Value y = vector::LoadOp::create(b, loc, type, op.getY(), place(i));
    sums.push_back(
        arith::MulFOp::create(b, loc, y, spread(type, factors.back())));
  }
  sums = loop(zero, of.most, 1, sums, [&](Value j, ValueRange args) {
    Value v;
    if (!alone && widenedValues) {
      v = vector::LoadOp::create(b, loc, type, widenedValues, ValueRange{j, p});
    } else {
      Value at = arith::AddIOp::create(b, loc, of.base, j);
      v = load(op.getValues(), of.keyHead, at, p, width);
    }
    SmallVector<Value> next;
    for (auto [i, sum] : llvm::enumerate(args)) {
      Value weight = memref::LoadOp::create(
          b, loc, weights, ValueRange{index(static_cast<int64_t>(i)), j});
      next.push_back(
          vector::FMAOp::create(b, loc, spread(type, weight), v, sum));
    }
    return next;
  });
  for (int64_t i = 0; i < of.count; ++i) {
    Value y = sums[i];
    if (!alone) {
      // A row that sees nothing keeps its values to the bit.
      Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                        factors[i], f32(kBlind));
      y = select(any, y,
                 vector::LoadOp::create(b, loc, type, op.getY(), place(i)));
    }
    vector::StoreOp::create(b, loc, y, op.getY(), place(i));
  }
}

/// y <- shrink * y + weights * values, in as many columns as registers hold.
void AttentionKernel::sumValues(const Tile &of) {
  int64_t registers = of.count == 1 ? 8 : 2, whole = size - size % lanes;
  if (whole != 0) {
    int64_t width = std::min(registers * lanes, whole), rest = whole % width;
    each(zero, index(whole - rest), width,
         [&](Value p) { sumValues(of, p, width); });
    if (rest != 0) {
      sumValues(of, index(whole - rest), rest);
    }
  }
  if (whole != size) {
    sumValues(of, index(whole), size - whole);
  }
}

/// Rows [from, to) in tiles of `count`.
void AttentionKernel::rows(Value from, Value to, int64_t count, Value head,
                           Value keyHead, Value base, Value entries) {
  Value maskHead = arith::DivUIOp::create(b, loc, head, index(headsPerMask));
  each(from, to, count, [&](Value row) {
    // Rows see ever more entries.
    Value most = seenBy(add(row, count - 1), base, entries);
    Tile of{count, row, head, keyHead, maskHead, base, entries, most};
    Value reached =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, most, zero);
    when(reached, [&] {
      count == 1 ? scoreRow(of) : scoreTile(of);
      Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
      Value any =
          loop(zero, index(count), 1, none,
               [&](Value i, ValueRange args) -> SmallVector<Value> {
                 return {arith::OrIOp::create(b, loc, args[0], softmax(of, i))};
               })[0];
      when(any, [&] { sumValues(of); });
    });
  });
}

void AttentionKernel::lower() {
  Value all = memref::DimOp::create(b, loc, op.getQuery(), zero),
        entries = memref::DimOp::create(b, loc, op.getKeys(), one);
  Value tiled = zero;
  if (tile > 1) {
    Value rest = arith::RemUIOp::create(b, loc, all, index(tile));
    tiled = arith::SubIOp::create(b, loc, all, rest);
  }
  Value end = seenBy(arith::SubIOp::create(b, loc, all, one), zero, entries);
  each(zero, index(heads / headsPerKey), 1, [&](Value keyHead) {
    each(zero, end, kEntries, [&](Value base) {
      Value count = arith::MinUIOp::create(
          b, loc, index(kEntries), arith::SubIOp::create(b, loc, end, base));
      if (tile > 1) {
        Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                          tiled, zero);
        when(any, [&] {
          turnKeys(keyHead, base, count);
          if (widenedValues) {
            widenValues(keyHead, base, count);
          }
        });
      }
      Value first = arith::MulIOp::create(b, loc, keyHead, index(headsPerKey));
      each(first, add(first, headsPerKey), 1, [&](Value head) {
        if (tile > 1) {
          rows(zero, tiled, tile, head, keyHead, base, count);
        }
        rows(tiled, all, 1, head, keyHead, base, count);
      });
    });
  });
}

LogicalResult cheems::lowerAttention(OnlineAttentionOp op,
                                     const VectorUnit &unit,
                                     RewriterBase &rewriter) {
  AttentionKernel(rewriter, op, unit).lower();
  return success();
}
