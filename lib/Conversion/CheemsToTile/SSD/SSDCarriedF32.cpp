// The state goes from chunk to chunk of a prompt in f32, always in ascending
// order: so its bits depend on the sequence alone.
#include "SSDKernels.h"
#include "Strategy/LoadsAhead.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. A block has a piece of one head's state.
class Carried {
public:
  Carried(TileBuilder &t, RowTileAttr s, int64_t chunkRows,
          const SSDShape &shape, const SSDMemory &memory,
          const SSDPassed &passed)
      : t(t), chunkRows(chunkRows), shape(shape), memory(memory),
        passed(passed) {
    auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                   s.getThreads(), s.getWidth());
    type = t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
    pieces = int64_t(llvm::divideCeil(shape.size, s.getColumns()));
  }

  void build() {
    Value piece = t.block(GridDimension::X);
    first = t.mul(t.divide(piece, pieces), type.getDimSize(0));
    column = t.mul(t.remainder(piece, pieces), type.getDimSize(1));
    head = t.block(GridDimension::Y);
    number = t.block(GridDimension::Z);
    segment = loadSegment(t, memory.segments, number, /*oneRow=*/false);
    rows = t.extent(memory.step, 0);
    states = t.index(shape.states);
    // What an earlier sequence left in the slot is not read.
    Value isLater = t.isLess(t.index(0), segment.position);
    Value state =
        t.load(type, memory.pool, inPool(t.select(isLater, states, t.index(0))),
               shape.alignedRow(t));
    state =
        t.loop(t.index(0), t.ceilDiv(segment.length, chunkRows), kChunksAhead,
               state, [&](Value index, ValueRange now) -> SmallVector<Value> {
                 return {takeChunks(index, now[0])};
               })[0];
    t.store(state, memory.pool, inPool(states), shape.alignedRow(t));
  }

private:
  Place inPool(Value past) {
    return {{segment.slot, memory.layer, head, first, column},
            {3, 4},
            {past, t.index(shape.size)}};
  }
  /// Nothing where there is no chunk.
  Place inChunk(const SSDChunk &chunk) {
    return {{chunk.number, head, first, column},
            {2, 3},
            {t.select(chunk.exists, states, t.index(0)), t.index(shape.size)}};
  }

  Value takeChunks(Value index, Value state) {
    SmallVector<SSDChunk> chunks;
    SmallVector<Value> added, wholes;
    for (int64_t next = 0; next < kChunksAhead; ++next) {
      SSDChunk chunk =
          SSDChunk::of(t, chunkRows, segment, number, t.add(index, next), rows);
      if (next > 0) {
        chunk.number = t.select(chunk.exists, chunk.number, chunks[0].number);
      }
      chunks.push_back(chunk);
      added.push_back(
          t.load(type, passed.added, inChunk(chunk), shape.alignedRow(t)));
      wholes.push_back(memref::LoadOp::create(t.b, passed.wholes,
                                              ValueRange{chunk.number, head}));
    }
    for (auto [chunk, more, whole] : llvm::zip_equal(chunks, added, wholes)) {
      t.store(state, passed.carried, inChunk(chunk), shape.alignedRow(t));
      Value next = t.fma(state, t.splat(type, whole), more);
      state = t.select(chunk.exists, next, state);
    }
    return state;
  }

  TileBuilder &t;
  int64_t chunkRows;
  const SSDShape &shape;
  const SSDMemory &memory;
  const SSDPassed &passed;
  RankedTensorType type;
  int64_t pieces; ///< of P
  Value first, column, head, number, rows, states;
  SegmentRow segment;
};
} // namespace

void cheems::tile::buildSSDCarriedF32(TileBuilder &t, RowTileAttr s,
                                      int64_t chunkRows, const SSDShape &shape,
                                      const SSDMemory &memory,
                                      const SSDPassed &passed) {
  Carried(t, s, chunkRows, shape, memory, passed).build();
}
