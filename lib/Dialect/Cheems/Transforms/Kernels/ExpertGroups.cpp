// The sums of a group of rows by expert: pairs (row, expert) in the order of
// the experts' numbers, products of all pairs, their weights, then a strip of
// columns at a time the weighted rows, added to the pieces that they are of. A
// row of a table is read once a group. Within a piece experts are added in the
// order of their numbers, so that the bits are those of a row by itself where
// a head's experts ascend.
#include "ExpertMixing.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Pairs ahead of those worked on whose rows are asked for.
constexpr int64_t kAhead = 16;
} // namespace

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
    result.push_back(number(list, plus(first, i)));
  }
  return result;
}

void Mixing::eachPair(const Group &group,
                      function_ref<void(Value pair, Value expert)> body) {
  each(index(0), group.rows, 1, [&](Value r) {
    each(index(0), index(heads), 1, [&](Value h) {
      Value head = arith::AddIOp::create(b, loc, times(r, heads), h);
      each(index(0), index(count), 1, [&](Value i) {
        Value t = arith::AddIOp::create(b, loc, group.from, r);
        body(arith::AddIOp::create(b, loc, times(head, count), i),
             expert(t, h, i));
      });
    });
  });
}

// A counting sort.
void Mixing::sortPairs(const Group &group) {
  int64_t tables = cast<MemRefType>(op.getDown().getType()).getDimSize(0);
  auto next = [&](Value e, int64_t by) {
    setNumber(group.start, e, plus(number(group.start, e), by));
  };
  each(index(0), index(tables + 1), 1,
       [&](Value e) { setNumber(group.start, e, index(0)); });
  eachPair(group, [&](Value, Value e) { next(plus(e, 1), 1); });
  each(index(0), index(tables), 1, [&](Value e) {
    setNumber(group.start, plus(e, 1),
              arith::AddIOp::create(b, loc, number(group.start, e),
                                    number(group.start, plus(e, 1))));
  });
  eachPair(group, [&](Value pair, Value e) {
    Value place = number(group.start, e);
    setNumber(group.pair, place, pair);
    setNumber(group.expert, place, e);
    next(e, 1);
  });
  // What a last run of pairs lacks, and what is asked for behind it.
  Value last = number(group.expert, plus(group.pairs, -1));
  each(index(0), index(kPiece + kAhead), 1, [&](Value i) {
    Value place = arith::AddIOp::create(b, loc, group.pairs, i);
    setNumber(group.expert, place, last);
    setNumber(group.pair, place, place);
  });
}

void Mixing::multiplyPairs(const Group &group) {
  Value lastRow = plus(group.rows, -1);
  each(index(0), group.pairs, kPiece, [&](Value first) {
    SmallVector<Value> pairs = numbers(group.pair, first, kPiece), tokens, next;
    for (Value pair : pairs) {
      Value r = arith::DivUIOp::create(b, loc, pair, index(heads * count));
      tokens.push_back(arith::AddIOp::create(
          b, loc, group.from, arith::MinUIOp::create(b, loc, r, lastRow)));
    }
    if (far) {
      next = numbers(group.expert, plus(first, kAhead), kPiece);
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
      Value head = arith::AddIOp::create(b, loc, times(r, heads), h);
      auto weigh = [&](Value first, int64_t n) {
        Value at = arith::AddIOp::create(b, loc, times(head, count), first);
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

void Mixing::addPairs(const Group &group) {
  auto at = [&](Value slot, int64_t v) {
    return SmallVector<Value>{slot, index(v * kLanes)};
  };
  auto held = [&](Value slot, int64_t v) -> Value {
    return vector::LoadOp::create(b, loc, lanes, group.sum, at(slot, v));
  };
  auto hold = [&](Value sum, Value slot, int64_t v) {
    vector::StoreOp::create(b, loc, sum, group.sum, at(slot, v));
  };
  int64_t perRow = heads * pieces();
  columns(
      {},
      [&](Value d, int64_t vectors, Value mask,
          ValueRange) -> SmallVector<Value> {
        each(index(0), times(group.rows, perRow), 1, [&](Value slot) {
          for (int64_t v = 0; v < vectors; ++v) {
            hold(nothing(), slot, v);
          }
        });
        each(index(0), group.pairs, 1, [&](Value i) {
          Value pair = number(group.pair, i);
          if (far) {
            fetch(op.getUp(), number(group.expert, plus(i, kAhead)), d,
                  vectors * kLanes);
          }
          Value slot = arith::AddIOp::create(
              b, loc,
              times(arith::DivUIOp::create(b, loc, pair, index(count)),
                    pieces()),
              arith::DivUIOp::create(
                  b, loc, arith::RemUIOp::create(b, loc, pair, index(count)),
                  index(kPiece)));
          Value share =
              spread(lanes, memref::LoadOp::create(b, loc, group.weight, pair));
          SmallVector<Value> parts = columnsOfRow(
              op.getUp(), number(group.expert, i), d, vectors, mask);
          for (auto [v, part] : llvm::enumerate(parts)) {
            auto which = static_cast<int64_t>(v);
            hold(vector::FMAOp::create(b, loc, share, part, held(slot, which)),
                 slot, which);
          }
        });
        each(index(0), group.rows, 1, [&](Value r) {
          Value t = arith::AddIOp::create(b, loc, group.from, r);
          each(index(0), index(perRow), 1, [&](Value piece) {
            Value slot = arith::AddIOp::create(b, loc, times(r, perRow), piece);
            SmallVector<Value> sums;
            for (int64_t v = 0; v < vectors; ++v) {
              sums.push_back(held(slot, v));
            }
            for (auto [v, sum] : llvm::enumerate(inOrder(sums))) {
              addTo(t, sum, plus(d, static_cast<int64_t>(v) * kLanes), mask);
            }
          });
        });
        return {};
      });
}

void Mixing::mixGroups(Value rows, int64_t size) {
  Value blocks = arith::CeilDivUIOp::create(b, loc, rows, index(size));
  int64_t pairs = size * heads * count;
  int64_t tables = cast<MemRefType>(op.getDown().getType()).getDimSize(0);
  parallel({blocks}, [&](ValueRange at) {
    auto scratch = [&](ArrayRef<int64_t> shape, Type type) -> Value {
      return memref::AllocOp::create(b, loc, MemRefType::get(shape, type));
    };
    Group group;
    group.from = times(at[0], size);
    Value left = arith::SubIOp::create(b, loc, rows, group.from);
    group.rows = arith::MinUIOp::create(b, loc, left, index(size));
    group.pairs = times(group.rows, heads * count);
    group.start = scratch({tables + 1}, b.getI32Type());
    group.expert = scratch({pairs + kPiece + kAhead}, b.getI32Type());
    group.pair = scratch({pairs + kPiece + kAhead}, b.getI32Type());
    group.weight = scratch({pairs + kPiece + kAhead}, b.getF32Type());
    group.sum =
        scratch({size * heads * pieces(), step * kLanes}, b.getF32Type());
    sortPairs(group);
    multiplyPairs(group);
    weighPairs(group);
    addPairs(group);
  });
}
