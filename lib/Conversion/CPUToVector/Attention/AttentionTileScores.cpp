// Scores on AMX tiles. Rows: queries stand in a tile's rows, and keys, which
// all rows share, are put in pairs first. Heads of one row: keys stand in a
// tile's rows as they are stored, and the few queries are put in pairs; that
// yields a column per head.
#include "AttentionTiles.h"

using namespace mlir;
using namespace cheems;

/// `count` numbers of a query, rounded, and zeros after them.
Value AttentionTiles::query(Value row, Value head, Value p, int64_t count) {
  Value part = vector::LoadOp::create(b, loc, vectorOf(count), op.getQuery(),
                                      ValueRange{row, head, p});
  return arith::TruncFOp::create(b, loc, bf16s(kBlock),
                                 padded(b, loc, part, kBlock));
}

/// `count` numbers of a key or value, and zeros after them.
Value AttentionTiles::stored(Value entries, Value keyHead, Value j, Value p,
                             int64_t count) {
  if (op.getKeyScales()) { // eight bits hold a code
    Value codes = padded(b, loc, load(entries, keyHead, j, p, count), kBlock);
    return arith::TruncFOp::create(b, loc, bf16s(kBlock), codes);
  }
  Value part = vector::LoadOp::create(b, loc, bf16s(count), entries,
                                      ValueRange{keyHead, j, p});
  if (count == kBlock) {
    return part;
  }
  // Words are integers: the back end knows no shuffles of few bf16.
  auto words = [&](int64_t length) {
    return VectorType::get({length}, b.getI16Type());
  };
  part = vector::BitCastOp::create(b, loc, words(count), part);
  return vector::BitCastOp::create(b, loc, bf16s(kBlock),
                                   padded(b, loc, part, kBlock));
}

/// Pairs of numbers become a column each.
void AttentionTiles::transposeWords(SmallVector<Value> rows, Value into,
                                    Value row, Value column) {
  auto words = VectorType::get({kTile}, b.getI32Type());
  for (Value &numbers : rows) {
    numbers = vector::BitCastOp::create(b, loc, words, numbers);
  }
  for (auto [i, pairs] : llvm::enumerate(transpose(b, loc, rows))) {
    vector::StoreOp::create(
        b, loc, vector::BitCastOp::create(b, loc, bf16s(kBlock), pairs), into,
        ValueRange{add(row, static_cast<int64_t>(i)), column});
  }
}

void AttentionTiles::packQueries(const Tile &of) {
  each(zero, of.present, 1, [&](Value i) {
    eachBlock([&](Value p, int64_t count) {
      vector::StoreOp::create(b, loc, query(add(of.row, i), of.head, p, count),
                              packedQueries, ValueRange{i, p});
    });
  });
}

void AttentionTiles::pairKeys(Value keyHead, Value base, Value count) {
  Value final = arith::SubIOp::create(b, loc, add(base, count), one);
  each(zero, count, kTile, [&](Value x) {
    SmallVector<Value> indices;
    for (int64_t i = 0; i < kTile; ++i) {
      // Past the end the last key is read again: nobody sees its column.
      indices.push_back(
          arith::MinUIOp::create(b, loc, add(add(base, x), i), final));
    }
    eachBlock([&](Value p, int64_t block) {
      SmallVector<Value> rows;
      for (Value j : indices) {
        rows.push_back(stored(op.getKeys(), keyHead, j, p, block));
      }
      transposeWords(rows, pairedKeys, half(p), mul(x, 2));
    });
  });
}

void AttentionTiles::scoreRows() {
  SmallVector<Value> scores =
      multiply(kGroups, width, [&](Value p, MutableArrayRef<Value> totals) {
        Value queries = loadNumbers(packedQueries, {zero, p});
        for (auto [n, total] : llvm::enumerate(totals)) {
          Value keys = loadNumbers(
              pairedKeys, {half(p), index(static_cast<int64_t>(n) * kBlock)});
          total = amx::TileMulFOp::create(b, loc, sums, queries, keys, total);
        }
      });
  for (auto [n, tile] : llvm::enumerate(scores)) {
    amx::TileStoreOp::create(
        b, loc, weights,
        ValueRange{zero, index(static_cast<int64_t>(n) * kTile)}, tile);
  }
}

void AttentionTiles::pairQueries(Value row, Value head, int64_t count) {
  Value zeros = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(bf16s(kBlock),
                             b.getFloatAttr(b.getBF16Type(), 0)));
  eachBlock([&](Value p, int64_t block) {
    SmallVector<Value> rows(kTile, zeros);
    for (int64_t i = 0; i < count; ++i) {
      rows[i] = query(row, add(head, i), p, block);
    }
    transposeWords(rows, pairedQueries, half(p), zero);
  });
}

/// Keys that do not fill 64 rows, or their tiles, as nothing is read past them;
/// and quantized values.
void AttentionTiles::copyKeys(Value keyHead, Value base, Value count) {
  each(zero, count, 1, [&](Value j) {
    eachBlock([&](Value p, int64_t block) {
      prefetch(op.getValues(), keyHead, add(base, j), p, block);
      vector::StoreOp::create(
          b, loc, stored(op.getKeys(), keyHead, add(base, j), p, block),
          copiedKeys, ValueRange{j, p});
    });
  });
}

/// Columns of scores with keys from `place` on; meanwhile a whole block's
/// values are fetched in the order in which they lie.
void AttentionTiles::scoreHeads(Value keys, ValueRange place,
                                const Tile *fetches) {
  SmallVector<Value> scores =
      multiply(kGroups, width, [&](Value p, MutableArrayRef<Value> totals) {
        Value queries = loadNumbers(pairedQueries, {half(p), zero});
        for (auto [n, total] : llvm::enumerate(totals)) {
          auto entry = static_cast<int64_t>(n) * kTile;
          if (fetches) {
            // The half that multiplying the block before did not fetch.
            int64_t late = fetchesEarly() ? kEntries / 2 : 0,
                    each = kEntries - late;
            prefetch(op.getValues(), fetches->keyHead, add(fetches->base, late),
                     add(mul(p, each), entry * kBlock * each / kEntries),
                     kTile * kBlock * each / kEntries);
          }
          SmallVector<Value> at(place);
          at.back() = add(at.back(), entry);
          at.push_back(p);
          total = amx::TileMulFOp::create(b, loc, sums, loadNumbers(keys, at),
                                          queries, total);
        }
      });
  for (auto [n, tile] : llvm::enumerate(scores)) {
    amx::TileStoreOp::create(
        b, loc, columns,
        ValueRange{index(static_cast<int64_t>(n) * kTile), zero}, tile);
  }
}

void AttentionTiles::scoreHeads(const Tile &of) {
  auto copied = [&] {
    copyKeys(of.keyHead, of.base, of.entries);
    scoreHeads(copiedKeys, {zero}, nullptr);
  };
  if (width != size || op.getKeyScales()) {
    copied();
  } else {
    Value whole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        of.entries, index(kEntries));
    auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scoreHeads(op.getKeys(), {of.keyHead, of.base}, &of);
    b.setInsertionPointToStart(branch.elseBlock());
    copied();
  }
  each(zero, index(kEntries), kTile, [&](Value x) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kTile; ++i) {
      rows.push_back(vector::LoadOp::create(b, loc, vectorOf(kTile), columns,
                                            ValueRange{add(x, i), zero}));
    }
    rows = transpose(b, loc, rows);
    for (int64_t i = 0; i < of.count; ++i) {
      vector::StoreOp::create(b, loc, rows[i], weights,
                              ValueRange{index(i), x});
    }
  });
}
