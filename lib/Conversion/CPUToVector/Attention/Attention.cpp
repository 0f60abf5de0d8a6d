// A block of keys for attention. Rows are taken in tiles that share each loaded
// key and value. Of the rows that are left, and of a row alone, the heads that
// share a key head make a tile. A row does not depend on its tile: its scores,
// exponentials and sums have the same order in all of them.
#include "Attention.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Value AttentionKernel::scratch(ArrayRef<int64_t> extents, Type element) {
  return memref::AllocOp::create(b, loc, MemRefType::get(extents, element));
}

AttentionKernel::AttentionKernel(OpBuilder &b, OnlineAttentionOp op,
                                 const VectorUnit &unit, int64_t tile)
    : KernelBuilder(b, op.getLoc()), op(op), lanes(unit.lanes),
      registers(unit.registers), tile(tile) {
  auto shape = cast<MemRefType>(op.getQuery().getType()).getShape();
  heads = shape[1];
  size = shape[2];
  headsPerKey = heads / cast<MemRefType>(op.getKeys().getType()).getDimSize(0);
  headsPerMask = heads / op.getMaskHeads();
  zero = index(0);
  one = index(1);
  lowest = f32(-std::numeric_limits<double>::infinity());
  zeros = f32(0);
  ofRows = ShapedType::isDynamic(shape[0]) || shape[0] >= tile;
  weights = scratch({tile, kEntries}, b.getF32Type());
  for (Value *numbers : {&highest, &before, &origins, &shrinks}) {
    *numbers = scratch(tile, b.getF32Type());
  }
}

AttentionKernel::AttentionKernel(OpBuilder &b, OnlineAttentionOp op,
                                 const VectorUnit &unit)
    : AttentionKernel(b, op, unit, unit.registers / 4) {
  transposedKeys = scratch({size, kEntries}, b.getF32Type());
  auto keys = cast<MemRefType>(op.getKeys().getType());
  if (ofRows && !keys.getElementType().isF32()) {
    widenedValues = scratch({kEntries, size}, b.getF32Type());
  }
}

void AttentionKernel::whenAny(Value count, llvm::function_ref<void()> body) {
  when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, count, zero),
       body);
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

/// How many of the `count` entries from `base` on are too old for the row; null
/// without a window.
Value AttentionKernel::passedBy(Value row, Value base, Value count) {
  if (!op.getWindow()) {
    return {};
  }
  Value end = arith::AddIOp::create(b, loc, op.getFirst(), add(row, 1)),
        begin = arith::SubIOp::create(
            b, loc, end, index(static_cast<int64_t>(*op.getWindow()))),
        before = arith::AddIOp::create(b, loc, op.getFrom(), base),
        passed = arith::SubIOp::create(b, loc, begin, before);
  return arith::MinSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, passed, zero), count);
}

void AttentionKernel::sumValues(const Tile &of, Value p, int64_t width) {
  VectorType type = vectorOf(width);
  auto place = [&](int64_t i) {
    return SmallVector<Value>{of.ofRows ? add(of.row, i) : of.row,
                              of.ofRows ? of.head : add(of.head, i), p};
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
    if (of.ofRows && widenedValues) {
      v = vector::LoadOp::create(b, loc, type, widenedValues, ValueRange{j, p});
    } else {
      v = load(op.getValues(), of.keyHead, add(of.base, j), p, width);
    }
    if (!ofRows) { // the other half of the next keys
      Value done =
          add(mul(j, size / 2), arith::DivUIOp::create(b, loc, p, index(2)));
      prefetch(op.getKeys(), of.keyHead, add(of.base, kEntries + kEntries / 2),
               done, std::max<int64_t>(width / 2, 1));
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
    if (of.count > 1) {
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
  int64_t wide = std::clamp<int64_t>(registers / 2 / of.count, 1, 8),
          whole = size - size % lanes;
  if (whole != 0) {
    int64_t width = std::min(wide * lanes, whole), rest = whole % width;
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

void AttentionKernel::attend(const Tile &of) {
  Value reached =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, of.most, zero);
  when(reached, [&] {
    score(of);
    when(softmax(of), [&] { sumValues(of); });
  });
}

/// A row's heads that share a key head, `tile` at a time.
void AttentionKernel::headsOfRow(Value row, Value firstHead, Value keyHead,
                                 Value base, Value entries) {
  Value most = seenBy(row, base, entries);
  auto heads = [&](Value head, int64_t count) {
    attend({count, /*ofRows=*/false, row, head, keyHead, base, entries, most});
  };
  int64_t rest = headsPerKey % tile;
  if (headsPerKey > rest) {
    each(zero, index(headsPerKey - rest), tile,
         [&](Value i) { heads(add(firstHead, i), tile); });
  }
  if (rest != 0) {
    heads(add(firstHead, headsPerKey - rest), rest);
  }
}

void AttentionKernel::lower() {
  Value all = memref::DimOp::create(b, loc, op.getQuery(), zero),
        entries = memref::DimOp::create(b, loc, op.getKeys(), one);
  Value tiled = zero;
  if (ofRows) {
    Value rest = arith::RemUIOp::create(b, loc, all, index(tile));
    tiled = arith::SubIOp::create(b, loc, all, rest);
  }
  lastEntry = arith::SubIOp::create(b, loc, entries, one);
  whenAny(all, [&] { attendRows(all, tiled, entries); });
}

/// Rows [0, tiled) in tiles, those up to `all` alone.
void AttentionKernel::attendRows(Value all, Value tiled, Value entries) {
  Value end = seenBy(arith::SubIOp::create(b, loc, all, one), zero, entries);
  each(zero, index(heads / headsPerKey), 1, [&](Value keyHead) {
    each(zero, end, kEntries, [&](Value base) {
      Value count = arith::MinUIOp::create(
          b, loc, index(kEntries), arith::SubIOp::create(b, loc, end, base));
      turnKeys(keyHead, base, count);
      Value first = arith::MulIOp::create(b, loc, keyHead, index(headsPerKey));
      if (ofRows) {
        whenAny(tiled, [&] {
          if (widenedValues) {
            widenValues(keyHead, base, count);
          }
          each(first, add(first, headsPerKey), 1, [&](Value head) {
            each(zero, tiled, tile, [&](Value row) {
              // Rows see ever more entries.
              Value most = seenBy(add(row, tile - 1), base, count);
              attend({tile, /*ofRows=*/true, row, head, keyHead, base, count,
                      most});
            });
          });
        });
      }
      each(tiled, all, 1,
           [&](Value row) { headsOfRow(row, first, keyHead, base, count); });
    });
  });
}

LogicalResult cheems::lowerAttention(OnlineAttentionOp op,
                                     const VectorUnit &unit,
                                     RewriterBase &rewriter) {
  if (unit.products == MatmulUnit::AMX && suitsAttentionTiles(op)) {
    lowerAttentionTiles(op, unit, rewriter);
    return success();
  }
  AttentionKernel(rewriter, op, unit).lower();
  return success();
}
