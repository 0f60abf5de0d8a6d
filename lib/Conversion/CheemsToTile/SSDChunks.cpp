// Builds the ring of a segment's chunks.
#include "SSDChunks.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

SSDChunks::SSDChunks(TileBuilder &t, const SSDTilesStrategy &s, int64_t stages,
                     const SSDMemory &memory, const SSDPassed &passed)
    : t(t), s(s), stages(stages), memory(memory), passed(passed) {
  decayRing = t.alloc({stages, kDecayPlanes, s.rows}, t.b.getF32Type(),
                      /*swizzled=*/false);
}

void SSDChunks::enter(Value ofHead) {
  head = ofHead;
  number = t.block(GridDimension::Z);
  segment = loadSegment(t, memory.segments, number, /*oneRow=*/false);
  count = t.ceilDiv(segment.length, s.rows);
  stepRows = t.extent(passed.decays, 2);
}

SSDChunk SSDChunks::at(Value index) {
  return SSDChunk::of(t, s.rows, segment, number, index, stepRows);
}

Value SSDChunks::ring(int64_t columns) {
  return t.alloc({stages, s.rows, columns}, t.b.getBF16Type(),
                 /*swizzled=*/true);
}

void SSDChunks::fetch(const SSDChunk &chunk, Value source, Value of,
                      Value column, Value buffer, Value stage) {
  auto type = cast<MemRefType>(source.getType());
  int64_t size = type.getDimSize(2);
  int64_t aligned = alignmentOf(size, type.getElementType());
  Place place{{chunk.row, of, column}, {0, 2}, {chunk.past, t.index(size)}};
  constexpr int64_t leastCopied = 4; // bytes
  if (aligned >= leastCopied) {
    t.copy(source, place, buffer, stage, aligned);
    return;
  }
  constexpr int64_t width = 8;
  int64_t columns = cast<BufferType>(buffer.getType()).getColumns();
  int64_t across = columns / width, threads = s.warps * kWarpThreads;
  auto layout =
      BlockedAttr::get(t.b.getContext(), threads / across, across, width);
  auto tile = t.tileType({s.rows, columns}, type.getElementType(), layout);
  t.write(t.load(tile, source, place), buffer, stage, t.index(0), t.index(0));
}

void SSDChunks::fetchDecays(const SSDChunk &chunk, Value stage) {
  t.copy(passed.decays,
         {{t.index(0), head, chunk.row},
          {0, 2},
          {t.index(kDecayPlanes), chunk.past}},
         decayRing, stage, sizeof(float));
}

SmallVector<Value> SSDChunks::factsOf(Value index) {
  SSDChunk chunk = at(t.minimum(index, t.sub(count, t.index(1))));
  Value last = t.sub(chunk.past, t.index(1));
  auto logarithm = [&](int64_t plane) {
    return memref::LoadOp::create(t.b, passed.decays,
                                  ValueRange{t.index(plane), head, last});
  };
  return {memref::LoadOp::create(t.b, passed.wholes,
                                 ValueRange{chunk.number, head}),
          logarithm(kHighPlane), logarithm(kLowPlane)};
}

ChunkDecays SSDChunks::decaysOf(const SSDChunk &chunk, Value stage,
                                ValueRange facts) {
  return {t,     passed.decays,       head, chunk, decayRing,
          stage, {facts[1], facts[2]}};
}

Place cheems::tile::placeBeforeSpan(TileBuilder &t, const SSDShape &shape,
                                    const SegmentRow &segment,
                                    const SSDChunk &span, Value index,
                                    Value head, Value state, Value column) {
  // Before a sequence's first row.
  Value isLater = t.isLess(t.index(0), t.add(segment.position, index));
  Value known = t.select(isLater, t.index(shape.states), t.index(0));
  return {
      {span.number, head, state, column}, {2, 3}, {known, t.index(shape.size)}};
}

Value cheems::tile::roundToBF16(TileBuilder &t, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return arith::TruncFOp::create(t.b, t.withElement(type, t.b.getBF16Type()),
                                 tile);
}
