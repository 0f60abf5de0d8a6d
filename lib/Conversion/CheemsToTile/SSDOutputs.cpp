// Outputs of a prompt's chunks on tensor cores: what rows take from the state
// before the chunk, and from its rows. The decays between rows meet the product
// of gates in registers.
#include "AttentionKernels.h"
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// k of one instruction of tensor cores, and of one access.
constexpr int64_t kDepth = 16, kWidth = 8;

/// One kernel. A warp has rows of its own.
class Outputs {
public:
  Outputs(TileBuilder &t, const SSDStrategy &s, const SSDShape &shape,
          const SSDMemory &memory, const SSDPassed &passed)
      : t(t), s(s), shape(shape), memory(memory), passed(passed) {
    Type f32 = t.b.getF32Type();
    bf16 = t.b.getBF16Type();
    auto tile = [&](int64_t rows, int64_t columns, Type element,
                    FragmentRole role) {
      return t.tileType(
          {rows, columns}, element,
          FragmentAttr::get(t.b.getContext(), role, s.warps, 1, 1, 2));
    };
    products = tile(s.rows, s.rows, f32, FragmentRole::C);
    outputs = tile(s.rows, s.columns, f32, FragmentRole::C);
    weights = tile(s.rows, s.rows, bf16, FragmentRole::A);
    left = tile(s.rows, kDepth, bf16, FragmentRole::A);
    gateTile = tile(s.rows, kDepth, bf16, FragmentRole::B);
    right = tile(s.columns, kDepth, bf16, FragmentRole::B);
    inputTile = tile(s.columns, s.rows, bf16, FragmentRole::B);
    gateB = t.alloc({1, s.rows, s.depth}, bf16, /*swizzled=*/true);
    gateC = t.alloc({1, s.rows, s.depth}, bf16, /*swizzled=*/true);
    states = t.alloc({1, s.depth, s.columns}, bf16, /*swizzled=*/true);
    inputs = t.alloc({1, s.rows, s.columns}, bf16, /*swizzled=*/true);
  }

  void build() {
    int64_t pieces = int64_t(llvm::divideCeil(shape.size, s.columns));
    Value number = t.block(GridDimension::Y);
    Value segment = t.block(GridDimension::Z);
    SegmentRow row = loadSegment(t, memory.segments, segment, false);
    head = t.divide(number, pieces);
    column = t.mul(t.remainder(number, pieces), s.columns);
    chunk = SSDChunk::of(t, s.rows, row, segment, t.block(GridDimension::X),
                         t.extent(memory.step, 0));
    t.when(chunk.exists, [&] { buildRows(); });
  }

private:
  void buildRows() {
    Value zero = t.index(0);
    load(memory.x, head, column, shape.size, inputs, s.columns);
    SmallVector<Value> sums = t.loop(
        zero, t.index(shape.states), s.depth,
        {t.fill(products, 0), t.fill(outputs, 0)},
        [&](Value state, ValueRange now) { return addStates(state, now); });
    ChunkDecays decays{t, passed.decays, head, chunk};
    Value factors = weightsOfChunk(t, memory, decays, sums[0]);
    factors =
        arith::TruncFOp::create(t.b, t.withElement(products, bf16), factors);
    RankedTensorType perRow = t.sliceType(outputs, 1);
    ChunkDecays::Logarithm none{t.fill(perRow, 0), t.fill(perRow, 0)};
    Value fromStart = ChunkDecays::between(t, none, decays.rows(perRow));
    Value y = t.mul(sums[1], t.broadcast(fromStart, outputs));
    y = t.mma(t.convertLayout(factors, weights),
              t.readTransposed(inputTile, inputs, zero, zero, zero), y);
    storeOutput(
        t, y, memory.y,
        {{chunk.row, head, column}, {0, 2}, {chunk.past, t.index(shape.size)}},
        shape.alignedRow(t));
  }

  /// Rows of the chunk as bf16.
  void load(Value source, Value of, Value from, int64_t limit, Value buffer,
            int64_t columns) {
    int64_t across = columns / kWidth;
    auto layout = BlockedAttr::get(
        t.b.getContext(), s.warps * kWarpThreads / across, across, kWidth);
    auto type = t.tileType({s.rows, columns}, t.b.getF32Type(), layout);
    Value tile =
        t.load(type, source,
               {{chunk.row, of, from}, {0, 2}, {chunk.past, t.index(limit)}},
               alignmentOf(limit, t.b.getF32Type()));
    tile = arith::TruncFOp::create(t.b, t.withElement(type, bf16), tile);
    t.write(tile, buffer, t.index(0), t.index(0), t.index(0));
  }

  void loadStates(Value state) {
    Value zero = t.index(0);
    Place place{{chunk.number, head, state, column},
                {2, 3},
                {t.index(shape.states), t.index(shape.size)}};
    constexpr int64_t leastCopied = 4; // bytes
    int64_t aligned = alignmentOf(shape.size, bf16);
    if (aligned >= leastCopied) {
      t.copy(passed.carried, place, states, zero, aligned);
      t.commit();
      return;
    }
    int64_t across = s.columns / kWidth;
    auto layout = BlockedAttr::get(
        t.b.getContext(), s.warps * kWarpThreads / across, across, kWidth);
    auto type = t.tileType({s.depth, s.columns}, bf16, layout);
    t.write(t.load(type, passed.carried, place), states, zero, zero, zero);
  }

  /// Adds products over some rows of the state.
  SmallVector<Value> addStates(Value state, ValueRange now) {
    Value zero = t.index(0);
    // Nobody reads those before any more.
    BarrierOp::create(t.b);
    loadStates(state);
    Value group = t.divide(head, shape.headsPerGroup());
    load(memory.b.memory, group, state, shape.states, gateB, s.depth);
    load(memory.c.memory, group, state, shape.states, gateC, s.depth);
    t.waitForAll(0);
    Value within = now[0], carried = now[1];
    for (int64_t k = 0; k < s.depth; k += kDepth) {
      Value at = t.index(k);
      Value rows = t.read(left, gateC, zero, zero, at);
      within = t.mma(rows, t.read(gateTile, gateB, zero, zero, at), within);
      carried =
          t.mma(rows, t.readTransposed(right, states, zero, at, zero), carried);
    }
    return {within, carried};
  }

  TileBuilder &t;
  const SSDStrategy &s;
  const SSDShape &shape;
  const SSDMemory &memory;
  const SSDPassed &passed;
  Type bf16;
  RankedTensorType products, outputs, weights, left, gateTile, right, inputTile;
  Value gateB, gateC, states, inputs;
  Value head, column;
  SSDChunk chunk;
};
} // namespace

void cheems::tile::buildSSDOutputs(TileBuilder &t, const SSDStrategy &s,
                                   const SSDShape &shape,
                                   const SSDMemory &memory,
                                   const SSDPassed &passed) {
  Outputs(t, s, shape, memory, passed).build();
}
