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
  return t.alloc({1, kCopies, kBinRow}, t.b.getI32Type(), /*swizzled=*/false);
}

KeptPrefix::KeptPrefix(TileBuilder &t, WindowTileAttr s,
                       const AttentionShape &shape, const KeptChoice &choice,
                       Value bins, Value head, Value segmentNumber,
                       const SegmentRow &segment, Value rows)
    : t(t), s(s), shape(shape), choice(choice), bins(bins), head(head),
      segmentNumber(segmentNumber), segment(segment),
      entries(t.minimum(segment.position, t.index(shape.keep))), rows(rows) {
  auto layout =
      BlockedAttr::get(t.b.getContext(), 1, s.getThreads(), /*width=*/1);
  piece = t.tileType({1, s.getColumns()}, t.b.getI32Type(), layout);
  copies = t.tileType({kCopies, kBins}, t.b.getI32Type(), layout);
  all = t.tileType({1, kBins}, t.b.getI32Type(), layout);
}

SmallVector<Value> KeptPrefix::through(RankedTensorType goodness,
                                       ValueRange state, Body body) {
  SmallVector<Value> now =
      t.loop(t.index(0), entries, s.getColumns(), state,
             [&](Value entry, ValueRange now) {
               Value loaded =
                   t.load(goodness, choice.entryGoodness,
                          {{segmentNumber, head, entry}, {2}, {entries}});
               return body({false, entry, entries}, loaded, now);
             });
  Value past = t.add(segment.start, rows);
  return t.loop(
      segment.start, past, s.getColumns(), now, [&](Value row, ValueRange now) {
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

/// Counts how often each digit stands in those numbers that have the bits found
/// above the digit. The best digit comes first, so bits are inverted.
void KeptPrefix::count(Value shift, Value found) {
  RankedTensorType row = t.sliceType(piece, 0);
  Value copy = arith::AndIOp::create(t.b, t.indicesFrom(t.index(0), row, 0),
                                     t.fillInteger(row, kCopies - 1));
  through(row, {},
          [&](const Piece &, Value goodness, ValueRange) -> SmallVector<Value> {
            // What has other bits above the digit is past all digits.
            Value others =
                arith::XOrIOp::create(t.b, goodness, t.splat(row, found));
            t.tally(bins, t.index(0), copy,
                    arith::ShRUIOp::create(t.b, others, t.splat(row, shift)),
                    kBins);
            return {};
          });
}

/// How many there are up to each digit.
Value KeptPrefix::counts() {
  Value zero = t.index(0);
  Value each = t.read(copies, bins, zero, zero, zero);
  return t.prefixSum(t.broadcast(t.reduce(Combine::Add, each, 0), all));
}

/// The bound of so many, in so many digits: none, where no bound is needed.
KeptBound KeptPrefix::find(Value wanted, Value digits) {
  Type i32 = t.b.getI32Type();
  Value zero = t.index(0), zeros = t.fillInteger(all, 0);
  // Found bits are inverted ones of goodness: those below are all ones.
  SmallVector<Value> state = {t.integer(i32, 32 - kDigit), t.integer(i32, -1),
                              wanted};
  state = t.loop(
      zero, digits, 1, state, [&](Value, ValueRange now) -> SmallVector<Value> {
        Value shift = now[0], found = now[1], left = now[2];
        t.write(t.fillInteger(copies, 0), bins, zero, zero, zero);
        t.barrier();
        count(shift, found);
        t.barrier();
        Value upTo = counts();
        // Digits that are all taken, and how many they are.
        Value isTaken = t.isLess(upTo, t.splat(all, left));
        Value digit = t.element(t.reduce(Combine::Add, t.ones(isTaken), 1), 0);
        Value taken = t.element(
            t.reduce(Combine::Maximum, t.select(isTaken, upTo, zeros), 1), 0);
        // The digit's ones become its bits.
        Value bits = arith::ShLIOp::create(t.b, digit, shift);
        return {t.sub(shift, t.integer(i32, kDigit)),
                arith::XOrIOp::create(t.b, found, bits), t.sub(left, taken)};
      });
  return {state[1], state[1], state[2]};
}

KeptPrefix::Bounds KeptPrefix::best(Value kept, Value staying) {
  Type i32 = t.b.getI32Type();
  Value none = t.integer(i32, 0), zero = t.index(0);
  auto digitsIf = [&](Value isNeeded) {
    return t.select(isNeeded, t.index(kDigits), zero);
  };
  auto either = [&](Value condition, const KeptBound &a, const KeptBound &c) {
    return KeptBound{t.select(condition, a.least, c.least),
                     t.select(condition, a.tie, c.tie),
                     t.select(condition, a.ties, c.ties)};
  };
  Value isCut = t.isLess(kept, t.add(entries, rows));
  Value isSome = t.isLess(zero, staying);
  KeptBound ofKept = find(t.word(kept), digitsIf(isCut)),
            ofStaying = find(t.word(staying), digitsIf(isSome));
  // All that exists, and nothing.
  KeptBound whole{t.integer(i32, 1), none, none},
      nothing{t.integer(i32, -1), none, none};
  return {either(isCut, ofKept, whole), either(isSome, ofStaying, nothing)};
}
