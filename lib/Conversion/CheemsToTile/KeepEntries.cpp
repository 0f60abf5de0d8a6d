// Which entries of a window each row of a prompt sees, and which rows become
// entries. Rows are taken one after the other, as in decoding: a row that is
// kept takes the place of the worst entry. A block of threads has the window of
// one state head in registers, an entry to a column.
#include "AttentionKernels.h"
#include "KeptEntries.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
class WindowRows {
public:
  WindowRows(TileBuilder &t, const RowStrategy &s, const AttentionShape &shape,
             const AttentionMemory &memory, Value mask)
      : t(t), shape(shape), memory(memory), lists(memory.candidates),
        mask(mask), entries(t, s, shape) {
    tile = entries.type();
    auto columns =
        int64_t(llvm::alignTo(uint64_t(shape.block), uint64_t(s.threads)));
    rowTile = t.tileType({1, columns}, t.b.getI32Type(), tile.getEncoding());
  }

  void build() {
    head = t.block(GridDimension::X);
    nextHead = t.add(head, 1);
    segmentNumber = t.block(GridDimension::Y);
    segment = loadSegment(t, memory.segments, segmentNumber, /*oneRow=*/false);
    KeptEntries::State before = entries.load(memory, segment, head);
    SmallVector<Value> after =
        t.loop(t.index(0), t.ceilDiv(segment.length, shape.block), 1,
               {before.badness, before.position},
               [&](Value number, ValueRange now) -> SmallVector<Value> {
                 KeptEntries::State state = takeBlock(number, {now[0], now[1]});
                 return {state.badness, state.position};
               });
    store({after[0], after[1]});
  }

private:
  /// A number per column, of a tile of one row.
  Value columnsOf(Value numbers) {
    return t.reduce(Combine::Maximum, numbers, 0);
  }
  Value isPast(Value numbers, Value limit) {
    return arith::CmpIOp::create(t.b, arith::CmpIPredicate::sge, numbers,
                                 t.splatIndex(tile, limit));
  }
  /// Entries or rows of a block's lists, from a candidate on.
  Place listed(const WindowBlock &block, Value first, Value past) {
    return {{block.list, head, first}, {1, 2}, {nextHead, past}};
  }
  Value rowOf(const WindowBlock &block) {
    return t.add(segment.start, block.first);
  }

  KeptEntries::State takeBlock(Value number, KeptEntries::State state) {
    WindowBlock block = WindowBlock::of(t, shape, segment, segmentNumber,
                                        number, t.extent(lists.rowKeys, 3));
    listEntries(block, state);
    listRows(block);
    Value end = t.add(block.base, block.count), zero = t.index(0);
    Value fits = t.isLess(end, t.index(shape.keep + 1));
    // While there is room, entry e is row e.
    SmallVector<Value> now =
        t.loop(zero, t.select(fits, t.index(1), zero), 1,
               {state.badness, state.position},
               [&](Value, ValueRange now) -> SmallVector<Value> {
                 return appended(block, end, now);
               });
    Value never = t.index(shape.block);
    now.append({t.splatIndex(tile, never), t.splatIndex(rowTile, never),
                loadMask(rowOf(block))});
    now = t.loop(zero, t.select(fits, zero, block.count), 1, now,
                 [&](Value row, ValueRange now) -> SmallVector<Value> {
                   return takeRow(block, row, now);
                 });
    t.store(now[2], lists.untils, listed(block, zero, block.kept));
    t.store(now[3], lists.untils,
            listed(block, block.kept, t.add(block.kept, block.count)));
    return {now[0], now[1]};
  }

  /// What is kept before a block, in the order of the pool.
  void listEntries(const WindowBlock &block, const KeptEntries::State &state) {
    Place place = listed(block, t.index(0), block.kept);
    t.store(entries.masksOf(state), lists.masks, place);
    Value isOld =
        t.isLess(state.position, t.splatIndex(tile, segment.position));
    Value row = rowOfPosition(state.position);
    t.store(t.select(isOld, entries.column(),
                     t.add(row, t.fillInteger(tile, shape.keep))),
            lists.numbers, place);
    if (shape.hasCodes()) {
      t.store(scalesOf(memory.keyScales, lists.rowKeyScales, isOld, row),
              lists.keyScales, place);
      t.store(scalesOf(memory.valueScales, lists.rowValueScales, isOld, row),
              lists.valueScales, place);
    }
  }

  /// The number in the step of the row that has a position.
  Value rowOfPosition(Value position) {
    return t.add(t.sub(position, t.splatIndex(tile, segment.position)),
                 t.splatIndex(tile, segment.start));
  }

  /// Scales of the entries where they are: in the pool, or those of rows.
  Value scalesOf(Value pool, Value rows, Value isOld, Value row) {
    Value none = t.fillInteger(tile, -1);
    auto f32 = t.withElement(tile, t.b.getF32Type());
    Value zero = t.index(0);
    Value isKept = t.isLess(entries.column(), t.fillInteger(tile, shape.keep));
    Value ofPool = t.gather(
        f32, pool, {{segment.slot, memory.layer, head, zero}, {2, 3}},
        columnsOf(t.select(t.both(isOld, isKept), entries.column(), none)));
    Value ofRows = t.gather(f32, rows, {{zero, zero, head, zero}, {2, 3}},
                            columnsOf(t.select(isOld, none, row)));
    return t.select(isOld, ofPool, ofRows);
  }

  /// The rows of a block, behind the entries.
  void listRows(const WindowBlock &block) {
    Value row = rowOf(block), past = t.add(row, block.count);
    Place place = listed(block, block.kept, t.add(block.kept, block.count));
    auto f32 = t.withElement(rowTile, t.b.getF32Type());
    Place masks{{row, head}, {1, 0}, {nextHead, past}};
    t.store(t.load(f32, mask, masks), lists.masks, place);
    Value number = IndicesOp::create(t.b, rowTile, uint64_t(1));
    t.store(t.add(number, t.splatIndex(rowTile, t.add(row, shape.keep))),
            lists.numbers, place);
    if (shape.hasCodes()) {
      Value zero = t.index(0);
      Place scales{{zero, zero, head, row}, {2, 3}, {nextHead, past}};
      t.store(t.load(f32, lists.rowKeyScales, scales), lists.keyScales, place);
      t.store(t.load(f32, lists.rowValueScales, scales), lists.valueScales,
              place);
    }
  }

  /// Entries with a block's rows, of which none is dropped.
  SmallVector<Value> appended(const WindowBlock &block, Value end,
                              ValueRange now) {
    Value column = entries.column();
    Value isNew = t.both(isPast(column, block.base),
                         t.isLess(column, t.splatIndex(tile, end)));
    Value rows =
        t.select(isNew, rowOfPosition(column), t.fillInteger(tile, -1));
    Value masks = t.gather(t.withElement(tile, t.b.getF32Type()), mask,
                           {{t.index(0), head}, {1, 0}}, columnsOf(rows));
    return {t.select(isNew, entries.badnessOf(masks), now[0]),
            t.select(isNew, column, now[1])};
  }

  Value loadMask(Value row) {
    return t.load(t.withElement(entries.one(), t.b.getF32Type()), mask,
                  {{row, head}, {0}, {t.add(segment.start, segment.length)}});
  }

  /// One row: entries, until when they and the block's rows are seen, and the
  /// next row's mask.
  SmallVector<Value> takeRow(const WindowBlock &block, Value row,
                             ValueRange now) {
    Value next = loadMask(t.add(rowOf(block), t.add(row, 1)));
    Value position = t.add(block.base, row);
    KeptEntries::Taken taken = entries.take(
        {now[0], now[1]}, now[4], t.splatIndex(entries.one(), position));
    Value here = t.splatIndex(tile, row);
    Value isGone = t.both(taken.isReplaced, t.isLess(here, now[2]));
    // Whose position it was: an entry's of before the block, or a row's.
    Value gone = t.broadcast(taken.gone, rowTile);
    Value positions = t.indicesFrom(block.base, rowTile, 1);
    return {taken.state.badness, taken.state.position,
            t.select(isGone, here, now[2]),
            t.select(t.isEqual(positions, gone), t.splatIndex(rowTile, row),
                     now[3]),
            next};
  }

  /// The pools after the step, but for keys and values.
  void store(const KeptEntries::State &state) {
    Value count =
        t.minimum(t.add(segment.position, segment.length), t.index(shape.keep));
    Place place{{segment.slot, memory.layer, head, t.index(0)},
                {2, 3},
                {nextHead, count}};
    t.store(entries.masksOf(state), memory.masks, place);
    t.store(state.position, memory.positions, place);
    if (shape.hasCodes()) {
      Value isOld =
          t.isLess(state.position, t.splatIndex(tile, segment.position));
      Value row = rowOfPosition(state.position);
      for (auto [pool, rows] :
           {std::pair(memory.keyScales, lists.rowKeyScales),
            std::pair(memory.valueScales, lists.rowValueScales)}) {
        t.store(scalesOf(pool, rows, isOld, row), pool, place);
      }
    }
  }

  TileBuilder &t;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const Candidates &lists;
  Value mask;
  KeptEntries entries;
  RankedTensorType tile, rowTile;
  Value head, nextHead, segmentNumber;
  SegmentRow segment;
};
} // namespace

void cheems::tile::buildKeepEntries(TileBuilder &t, const RowStrategy &s,
                                    const AttentionShape &shape,
                                    const AttentionMemory &memory, Value mask) {
  WindowRows(t, s, shape, memory, mask).build();
}
