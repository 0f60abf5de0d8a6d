// Attention on AMX tiles, 64 entries at a time: scores of queries rounded to
// bf16, then values weighted by exponentials rounded to bf16. Maxima, sums and
// all else are f32, and the sum is of exponentials as they are.
//
// Each element is a chain of tdpbf16ps over ascending blocks of 32, of p or of
// the 64 entries, in tiles of rows and of heads alike: a row does not depend on
// the other rows. Which factor is in which of an instruction's tiles does not
// matter to its sums.
#include "AttentionTiles.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

AttentionTiles::AttentionTiles(OpBuilder &b, OnlineAttentionOp op,
                               const VectorUnit &unit)
    : AttentionKernel(b, op, unit, kTile),
      width((size + kBlock - 1) / kBlock * kBlock) {
  Type narrow = b.getBF16Type(), wide = b.getF32Type();
  numbers = amx::TileType::get({kTile, kBlock}, narrow);
  sums = amx::TileType::get({kTile, kTile}, wide);
  units = scratch(tile, wide);
  rounded = scratch({kTile, kEntries}, narrow);
  pairedValues = scratch({kEntries / 2, 2 * width}, narrow);
  products = scratch({kTile, width}, wide);
  if (ofRows) {
    packedQueries = scratch({kTile, width}, narrow);
    pairedKeys = scratch({width / 2, 2 * kEntries}, narrow);
  } else {
    pairedQueries = scratch({width / 2, 2 * kTile}, narrow);
    copiedKeys = scratch({kEntries, width}, narrow);
    columns = scratch({kEntries, kTile}, wide);
  }
}

/// Blocks of p, the last one with what is left.
void AttentionTiles::eachBlock(
    llvm::function_ref<void(Value p, int64_t count)> body) {
  int64_t rest = size % kBlock;
  each(zero, index(size - rest), kBlock, [&](Value p) { body(p, kBlock); });
  if (rest != 0) {
    body(index(size - rest), rest);
  }
}

/// `count` tiles of sums over `extent` numbers.
SmallVector<Value> AttentionTiles::multiply(
    int64_t count, int64_t extent,
    llvm::function_ref<void(Value p, MutableArrayRef<Value>)> step) {
  SmallVector<Value> totals;
  for (int64_t i = 0; i < count; ++i) {
    totals.push_back(amx::TileZeroOp::create(b, loc, sums));
  }
  return loop(zero, index(extent), kBlock, totals,
              [&](Value p, ValueRange before) {
                SmallVector<Value> after(before);
                step(p, after);
                return after;
              });
}

/// Entries 2j and 2j + 1 side by side; zeros where there are no more.
void AttentionTiles::pairValues(Value keyHead, Value base, Value count) {
  Value zeros = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(bf16s(kBlock),
                             b.getFloatAttr(b.getBF16Type(), 0)));
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < kBlock / 2; ++i) {
    low.append({i, i + kBlock});
    high.append({i + kBlock / 2, i + kBlock / 2 + kBlock});
  }
  auto pair = [&](Value j, bool both) {
    Value first = add(base, mul(j, 2));
    eachBlock([&](Value p, int64_t block) {
      if (!ofRows && both) { // the next keys: a row alone waits for memory
        prefetch(op.getKeys(), keyHead, add(first, kEntries), mul(p, 2),
                 2 * block);
      }
      Value even = stored(op.getValues(), keyHead, first, p, block),
            odd = both
                      ? stored(op.getValues(), keyHead, add(first, 1), p, block)
                      : zeros;
      Value column = mul(p, 2);
      for (auto [order, at] :
           {std::pair{ArrayRef(low), column}, {high, add(column, kBlock)}}) {
        vector::StoreOp::create(
            b, loc, vector::ShuffleOp::create(b, loc, even, odd, order),
            pairedValues, ValueRange{j, at});
      }
    });
  };
  Value pairs = half(count), filled = half(add(count, 1));
  each(zero, pairs, 1, [&](Value j) { pair(j, true); });
  each(pairs, filled, 1, [&](Value j) { pair(j, false); });
  each(filled, index(kEntries / 2), 1, [&](Value j) {
    each(zero, index(2 * width), kBlock, [&](Value column) {
      vector::StoreOp::create(b, loc, zeros, pairedValues,
                              ValueRange{j, column});
    });
  });
}

/// products = rounded weights * values.
void AttentionTiles::multiplyValues(const Tile &of) {
  auto columnsFrom = [&](Value p, int64_t count) {
    SmallVector<Value> totals =
        multiply(count, kEntries, [&](Value j, MutableArrayRef<Value> before) {
          Value weight = loadNumbers(rounded, {zero, j});
          for (auto [n, total] : llvm::enumerate(before)) {
            if (!ofRows && fetchesEarly()) {
              prefetch(op.getValues(), of.keyHead, add(of.base, kEntries),
                       add(mul(add(p, j), kEntries / 2),
                           static_cast<int64_t>(n) * kTile * kTile),
                       kTile * kTile);
            }
            Value column = add(mul(p, 2), static_cast<int64_t>(n) * kBlock);
            Value value = loadNumbers(pairedValues, {half(j), column});
            total = amx::TileMulFOp::create(b, loc, sums, weight, value, total);
          }
        });
    for (auto [n, total] : llvm::enumerate(totals)) {
      amx::TileStoreOp::create(
          b, loc, products,
          ValueRange{zero, add(p, static_cast<int64_t>(n) * kTile)}, total);
    }
  };
  constexpr int64_t most = 4; // tiles of sums, of eight registers
  int64_t rest = width % (most * kTile);
  each(zero, index(width - rest), most * kTile,
       [&](Value p) { columnsFrom(p, most); });
  if (rest != 0) {
    columnsFrom(index(width - rest), rest / kTile);
  }
}

/// y <- shrink * y + products.
void AttentionTiles::update(const Tile &of) {
  Value count = of.present ? of.present : index(of.count);
  each(zero, count, 1, [&](Value i) {
    Value shrink = memref::LoadOp::create(b, loc, shrinks, i),
          unit = memref::LoadOp::create(b, loc, units, i);
    Value row = of.ofRows ? add(of.row, i) : of.row,
          head = of.ofRows ? of.head : add(of.head, i);
    Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, shrink,
                                      f32(kBlind));
    when(any, [&] {
      Value factor = arith::DivFOp::create(b, loc, f32(1), unit);
      auto part = [&](Value p, int64_t count) {
        VectorType type = vectorOf(count);
        SmallVector<Value> at{row, head, p};
        Value y = vector::LoadOp::create(b, loc, type, op.getY(), at);
        y = arith::MulFOp::create(b, loc, y, spread(type, shrink));
        Value product =
            vector::LoadOp::create(b, loc, type, products, ValueRange{i, p});
        y = vector::FMAOp::create(b, loc, product, spread(type, factor), y);
        vector::StoreOp::create(b, loc, y, op.getY(), at);
      };
      int64_t rest = size % kTile;
      each(zero, index(size - rest), kTile, [&](Value p) { part(p, kTile); });
      if (rest != 0) {
        part(index(size - rest), rest);
      }
    });
  });
}

void AttentionTiles::attend(const Tile &of, llvm::function_ref<void()> score) {
  score();
  when(softmax(of), [&] {
    multiplyValues(of);
    update(of);
  });
}

void AttentionTiles::attendRows(Value all, Value end) {
  each(zero, index(heads / headsPerKey), 1, [&](Value keyHead) {
    Value first = mul(keyHead, headsPerKey);
    each(zero, end, kEntries, [&](Value base) {
      Value count = arith::MinUIOp::create(
          b, loc, index(kEntries), arith::SubIOp::create(b, loc, end, base));
      pairKeys(keyHead, base, count);
      pairValues(keyHead, base, count);
      each(first, add(first, headsPerKey), 1, [&](Value head) {
        each(zero, all, kTile, [&](Value row) {
          Value present = arith::MinUIOp::create(
              b, loc, index(kTile), arith::SubIOp::create(b, loc, all, row));
          // Rows see ever more entries.
          Value last = add(row, arith::SubIOp::create(b, loc, present, one));
          Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                            seenBy(last, base, count), zero);
          when(any, [&] {
            // All entries, as those that a row does not see weigh nothing.
            Tile of{kTile, /*ofRows=*/true, row,    head, keyHead, base,
                    count, index(kEntries), present};
            attend(of, [&] {
              packQueries(of);
              scoreRows();
            });
          });
        });
      });
    });
  });
}

void AttentionTiles::attendHeads(Value row, Value firstHead, int64_t count,
                                 Value keyHead) {
  if (fetchesEarly()) {
    each(zero, index(kEntries / 2), 1,
         [&](Value j) { prefetch(op.getValues(), keyHead, j, zero, size); });
  }
  pairQueries(row, firstHead, count);
  Value entries = memref::DimOp::create(b, loc, op.getKeys(), one),
        end = seenBy(row, zero, entries);
  each(zero, end, kEntries, [&](Value base) {
    Value left = arith::MinUIOp::create(
        b, loc, index(kEntries), arith::SubIOp::create(b, loc, end, base));
    Tile of{count, /*ofRows=*/false, row,    firstHead, keyHead, base,
            left,  index(kEntries),  Value()};
    attend(of, [&] {
      scoreHeads(of);
      pairValues(keyHead, base, left);
    });
  });
}

void AttentionTiles::lower() {
  Value all = memref::DimOp::create(b, loc, op.getQuery(), zero),
        entries = memref::DimOp::create(b, loc, op.getKeys(), one);
  lastEntry = arith::SubIOp::create(b, loc, entries, one);
  if (ofRows) {
    return whenAny(all, [&] {
      Value last = arith::SubIOp::create(b, loc, all, one);
      attendRows(all, seenBy(last, zero, entries));
    });
  }
  each(zero, all, 1, [&](Value row) {
    each(zero, index(heads / headsPerKey), 1, [&](Value keyHead) {
      Value first = mul(keyHead, headsPerKey);
      for (int64_t from = 0; from < headsPerKey; from += kTile) {
        attendHeads(row, add(first, from), std::min(headsPerKey - from, kTile),
                    keyHead);
      }
    });
  });
}

bool cheems::suitsAttentionTiles(OnlineAttentionOp op) {
  return op.getAllowBf16() ||
         cast<MemRefType>(op.getKeys().getType()).getElementType().isBF16();
}

void cheems::lowerAttentionTiles(OnlineAttentionOp op, const VectorUnit &unit,
                                 OpBuilder &b) {
  AttentionTiles(b, op, unit).lower();
}
