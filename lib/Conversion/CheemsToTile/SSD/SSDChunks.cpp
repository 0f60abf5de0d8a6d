// Builds the ring of a segment's chunks.
#include "SSDChunks.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

SSDChunks::SSDChunks(TileBuilder &t, SSDSpansAttr s, int64_t stages,
                     const SSDMemory &memory, const SSDPassed &passed)
    : t(t), s(s), stages(stages), memory(memory), passed(passed) {
  decayRing = t.alloc({stages, kDecayPlanes, s.getRows()}, t.b.getF32Type(),
                      /*swizzled=*/false);
}

void SSDChunks::enter(Value ofHead) {
  head = ofHead;
  number = t.block(GridDimension::Z);
  segment = loadSegment(t, memory.segments, number, /*oneRow=*/false);
  count = t.ceilDiv(segment.length, s.getRows());
  stepRows = t.extent(passed.decays, 2);
}

SSDChunk SSDChunks::at(Value index) {
  return SSDChunk::of(t, s.getRows(), segment, number, index, stepRows);
}

FactorBuffer SSDChunks::ring(int64_t columns) {
  return FactorBuffer::alloc(t, {stages, s.getRows(), columns}, s.getPairs());
}

Place SSDChunks::placeOf(const SSDChunk &chunk, Value source, Value of,
                         Value column) {
  int64_t size = cast<MemRefType>(source.getType()).getDimSize(2);
  return {{chunk.row, of, column}, {0, 2}, {chunk.past, t.index(size)}};
}

RankedTensorType SSDChunks::rowType(int64_t columns, Type element,
                                    int64_t width) {
  int64_t across = columns / width,
          threads = SSDSpansAttr::warps * kWarpThreads;
  auto layout =
      BlockedAttr::get(t.b.getContext(), threads / across, across, width);
  return t.tileType({s.getRows(), columns}, element, layout);
}

/// Bytes of accesses to a head's row.
static int64_t alignedRow(Value source) {
  auto type = cast<MemRefType>(source.getType());
  return alignmentOf(type.getDimSize(2), type.getElementType());
}

Value SSDChunks::loadRows(const SSDChunk &chunk, Value source, Value of,
                          Value column, const FactorBuffer &buffer) {
  constexpr int64_t width = 4;
  return t.load(rowType(buffer.columns(), t.b.getF32Type(), width), source,
                placeOf(chunk, source, of, column), alignedRow(source));
}

void SSDChunks::fetch(const SSDChunk &chunk, Value source, Value of,
                      Value column, const FactorBuffer &buffer, Value stage) {
  if (s.getPairs()) {
    loaded.push_back(
        {loadRows(chunk, source, of, column, buffer), buffer, stage});
    return;
  }
  Place place = placeOf(chunk, source, of, column);
  constexpr int64_t leastCopied = 4; // bytes
  if (alignedRow(source) >= leastCopied) {
    t.copy(source, place, buffer.high, stage, alignedRow(source));
    return;
  }
  constexpr int64_t width = 8;
  auto tile = rowType(buffer.columns(), t.b.getBF16Type(), width);
  t.write(t.load(tile, source, place), buffer.high, stage, t.index(0),
          t.index(0));
}

void SSDChunks::fetchInputs(const SSDChunk &chunk, Value column,
                            const FactorBuffer &plain,
                            const FactorBuffer &weighted, Value stage) {
  Value rows =
      loadRows(chunk, memory.x, head, column, plain.high ? plain : weighted);
  if (plain.high) {
    loaded.push_back({rows, plain, stage});
  }
  if (weighted.high) {
    loaded.push_back({rows, weighted, stage, chunk});
  }
}

void SSDChunks::finish() {
  for (const Loaded &each : loaded) {
    Value rows = each.rows;
    if (each.weighs) {
      auto type = cast<RankedTensorType>(rows.getType());
      ChunkDecays decays{t, passed.decays, head, *each.weighs};
      Value weights = decays.weights(t.sliceType(type, 1));
      rows = t.mul(rows, t.broadcast(weights, type));
    }
    each.buffer.write(t, Factor::of(t, rows, /*isPair=*/true), each.stage,
                      t.index(0), t.index(0));
  }
  loaded.clear();
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
