// Keys and values of rows that became entries of a window.
#include "Attention/AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// A row of keys or values, as it is stored.
static void copyEntry(TileBuilder &t, const AttentionShape &shape, Value rows,
                      Value row, Value pool, const Entries &entries,
                      Value entry) {
  int64_t bytes = shape.stored.getIntOrFloatBitWidth() / 8;
  int64_t width = std::max<int64_t>(1, shape.alignedEntry() / bytes);
  int64_t step = kWarpThreads * width;
  auto layout = BlockedAttr::get(t.b.getContext(), 1, kWarpThreads, width);
  auto type = t.tileType(
      {1, int64_t(llvm::alignTo(uint64_t(shape.size), uint64_t(step)))},
      shape.stored, layout);
  AttentionMemory all;
  all.layer = t.index(0);
  Value zero = t.index(0);
  Entries from{all, zero, entries.stateHead, t.add(row, 1)};
  t.store(t.load(type, rows, from.keys(t, row, zero, shape.size),
                 shape.alignedEntry()),
          pool, entries.keys(t, entry, zero, shape.size), shape.alignedEntry());
}

void cheems::tile::buildMoveKept(TileBuilder &t, int64_t entries,
                                 const AttentionShape &shape,
                                 const AttentionMemory &memory) {
  Value first = t.mul(t.block(GridDimension::X), entries);
  Value head = t.block(GridDimension::Y);
  SegmentRow segment = loadSegment(t, memory.segments,
                                   t.block(GridDimension::Z), /*oneRow=*/false);
  Value count =
      t.minimum(t.add(segment.position, segment.length), t.index(shape.keep));
  auto positionOf = [&](Value entry) {
    return loadIndex(t, memory.positions,
                     {segment.slot, memory.layer, head, entry});
  };
  Value past = t.minimum(t.add(first, entries), count);
  // Positions of the step are past those of before it.
  auto isNew = [&](Value entry) {
    return t.isLess(t.sub(positionOf(entry), segment.position), segment.length);
  };
  // All are asked for at once, because most blocks have no new entry.
  Value any;
  for (int64_t i = 0; i < entries; ++i) {
    Value entry = t.minimum(t.add(first, i), t.sub(past, t.index(1)));
    any = any ? arith::OrIOp::create(t.b, any, isNew(entry)).getResult()
              : isNew(entry);
  }
  Value here = t.both(t.isLess(first, count), any);
  t.when(here, [&] {
    t.each(first, past, 1, [&](Value entry) {
      t.when(isNew(entry), [&] {
        Value row =
            t.add(segment.start, t.sub(positionOf(entry), segment.position));
        Entries to{memory, segment.slot, head, t.add(entry, 1)};
        copyEntry(t, shape, memory.candidates.rowKeys, row, memory.keys, to,
                  entry);
        copyEntry(t, shape, memory.candidates.rowValues, row, memory.values, to,
                  entry);
      });
    });
  });
}
