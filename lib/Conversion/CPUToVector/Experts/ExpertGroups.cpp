// The sums of a group of rows, expert by expert. First come the pairs (row,
// expert) in the order of ids, then the products of all pairs and their
// weights. Then the weighted rows are added to their pieces, a strip of columns
// at a time. Pairs of one expert stand together, so a row of a table is fetched
// once per group. Within a piece, experts are added in the order of their ids.
// So if a head's ids ascend, the bits are those of a row by itself.
#include "ExpertMixing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Value Mixing::number(Value list, Value i) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    memref::LoadOp::create(b, loc, list, i));
}

void Mixing::setNumber(Value list, Value i, Value number) {
  memref::StoreOp::create(
      b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), number), list,
      i);
}

SmallVector<Value> Mixing::numbers(Value list, Value first, int64_t n) {
  SmallVector<Value> result;
  for (int64_t i = 0; i < n; ++i) {
    result.push_back(number(list, add(first, i)));
  }
  return result;
}

void Mixing::eachPair(const Group &group,
                      function_ref<void(Value pair, Value expert)> body) {
  each(index(0), group.rows, 1, [&](Value r) {
    each(index(0), index(heads), 1, [&](Value h) {
      Value head = arith::AddIOp::create(b, loc, mul(r, heads), h);
      each(index(0), index(count), 1, [&](Value i) {
        Value t = arith::AddIOp::create(b, loc, group.from, r);
        body(arith::AddIOp::create(b, loc, mul(head, count), i),
             expert(t, h, i));
      });
    });
  });
}

// A counting sort.
void Mixing::sortPairs(const Group &group) {
  int64_t tables = cast<MemRefType>(op.getDown().getType()).getDimSize(0);
  auto next = [&](Value e, int64_t by) {
    setNumber(group.start, e, add(number(group.start, e), by));
  };
  each(index(0), index(tables + 1), 1,
       [&](Value e) { setNumber(group.start, e, index(0)); });
  eachPair(group, [&](Value, Value e) { next(add(e, 1), 1); });
  each(index(0), index(tables), 1, [&](Value e) {
    setNumber(group.start, add(e, 1),
              arith::AddIOp::create(b, loc, number(group.start, e),
                                    number(group.start, add(e, 1))));
  });
  eachPair(group, [&](Value pair, Value e) {
    Value place = number(group.start, e);
    setNumber(group.pair, place, pair);
    setNumber(group.expert, place, e);
    next(e, 1);
  });
  // What a last run of pairs lacks, and what is asked for after it.
  Value last = number(group.expert, add(group.pairs, -1));
  each(index(0), index(kPiece + kPairsAhead), 1, [&](Value i) {
    Value place = arith::AddIOp::create(b, loc, group.pairs, i);
    setNumber(group.expert, place, last);
    setNumber(group.pair, place, place);
  });
}

void Mixing::multiplyPairs(const Group &group) {
  Value lastRow = add(group.rows, -1);
  each(index(0), group.pairs, kPiece, [&](Value first) {
    SmallVector<Value> pairs = numbers(group.pair, first, kPiece), tokens, next;
    for (Value pair : pairs) {
      Value r = arith::DivUIOp::create(b, loc, pair, index(heads * count));
      tokens.push_back(arith::AddIOp::create(
          b, loc, group.from, arith::MinUIOp::create(b, loc, r, lastRow)));
    }
    if (strategy.getFetch()) {
      next = numbers(group.expert, add(first, kPairsAhead), kPiece);
    }
    Value products = hits(tokens, numbers(group.expert, first, kPiece), next);
    for (auto [i, pair] : llvm::enumerate(pairs)) {
      Value product = vector::ExtractOp::create(
          b, loc, products, ArrayRef<int64_t>{static_cast<int64_t>(i)});
      memref::StoreOp::create(b, loc, product, group.weight, pair);
    }
  });
}

void Mixing::weighPairs(const Group &group) {
  auto type = VectorType::get({kPiece}, b.getF32Type());
  each(index(0), group.rows, 1, [&](Value r) {
    Value t = arith::AddIOp::create(b, loc, group.from, r);
    each(index(0), index(heads), 1, [&](Value h) {
      Softmax of = softmax(t, h);
      Value head = arith::AddIOp::create(b, loc, mul(r, heads), h);
      auto weigh = [&](Value first, int64_t n) {
        Value at = arith::AddIOp::create(b, loc, mul(head, count), first);
        SmallVector<Value> rows = experts(t, h, first, n);
        Value hit = scaled(
            vector::LoadOp::create(b, loc, type, group.weight, ValueRange{at}),
            /*up=*/false, rows);
        Value weight = scaled(weights(t, h, first, hit, of), /*up=*/true, rows);
        vector::MaskedStoreOp::create(b, loc, group.weight, at,
                                      inside(kPiece, index(n)), weight);
      };
      each(index(0), index(full() * kPiece), kPiece,
           [&](Value first) { weigh(first, kPiece); });
      if (rest()) {
        weigh(index(full() * kPiece), rest());
      }
    });
  });
}

void Mixing::placeWeights(const Group &group) {
  each(index(0), group.pairs, 1, [&](Value i) {
    Value pair = number(group.pair, i);
    memref::StoreOp::create(b, loc,
                            memref::LoadOp::create(b, loc, group.weight, pair),
                            group.share, i);
    Value head = arith::DivUIOp::create(b, loc, pair, index(count));
    Value place = arith::RemUIOp::create(b, loc, pair, index(count));
    Value piece = arith::DivUIOp::create(b, loc, place, index(kPiece));
    setNumber(group.pair, i,
              arith::AddIOp::create(b, loc, mul(head, pieces()), piece));
  });
}

void Mixing::addPairs(const Group &group) {
  int64_t perRow = heads * pieces();
  auto at = [&](Value piece, int64_t v) {
    return SmallVector<Value>{piece, index(v * kLanes)};
  };
  auto held = [&](Value piece, int64_t vectors) {
    SmallVector<Value> sums;
    for (int64_t v = 0; v < vectors; ++v) {
      sums.push_back(
          vector::LoadOp::create(b, loc, lanes, group.sum, at(piece, v)));
    }
    return sums;
  };
  auto hold = [&](Value piece, ArrayRef<Value> sums) {
    for (auto [v, sum] : llvm::enumerate(sums)) {
      vector::StoreOp::create(b, loc, sum, group.sum,
                              at(piece, static_cast<int64_t>(v)));
    }
  };
  columns(kStripVectors, {},
          [&](Value d, int64_t vectors, Value mask,
              ValueRange) -> SmallVector<Value> {
            each(index(0), mul(group.rows, perRow), 1, [&](Value piece) {
              hold(piece, SmallVector<Value>(vectors, zeros()));
            });
            each(index(0), group.pairs, 1, [&](Value i) {
              if (strategy.getFetch()) {
                fetch(op.getUp(), number(group.expert, add(i, kPairsAhead)), d,
                      vectors * kLanes);
              }
              Value piece = number(group.pair, i);
              Value share =
                  spread(lanes, memref::LoadOp::create(b, loc, group.share, i));
              SmallVector<Value> sums = held(piece, vectors);
              for (auto [sum, part] : llvm::zip_equal(
                       sums, columnsOfRow(op.getUp(), number(group.expert, i),
                                          d, vectors, mask))) {
                sum = vector::FMAOp::create(b, loc, share, part, sum);
              }
              hold(piece, sums);
            });
            each(index(0), group.rows, 1, [&](Value r) {
              Value t = arith::AddIOp::create(b, loc, group.from, r);
              each(index(0), index(perRow), 1, [&](Value of) {
                Value piece = arith::AddIOp::create(b, loc, mul(r, perRow), of);
                for (auto [v, sum] :
                     llvm::enumerate(inOrder(held(piece, vectors)))) {
                  addTo(t, sum, add(d, static_cast<int64_t>(v) * kLanes), mask);
                }
              });
            });
            return {};
          });
}

void Mixing::mixGroups(Value rows, int64_t most) {
  Value blocks = arith::CeilDivUIOp::create(b, loc, rows, index(most));
  int64_t pairs = most * heads * count;
  int64_t tables = cast<MemRefType>(op.getDown().getType()).getDimSize(0);
  parallel({blocks}, [&](ValueRange at) {
    auto scratch = [&](ArrayRef<int64_t> shape, Type type) -> Value {
      return memref::AllocOp::create(b, loc, MemRefType::get(shape, type));
    };
    Group group;
    group.from = mul(at[0], most);
    Value left = arith::SubIOp::create(b, loc, rows, group.from);
    group.rows = arith::MinUIOp::create(b, loc, left, index(most));
    group.pairs = mul(group.rows, heads * count);
    group.start = scratch({tables + 1}, b.getI32Type());
    group.expert = scratch({pairs + kPiece + kPairsAhead}, b.getI32Type());
    group.pair = scratch({pairs + kPiece + kPairsAhead}, b.getI32Type());
    group.weight = scratch({pairs + kPiece + kPairsAhead}, b.getF32Type());
    group.share = scratch({pairs}, b.getF32Type());
    group.sum = scratch({most * heads * pieces(), kStripVectors * kLanes},
                        b.getF32Type());
    sortPairs(group);
    multiplyPairs(group);
    weighPairs(group);
    placeWeights(group);
    addPairs(group);
  });
}
