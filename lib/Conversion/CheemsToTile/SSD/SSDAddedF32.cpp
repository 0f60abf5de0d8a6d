// What a chunk of a prompt adds to the state in f32: the matmul of b with
// decayed x, over its rows.
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// A block's piece of a head's state, and the chunk that it has.
struct Piece {
  Value head, group, state, column;
  SSDChunk chunk;

  static Piece of(TileBuilder &t, SSDTileAttr s, const SSDShape &shape,
                  const SSDMemory &memory) {
    int64_t across = int64_t(llvm::divideCeil(shape.size, s.getColumns()));
    int64_t down = int64_t(llvm::divideCeil(shape.states, s.getStates()));
    Value number = t.block(GridDimension::Y);
    Value segment = t.block(GridDimension::Z);
    SegmentRow row = loadSegment(t, memory.segments, segment, false);
    Piece piece;
    piece.head = t.divide(number, across * down);
    piece.group = t.divide(piece.head, shape.headsPerGroup());
    piece.state =
        t.mul(t.remainder(t.divide(number, across), down), s.getStates());
    piece.column = t.mul(t.remainder(number, across), s.getColumns());
    piece.chunk =
        SSDChunk::of(t, s.getRows(), row, segment, t.block(GridDimension::X),
                     t.extent(memory.step, 0));
    return piece;
  }

  /// Returns the place of b or x: rows of the chunk, from a column on, across.
  Place across(Value of, Value from, Value limit) const {
    return {{chunk.row, of, from}, {2, 0}, {limit, chunk.past}};
  }
  Place added(const SSDShape &shape, TileBuilder &t) const {
    return {{chunk.number, head, state, column},
            {2, 3},
            {t.index(shape.states), t.index(shape.size)}};
  }
};
} // namespace

void cheems::tile::buildSSDAddedF32(TileBuilder &t, SSDTileAttr s,
                                    const SSDShape &shape,
                                    const SSDMemory &memory,
                                    const SSDPassed &passed) {
  MLIRContext *context = t.b.getContext();
  Type f32 = t.b.getF32Type();
  int64_t threads = s.getWarps() * kWarpThreads;
  // Rows of buffers are columns of memory.
  auto tileOf = [&](int64_t columns) {
    int64_t down = std::min<int64_t>(columns, threads / 4);
    return t.tileType({columns, s.getRows()}, f32,
                      BlockedAttr::get(context, down, threads / down, 1));
  };
  Value gates =
      t.alloc({1, s.getStates(), s.getRows()}, f32, /*swizzled=*/true);
  Value inputs =
      t.alloc({1, s.getColumns(), s.getRows()}, f32, /*swizzled=*/true);
  Piece piece = Piece::of(t, s, shape, memory);
  t.when(piece.chunk.exists, [&] {
    Value zero = t.index(0);
    t.write(
        t.load(tileOf(s.getStates()), memory.b.memory,
               piece.across(piece.group, piece.state, t.index(shape.states))),
        gates, zero, zero, zero);
    RankedTensorType type = tileOf(s.getColumns());
    Value x =
        t.load(type, memory.x,
               piece.across(piece.head, piece.column, t.index(shape.size)));
    ChunkDecays decays{t, passed.decays, piece.head, piece.chunk};
    Value weights = decays.weights(t.sliceType(type, 0));
    t.write(t.mul(x, t.broadcast(weights, type)), inputs, zero, zero, zero);
    BarrierOp::create(t.b);
    auto layout = BlockedAttr::get(context, threads / 8, 8, 1);
    auto sums = t.tileType({s.getStates(), s.getColumns()}, f32, layout);
    Value added =
        FmaOp::create(t.b, sums, gates, zero, inputs, zero, t.fill(sums, 0));
    t.store(added, passed.added, piece.added(shape, t), sizeof(float));
  });
}
