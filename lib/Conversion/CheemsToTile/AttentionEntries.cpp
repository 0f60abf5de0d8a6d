// How a step's keys, values and masks become entries of the pools.
#include "AttentionKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Halves of a tile's rows, from `entry` on.
static void storeHeads(TileBuilder &t, const AttentionShape &shape,
                       const HeadRows &heads, const HeadPlace &place,
                       RankedTensorType type, const Entries &entries,
                       Value entry, Value pool) {
  HalvesOfHeads::Halves halves =
      HalvesOfHeads(t, heads, place, shape.size, type).load(0);
  int64_t column = 0;
  for (Value tile : {halves.low, halves.high}) {
    if (!shape.stored.isF32()) {
      tile =
          arith::TruncFOp::create(t.b, t.withElement(type, shape.stored), tile);
    }
    Place to = entries.keys(t, entry, t.index(column), column + shape.half());
    t.store(tile, pool, to, alignmentOf(shape.half(), shape.stored));
    column += shape.half();
  }
}

/// Keys and values of rows of one state head.
static void storeKeysAndValues(TileBuilder &t, const RowStrategy &s,
                               const AttentionShape &shape,
                               const NewEntries &added, Value row, Value past,
                               const Entries &entries, Value entry) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  auto type = t.tileType({s.tileRows(), s.columns}, t.b.getF32Type(), layout);
  HeadPlace place{
      row, t.divide(entries.stateHead, shape.stateHeads / shape.keyHeads),
      past};
  const AttentionMemory &memory = entries.memory;
  storeHeads(t, shape, added.key, place, type, entries, entry, memory.keys);
  storeHeads(t, shape, added.value, place, type, entries, entry, memory.values);
}

void cheems::tile::buildStoreEntries(TileBuilder &t, const RowStrategy &s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory,
                                     const NewEntries &added) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  auto type = t.tileType({s.tileRows(), s.columns}, t.b.getF32Type(), layout);
  Value first = t.mul(t.block(GridDimension::X), s.tileRows());
  Value head = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Z), shape.oneRow);
  t.when(t.isLess(first, segment.length), [&] {
    Value row = t.add(segment.start, first);
    Value past = t.add(segment.start, segment.length);
    Entries entries{memory, segment.slot, head,
                    t.add(segment.position, segment.length)};
    Value entry = t.add(segment.position, first);
    storeKeysAndValues(t, s, shape, added, row, past, entries, entry);
    for (int64_t i = 0; i < shape.masksPerState(); ++i) {
      Value maskHead = t.add(t.mul(head, shape.masksPerState()), i);
      Value numbers = t.load(t.sliceType(type, 1), added.mask.values,
                             {{row, maskHead}, {0}, {past}});
      t.store(numbers, memory.masks, entries.mask(maskHead, entry));
    }
  });
}

void cheems::tile::storeOneEntry(TileBuilder &t, const RowStrategy &s,
                                 const AttentionShape &shape,
                                 const QueryRows &rows,
                                 const AttentionMemory &memory,
                                 const NewEntries &added) {
  Value row = rows.segment.start, entry = rows.segment.position;
  storeKeysAndValues(t, s, shape, added, row, t.add(row, 1),
                     rows.entries(memory), entry);
  Value first = t.mul(rows.stateHead, shape.masksPerState());
  Value past = t.add(first, shape.masksPerState());
  Value numbers;
  if (added.mask.isProduct()) {
    numbers = buildMaskProduct(t, added.mask, row, first, past,
                               shape.masksPerState(), s.warps());
  } else {
    auto layout =
        BlockedAttr::get(t.b.getContext(), 1, s.warps() * kWarpThreads, 1);
    auto type = t.tileType(
        {1, int64_t(llvm::alignTo(uint64_t(shape.masksPerState()),
                                  uint64_t(s.warps() * kWarpThreads)))},
        t.b.getF32Type(), layout);
    numbers = t.load(t.sliceType(type, 0), added.mask.values,
                     {{row, first}, {1}, {past}});
  }
  t.store(numbers, memory.masks,
          {{rows.segment.slot, memory.layer, first, entry}, {2}, {past}});
  BarrierOp::create(t.b);
}
