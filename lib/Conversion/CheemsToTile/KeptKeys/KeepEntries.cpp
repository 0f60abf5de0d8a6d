// What each row of a prompt sees of a window. Masks do not change, so what is
// kept before a block of rows is the best of all that stands before it, and no
// block needs another one. Then the rows of the block come, each of which
// drives out what is the worst one by then.
#include "Attention/AttentionKernels.h"
#include "Builder/FloatOrder.h"
#include "KeptPrefix.h"
#include "cheems/Conversion/CheemsToTile/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Two counts are summed in one number: of the second one the upper half.
constexpr int64_t kHalf = 16;
/// Nowhere, whatever the offset is that it is added to.
constexpr int64_t kNowhere = INT32_MIN / 2;

namespace {
class BlockLists {
public:
  BlockLists(TileBuilder &t, WindowTileAttr s, const AttentionShape &shape,
             const AttentionMemory &memory, const KeptChoice &choice,
             Value mask)
      : t(t), s(s), shape(shape), memory(memory), lists(memory.candidates),
        choice(choice), mask(mask) {
    MLIRContext *context = t.b.getContext();
    Type i32 = t.b.getI32Type();
    // A thread has neighbours, so that few sums go from thread to thread.
    pieces = t.tileType({1, s.getColumns()}, i32,
                        BlockedAttr::get(context, 1, s.getThreads(),
                                         s.getColumns() / s.getThreads()));
    // What may leave, and the rows: pairs of candidates and those that are
    // compared with them.
    int64_t across = s.getThreads() / kWindowRows / 2;
    candidates = t.tileType({2 * shape.block, s.getLeaving()}, i32,
                            BlockedAttr::get(context, 2 * kWindowRows, across,
                                             s.getLeaving() / across));
    each = t.sliceType(candidates, 1);
    some = t.sliceType(candidates, 0);
    auto columns = int64_t(
        llvm::alignTo(uint64_t(2 * shape.block), uint64_t(s.getThreads())));
    inRow =
        t.tileType({1, columns}, i32,
                   BlockedAttr::get(context, 1, s.getThreads(), /*width=*/1));
    bins = KeptPrefix::alloc(t);
    compared = t.alloc({1, 3, columns}, i32, /*swizzled=*/false);
  }

  void build() {
    Value number = t.block(GridDimension::X);
    head = t.block(GridDimension::Y);
    segmentNumber = t.block(GridDimension::Z);
    segment = loadSegment(t, memory.segments, segmentNumber, /*oneRow=*/false);
    block = WindowBlock::of(t, shape, segment, segmentNumber, number,
                            t.extent(lists.rowKeys, 3));
    row = t.add(segment.start, block.first);
    end = t.add(block.kept, block.count);
    t.when(t.isLess(block.first, segment.length), [&] {
      listEntries();
      listRows();
      // Other threads have stored what each one reads from here on.
      t.barrier();
      Value untils = findUntils();
      t.store(untils, lists.untils, listed(block.staying, end));
      storeReplaced(untils);
    });
  }

private:
  RankedTensorType f32(RankedTensorType type) {
    return t.withElement(type, t.b.getF32Type());
  }
  /// Numbers of the block's list.
  Place listed(Value first, Value past) {
    return {{block.list, head, first}, {2}, {past}};
  }
  /// How good candidates are in a part of the list, and `none` after it:
  /// becomes a row of what is compared.
  void keepGoodness(Value first, Value past, int64_t none, int64_t to) {
    RankedTensorType type = t.sliceType(inRow, 0);
    Value masks = t.load(f32(type), lists.masks, listed(first, past));
    Value exists =
        t.isLess(t.indicesFrom(first, type, 0), t.splatIndex(type, past));
    Value goodness =
        t.select(exists, goodnessOf(t, t.bitcast(masks, t.b.getI32Type())),
                 t.fillInteger(type, none));
    t.write(t.broadcast(goodness, inRow), compared, t.index(0), t.index(to),
            t.index(0));
  }
  Value readGoodness(RankedTensorType type, int64_t row, Value first) {
    return t.broadcast(t.read(type, compared, t.index(0), t.index(row), first),
                       candidates);
  }

  /// Sums over a row, of two conditions at once.
  struct Counted {
    Value first, second;       ///< how many there are before each column
    Value firstAll, secondAll; ///< in all, i32
  };
  Counted count(Value first, Value second) {
    auto type = cast<RankedTensorType>(t.withElement(
        cast<RankedTensorType>(first.getType()), t.b.getI32Type()));
    auto low = [&](Value number, Value bits) {
      return arith::AndIOp::create(t.b, number, bits);
    };
    auto high = [&](Value number, Value bits) {
      return arith::ShRUIOp::create(t.b, number, bits);
    };
    Value both =
        t.add(t.ones(first), t.select(second, t.fillInteger(type, 1 << kHalf),
                                      t.fillInteger(type, 0)));
    Value sums = t.prefixSum(both);
    Value before = t.sub(sums, both);
    // Sums grow from column to column.
    Value all = t.element(t.reduce(Combine::Maximum, sums, 1), 0);
    Type i32 = t.b.getI32Type();
    int64_t lowBits = (1 << kHalf) - 1;
    return {low(before, t.fillInteger(type, lowBits)),
            high(before, t.fillInteger(type, kHalf)),
            low(all, t.integer(i32, lowBits)),
            high(all, t.integer(i32, kHalf))};
  }

  /// Whether elements are among the best.
  /// \param before how many of its ties come before each.
  Value isAmong(const KeptBound &bound, Value goodness, Value isTie,
                Value before) {
    Value isLate = t.isAtLeast(before, t.splat(pieces, bound.ties));
    Value out = t.both(isTie, isLate);
    Value no = t.fillInteger(t.withElement(pieces, t.b.getI1Type()), 0);
    return t.select(out, no,
                    t.isAtLeast(goodness, t.splat(pieces, bound.least)));
  }

  /// Lists what is kept before the block in the order of positions. Entries
  /// that may leave come after those that stay.
  void listEntries() {
    KeptPrefix prefix(t, s, shape, choice, bins, head, segmentNumber, segment,
                      block.first);
    KeptPrefix::Bounds best = prefix.best(block.kept, block.staying);
    Value zero = t.integer(t.b.getI32Type(), 0);
    RankedTensorType flat = t.sliceType(pieces, 0);
    auto plus = [&](Value numbers, Value number) {
      return t.add(numbers, t.splat(pieces, number));
    };
    prefix.through(
        flat, {zero, zero, zero, t.word(block.staying)},
        [&](const KeptPrefix::Piece &piece, Value loaded,
            ValueRange now) -> SmallVector<Value> {
          Value goodness = t.broadcast(loaded, pieces);
          Value isTie = t.isEqual(goodness, t.splat(pieces, best.kept.tie));
          Value isStaysTie =
              t.isEqual(goodness, t.splat(pieces, best.staying.tie));
          Counted ties = count(isTie, isStaysTie);
          Value kept =
              isAmong(best.kept, goodness, isTie, plus(ties.first, now[0]));
          Value stays = isAmong(best.staying, goodness, isStaysTie,
                                plus(ties.second, now[1]));
          Value no = t.fillInteger(t.withElement(pieces, t.b.getI1Type()), 0);
          Value leaves = t.select(stays, no, kept);
          Counted found = count(stays, leaves);
          Value slot = t.select(stays, plus(found.first, now[2]),
                                t.select(leaves, plus(found.second, now[3]),
                                         t.fillInteger(pieces, kNowhere)));
          scatterPiece(prefix, piece, loaded, t.asRow(slot));
          return {t.add(now[0], ties.firstAll), t.add(now[1], ties.secondAll),
                  t.add(now[2], found.firstAll),
                  t.add(now[3], found.secondAll)};
        });
    t.each(t.index(0), block.staying, s.getColumns(), [&](Value first) {
      t.store(t.fillInteger(flat, shape.block), lists.untils,
              listed(first, block.staying));
    });
  }

  void scatterPiece(KeptPrefix &prefix, const KeptPrefix::Piece &piece,
                    Value goodness, Value slots) {
    auto type = cast<RankedTensorType>(goodness.getType());
    Value zero = t.index(0);
    SmallVector<Value> list = {block.list, head, zero};
    Value numbers = prefix.numbersOf(piece, type);
    t.scatter(numbers, lists.numbers, list, slots, 2);
    t.scatter(t.bitcast(bitsOfGoodness(t, goodness), t.b.getF32Type()),
              lists.masks, list, slots, 2);
    if (!shape.isQuantized()) {
      return;
    }
    for (auto [pool, ofRows, to] :
         {std::tuple(memory.keyScales, lists.rowKeyScales, lists.keyScales),
          std::tuple(memory.valueScales, lists.rowValueScales,
                     lists.valueScales)}) {
      Value scales =
          piece.ofRows
              ? t.load(f32(type), ofRows,
                       {{zero, zero, head, piece.first}, {3}, {piece.past}})
              : t.gather(f32(type), pool,
                         {{segment.slot, memory.layer, head, zero}, {3}},
                         numbers);
      t.scatter(scales, to, list, slots, 2);
    }
  }

  /// The rows of the block, after the entries.
  void listRows() {
    Value past = t.add(row, block.count);
    Place to = listed(block.kept, end);
    t.store(t.load(f32(each), mask, {{row, head}, {0}, {past}}), lists.masks,
            to);
    t.store(t.indicesFrom(t.add(row, shape.keep), each, 0), lists.numbers, to);
    if (shape.isQuantized()) {
      Value zero = t.index(0);
      Place from{{zero, zero, head, row}, {3}, {past}};
      t.store(t.load(f32(each), lists.rowKeyScales, from), lists.keyScales, to);
      t.store(t.load(f32(each), lists.rowValueScales, from), lists.valueScales,
              to);
    }
  }

  /// The rows of the block from which on candidates are hidden; candidates are
  /// those that may leave, and then the rows. A candidate leaves with the row
  /// after which as many are better as the window keeps.
  Value findUntils() {
    keepGoodness(block.staying, end, /*none=*/0, kCandidates);
    keepGoodness(block.kept, end, /*none=*/0, kRows);
    // Nothing is better than all ones.
    keepGoodness(block.staying, block.kept, /*none=*/-1, kLeaving);
    t.barrier();
    Value number = t.indicesFrom(t.index(0), each, 0);
    Value own = readGoodness(each, kCandidates, t.index(0));
    Value ownNumber = t.broadcast(number, candidates);
    Value zeros = t.fillInteger(candidates, 0);
    // Among equal ones the later position is worse: what is after a candidate
    // is below a number that is greater by one.
    Value next = t.add(own, t.fillInteger(candidates, 1));
    Value worse =
        t.reduce(Combine::Add,
                 t.loop(t.index(0), block.leaving, s.getLeaving(), zeros,
                        [&](Value first, ValueRange now) -> SmallVector<Value> {
                          Value other = readGoodness(some, kLeaving, first);
                          Value numbers = t.indicesFrom(first, some, 0);
                          Value isAfter = t.isLess(
                              ownNumber, t.broadcast(numbers, candidates));
                          Value least = t.select(isAfter, next, own);
                          return {t.add(now[0], t.ones(isBelow(other, least)))};
                        })[0],
                 1);
    Value room = t.sub(t.index(shape.keep), block.kept);
    Value leaving = t.splatIndex(each, block.leaving);
    Value needed = t.add(t.add(worse, t.splatIndex(each, room)),
                         t.ones(t.isLess(number, leaving)));
    Value needs = t.broadcast(needed, candidates);
    SmallVector<Value> seen = t.loop(
        t.index(0), block.count, s.getLeaving(),
        {t.fillInteger(each, 0), zeros},
        [&](Value first, ValueRange now) -> SmallVector<Value> {
          Value other = readGoodness(some, kRows, first);
          Value others = t.broadcast(
              t.indicesFrom(t.add(block.leaving, first), some, 0), candidates);
          // Equal rows before a candidate are better than it.
          Value isEarlier = t.isLess(others, ownNumber);
          Value most = t.sub(own, t.ones(isEarlier));
          Value better = t.add(t.prefixSum(t.ones(isBelow(most, other))),
                               t.broadcast(now[0], candidates));
          Value sees = t.either(isEarlier, t.isLess(better, needs));
          return {t.reduce(Combine::Maximum, better, 1),
                  t.add(now[1], t.ones(sees))};
        });
    Value until = t.reduce(Combine::Add, seen[1], 1);
    Value isGone = t.isLess(until, t.splatIndex(each, block.count));
    return t.select(isGone, until, t.fillInteger(each, shape.block));
  }
  Value isBelow(Value a, Value c) {
    return arith::CmpIOp::create(t.b, arith::CmpIPredicate::ult, a, c);
  }

  /// What leaves when a row comes; a row that finds room is its own entry.
  void storeReplaced(Value untils) {
    SmallVector<Value> at = {head, row};
    Value number = t.indicesFrom(t.index(0), each, 0);
    Value nowhere = t.fillInteger(each, kNowhere);
    Value exists =
        t.isLess(number, t.splatIndex(each, t.add(block.leaving, block.count)));
    Value isGone =
        t.both(exists, t.isLess(untils, t.fillInteger(each, shape.block)));
    Value numbers = t.load(each, lists.numbers, listed(block.staying, end));
    t.scatter(numbers, choice.replaced, at, t.select(isGone, untils, nowhere),
              1);
    Value own = t.sub(number, t.splatIndex(each, block.leaving));
    Value entry = t.add(own, t.splatIndex(each, block.base));
    Value finds = t.both(t.isLess(t.fillInteger(each, -1), own),
                         t.isLess(entry, t.fillInteger(each, shape.keep)));
    t.scatter(entry, choice.replaced, at,
              t.select(t.both(finds, exists), own, nowhere), 1);
  }

  TileBuilder &t;
  WindowTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const Candidates &lists;
  const KeptChoice &choice;
  Value mask;
  RankedTensorType pieces, candidates, each, some, inRow;
  Value bins, compared;
  /// Rows of `compared`.
  static constexpr int64_t kCandidates = 0, kRows = 1, kLeaving = 2;
  Value head, segmentNumber, row, end;
  SegmentRow segment;
  WindowBlock block;
};
} // namespace

void cheems::tile::buildKeepEntries(TileBuilder &t, WindowTileAttr s,
                                    const AttentionShape &shape,
                                    const AttentionMemory &memory,
                                    const KeptChoice &choice, Value mask) {
  BlockLists(t, s, shape, memory, choice, mask).build();
}
