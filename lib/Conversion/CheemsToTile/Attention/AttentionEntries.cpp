// How a step's keys, values and masks become entries of the pools.
#include "AttentionKernels.h"
#include "Builder/RowQuantization.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Halves of a tile's rows, from `entry` on.
static void storeHeads(TileBuilder &t, const AttentionShape &shape,
                       const HeadRows &heads, const HeadPlace &place,
                       RankedTensorType type, const Entries &entries,
                       Value entry, Value pool, Value scales) {
  HalvesOfHeads::Halves halves =
      HalvesOfHeads(t, heads, place, shape.size, type).load(0);
  RowQuantization codes;
  if (shape.isQuantized()) {
    codes = RowQuantization::of(
        t, t.maximum(RowQuantization::greatest(t, halves.low),
                     RowQuantization::greatest(t, halves.high)));
    t.store(codes.scale, scales, entries.numbers(t, entry));
  }
  int64_t column = 0;
  for (Value tile : {halves.low, halves.high}) {
    if (shape.isQuantized()) {
      tile = codes.codes(t, tile);
    } else if (!shape.stored.isF32()) {
      tile =
          arith::TruncFOp::create(t.b, t.withElement(type, shape.stored), tile);
    }
    Place to = entries.keys(t, entry, t.index(column), column + shape.half());
    t.store(tile, pool, to, alignmentOf(shape.half(), shape.stored));
    column += shape.half();
  }
}

/// Keys and values of rows of one state head.
static void storeKeysAndValues(TileBuilder &t, RowTileAttr s,
                               const AttentionShape &shape,
                               const NewEntries &added, Value row, Value past,
                               const Entries &entries, Value entry) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  auto type =
      t.tileType({s.tileRows(), s.getColumns()}, t.b.getF32Type(), layout);
  HeadPlace place{
      row, t.divide(entries.stateHead, shape.stateHeads / shape.keyHeads),
      past};
  const AttentionMemory &memory = entries.memory;
  storeHeads(t, shape, added.key, place, type, entries, entry, memory.keys,
             memory.keyScales);
  storeHeads(t, shape, added.value, place, type, entries, entry, memory.values,
             memory.valueScales);
}

/// Mask values of rows from `first` on, of one head of A.
static Value masksOfRows(TileBuilder &t, const AttentionShape &shape,
                         const NewEntries &added, RankedTensorType perRow,
                         Value first, Value past, Value maskHead) {
  if (shape.visible.empty()) {
    return t.load(perRow, added.mask.values, {{first, maskHead}, {0}, {past}});
  }
  Value sees = seesRows(t, shape, maskHead);
  return sees ? t.splat(perRow, t.select(sees, t.f32(1), t.f32(0)))
              : t.fill(perRow, 1);
}

/// Stores where an entry of a window comes from.
static void storePosition(TileBuilder &t, RowTileAttr s, const Entries &entries,
                          Value entry, Value position) {
  if (!entries.memory.positions) {
    return;
  }
  auto layout =
      BlockedAttr::get(t.b.getContext(), 1, s.warps() * kWarpThreads, 1);
  auto one = t.sliceType(
      t.tileType({1, s.warps() * kWarpThreads}, t.b.getI32Type(), layout), 1);
  t.store(t.splatIndex(one, position), entries.memory.positions,
          {{entries.slot, entries.memory.layer, entries.stateHead, entry},
           {3},
           {t.add(entry, 1)}});
}

/// Rows of one state head from `first` on, all that follow or one, to entries
/// from `entry` on.
static void storeRows(TileBuilder &t, RowTileAttr s,
                      const AttentionShape &shape, const NewEntries &added,
                      Value first, Value past, const Entries &entries,
                      Value entry) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  auto type =
      t.tileType({s.tileRows(), s.getColumns()}, t.b.getF32Type(), layout);
  storeKeysAndValues(t, s, shape, added, first, past, entries, entry);
  for (int64_t i = 0; shape.storesMasks() && i < shape.masksPerState(); ++i) {
    Value maskHead = t.add(t.mul(entries.stateHead, shape.masksPerState()), i);
    t.store(masksOfRows(t, shape, added, t.sliceType(type, 1), first, past,
                        maskHead),
            entries.memory.masks, entries.mask(maskHead, entry));
  }
}

void cheems::tile::buildStoreEntries(TileBuilder &t, RowTileAttr s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory,
                                     const NewEntries &added) {
  Value first = t.mul(t.block(GridDimension::X), s.tileRows());
  Value head = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Z), shape.oneRow);
  Value exist = t.isLess(first, segment.length);
  if (Value sees = isSeen(t, shape, head)) {
    exist = arith::AndIOp::create(t.b, exist, sees);
  }
  t.when(exist, [&] {
    Value row = t.add(segment.start, first);
    Value past = t.add(segment.start, segment.length);
    Entries entries{memory, segment.slot, head,
                    t.add(segment.position, segment.length), shape.window != 0};
    Value entry = t.add(segment.position, first);
    if (!shape.window) {
      storeRows(t, s, shape, added, row, past, entries, entry);
      return;
    }
    // Up to the end of the ring, and then from its beginning on.
    Value room = t.sub(t.extent(memory.keys, 3), entries.inRing(t, entry));
    Value beyond = t.add(row, room);
    Entries before = entries;
    before.count = t.minimum(entries.count, t.add(entry, room));
    storeRows(t, s, shape, added, row, t.minimum(past, beyond), before, entry);
    if (s.tileRows() > 1) {
      Value goesOn = arith::AndIOp::create(
          t.b, t.isLess(beyond, past), t.isLess(room, t.index(s.tileRows())));
      t.when(goesOn, [&] {
        storeRows(t, s, shape, added, beyond, past, entries,
                  t.add(entry, room));
      });
    }
  });
}

void cheems::tile::buildStoreRows(TileBuilder &t, RowTileAttr s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory,
                                  const NewEntries &added) {
  Value first = t.mul(t.block(GridDimension::X), s.tileRows());
  Value head = t.block(GridDimension::Y);
  SegmentRow segment = loadSegment(t, memory.segments,
                                   t.block(GridDimension::Z), /*oneRow=*/false);
  t.when(t.isLess(first, segment.length), [&] {
    Value row = t.add(segment.start, first);
    Value past = t.add(segment.start, segment.length);
    AttentionMemory rows;
    rows.layer = t.index(0);
    rows.keys = memory.candidates.rowKeys;
    rows.values = memory.candidates.rowValues;
    rows.keyScales = memory.candidates.rowKeyScales;
    rows.valueScales = memory.candidates.rowValueScales;
    Entries entries{rows, t.index(0), head, past};
    storeKeysAndValues(t, s, shape, added, row, past, entries, row);
  });
}

void cheems::tile::buildStorePlaced(TileBuilder &t, RowTileAttr s,
                                    const AttentionShape &shape,
                                    const AttentionMemory &memory,
                                    const NewEntries &added) {
  Value first = t.mul(t.block(GridDimension::X), s.getTimes());
  Value head = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Z), shape.oneRow);
  Value past = t.minimum(t.add(first, s.getTimes()), segment.length);
  RowTileAttr one = s.withTimes(1);
  t.each(first, past, 1, [&](Value number) {
    Value row = t.add(segment.start, number);
    Value place = loadIndex(t, memory.indices, {row, head});
    // The index of a row that is not stored is after all entries.
    t.when(t.isLess(place, t.extent(memory.keys, 3)), [&] {
      Value next = t.add(row, 1);
      Entries entries{memory, segment.slot, head, t.add(place, 1)};
      storeRows(t, one, shape, added, row, next, entries, place);
      storePosition(t, one, entries, place, t.add(segment.position, number));
    });
  });
}

/// The masks of the one row that becomes an entry.
static void storeOneMask(TileBuilder &t, RowTileAttr s,
                         const AttentionShape &shape, const QueryRows &rows,
                         const Entries &entries, const NewEntries &added) {
  Value row = rows.segment.start, entry = rows.ownPlace;
  Value first = t.mul(rows.stateHead, shape.masksPerState());
  Value past = t.add(first, shape.masksPerState());
  Place place{
      {rows.segment.slot, entries.memory.layer, first, entry}, {2}, {past}};
  if (added.mask.isMatmul()) {
    t.store(buildMaskMatmul(t, added.mask, row, first, past,
                            shape.masksPerState(), s.warps()),
            entries.memory.masks, place);
  } else if (shape.visible.empty()) {
    auto layout =
        BlockedAttr::get(t.b.getContext(), 1, s.warps() * kWarpThreads, 1);
    auto type = t.tileType(
        {1, int64_t(llvm::alignTo(uint64_t(shape.masksPerState()),
                                  uint64_t(s.warps() * kWarpThreads)))},
        t.b.getF32Type(), layout);
    t.store(t.load(t.sliceType(type, 0), added.mask.values,
                   {{row, first}, {1}, {past}}),
            entries.memory.masks, place);
  } else {
    auto layout =
        BlockedAttr::get(t.b.getContext(), 1, kWarpThreads * s.warps(), 1);
    auto type = t.sliceType(
        t.tileType({1, kWarpThreads * s.warps()}, t.b.getF32Type(), layout), 1);
    for (int64_t i = 0; i < shape.masksPerState(); ++i) {
      Value maskHead = t.add(first, i);
      t.store(masksOfRows(t, shape, added, type, row, t.add(row, 1), maskHead),
              entries.memory.masks, entries.mask(maskHead, entry));
    }
  }
}

void cheems::tile::storeOneEntry(TileBuilder &t, RowTileAttr s,
                                 const AttentionShape &shape,
                                 const QueryRows &rows,
                                 const AttentionMemory &memory,
                                 const NewEntries &added) {
  Value row = rows.segment.start, entry = rows.ownPlace;
  Entries entries = rows.entries(memory);
  if (memory.positions) {
    entries.count = t.add(entry, 1); // it is not the last one
  }
  storeKeysAndValues(t, s, shape, added, row, t.add(row, 1), entries, entry);
  storePosition(t, s, entries, entry, rows.segment.position);
  if (shape.storesMasks()) {
    storeOneMask(t, s, shape, rows, entries, added);
  }
  BarrierOp::create(t.b);
}
