// The best of a prefix: the bits of the last one of them, a digit at a time, by
// counting how often each digit occurs.
#include "KeptPrefix.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// Bits of a digit, and how many values it has.
constexpr int64_t kDigit = 8, kDigits = 32 / kDigit, kBins = 1 << kDigit;
/// Threads count apart, so that few of them wait for one that counts the same
/// digit. Copies of a bin are in different banks.
constexpr int64_t kCopies = 8, kBinRow = kBins + 1;
} // namespace

Value KeptPrefix::alloc(TileBuilder &t) {
  return t.alloc({2, kCopies, kBinRow}, t.b.getI32Type(), /*swizzled=*/false);
}

KeptPrefix::KeptPrefix(TileBuilder &t, const WindowStrategy &s,
                       const AttentionShape &shape, const KeptChoice &choice,
                       Value bins, Value head, Value segmentNumber,
                       const SegmentRow &segment, Value rows)
    : t(t), s(s), shape(shape), choice(choice), bins(bins), head(head),
      segmentNumber(segmentNumber), segment(segment),
      entries(t.minimum(segment.position, t.index(shape.keep))), rows(rows) {
  auto layout = BlockedAttr::get(t.b.getContext(), 1, s.threads, /*width=*/1);
  piece = t.tileType({1, s.columns}, t.b.getI32Type(), layout);
  copies = t.tileType({kCopies, kBins}, t.b.getI32Type(), layout);
  pair = t.tileType({2, kBins}, t.b.getI32Type(), layout);
}

SmallVector<Value> KeptPrefix::through(RankedTensorType goodness,
                                       ValueRange state, Body body) {
  SmallVector<Value> now = t.loop(
      t.index(0), entries, s.columns, state, [&](Value entry, ValueRange now) {
        Value loaded = t.load(goodness, choice.entryGoodness,
                              {{segmentNumber, head, entry}, {2}, {entries}});
        return body({false, entry, entries}, loaded, now);
      });
  Value past = t.add(segment.start, rows);
  return t.loop(
      segment.start, past, s.columns, now, [&](Value row, ValueRange now) {
        Value loaded =
            t.load(goodness, choice.rowGoodness, {{head, row}, {1}, {past}});
        return body({true, row, past}, loaded, now);
      });
}

Value KeptPrefix::numbersOf(const Piece &piece, RankedTensorType type) {
  return piece.ofRows
             ? t.indicesFrom(t.add(piece.first, shape.keep), type, 0)
             : t.load(type, choice.entryNumbers,
                      {{segmentNumber, head, piece.first}, {2}, {piece.past}});
}

void KeptPrefix::clear() {
  Value zeros = t.fillInteger(copies, 0);
  for (int64_t bound : {0, 1}) {
    t.write(zeros, bins, t.index(bound), t.index(0), t.index(0));
  }
}

/// Of what has the bits that were found above the digit, how often it has each
/// digit. The best digit comes first, so bits are inverted.
void KeptPrefix::count(Value shift, const Pair &found) {
  RankedTensorType row = t.sliceType(piece, 0);
  Value copy = arith::AndIOp::create(t.b, t.indicesFrom(t.index(0), row, 0),
                                     t.fillInteger(row, kCopies - 1));
  through(row, {},
          [&](const Piece &, Value goodness, ValueRange) -> SmallVector<Value> {
            for (int64_t bound : {0, 1}) {
              // What has other bits above the digit is past all digits.
              Value others = arith::XOrIOp::create(
                  t.b, goodness, t.splat(row, found[size_t(bound)]));
              t.tally(bins, t.index(bound), copy,
                      arith::ShRUIOp::create(t.b, others, t.splat(row, shift)),
                      kBins);
            }
            return {};
          });
}

/// How many there are up to each digit, of both bounds.
Value KeptPrefix::counts() {
  Value of[2];
  for (int64_t bound : {0, 1}) {
    Value all = t.read(copies, bins, t.index(bound), t.index(0), t.index(0));
    of[bound] = t.broadcast(t.reduce(Combine::Add, all, 0), pair);
  }
  Value isFirst = t.isEqual(IndicesOp::create(t.b, pair, uint64_t(0)),
                            t.fillInteger(pair, 0));
  return t.prefixSum(t.select(isFirst, of[0], of[1]));
}

KeptPrefix::Bounds KeptPrefix::best(Value kept, Value staying) {
  Type i32 = t.b.getI32Type();
  RankedTensorType each = t.sliceType(pair, 1);
  Value zero = t.integer(i32, 0), all = t.integer(i32, -1);
  Value isFirst = t.isEqual(IndicesOp::create(t.b, each, uint64_t(0)),
                            t.fillInteger(each, 0));
  // Found bits are inverted ones of goodness: those below are all ones.
  SmallVector<Value> state = {t.integer(i32, 32 - kDigit), all, all, kept,
                              staying};
  state = t.loop(
      t.index(0), t.index(kDigits), 1, state,
      [&](Value, ValueRange now) -> SmallVector<Value> {
        Value shift = now[0];
        Pair found = {now[1], now[2]}, wanted = {now[3], now[4]};
        clear();
        t.barrier();
        count(shift, found);
        t.barrier();
        Value upTo = counts();
        Value wants = t.broadcast(t.select(isFirst, t.splat(each, wanted[0]),
                                           t.splat(each, wanted[1])),
                                  pair);
        // Digits that are all taken, and how many they are.
        Value isTaken = t.isLess(upTo, wants);
        Value digits = t.reduce(Combine::Add, t.ones(isTaken), 1);
        Value taken =
            t.reduce(Combine::Maximum,
                     t.select(isTaken, upTo, t.fillInteger(pair, 0)), 1);
        SmallVector<Value> next = {t.sub(shift, t.integer(i32, kDigit))};
        for (int64_t bound : {0, 1}) {
          // The digit's ones become its bits.
          Value bits =
              arith::ShLIOp::create(t.b, t.element(digits, bound), shift);
          next.push_back(
              arith::XOrIOp::create(t.b, found[size_t(bound)], bits));
        }
        for (int64_t bound : {0, 1}) {
          next.push_back(t.sub(wanted[size_t(bound)], t.element(taken, bound)));
        }
        return next;
      });
  Value isNone = t.isEqual(staying, zero);
  return {{state[1], state[1], state[3]},
          {t.select(isNone, all, state[2]), t.select(isNone, zero, state[2]),
           state[4]}};
}
