// Outputs of a prompt's chunks in f32: no tensor cores, no rounding.
#include "Attention/AttentionKernels.h"
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Threads have the rows of matmuls of buffers; weights go
/// through shared memory between the two matmuls.
class ExactOutputs {
public:
  ExactOutputs(TileBuilder &t, SSDTileAttr s, const SSDShape &shape,
               const SSDMemory &memory, const SSDPassed &passed)
      : t(t), s(s), shape(shape), memory(memory), passed(passed) {
    Type f32 = t.b.getF32Type();
    int64_t threads = s.getWarps() * kWarpThreads;
    // Eight neighbours read eight rows of a buffer, in different banks.
    auto layout = BlockedAttr::get(t.b.getContext(), threads / 8, 8, 1);
    products = t.tileType({s.getRows(), s.getRows()}, f32, layout);
    outputs = t.tileType({s.getRows(), s.getColumns()}, f32, layout);
    int64_t down = std::min<int64_t>(s.getColumns(), threads / 4);
    auto across = BlockedAttr::get(t.b.getContext(), down, threads / down, 1);
    stateTile = t.tileType({s.getColumns(), s.getDepth()}, f32, across);
    inputTile = t.tileType({s.getColumns(), s.getRows()}, f32, across);
    gateB = t.alloc({1, s.getRows(), s.getDepth()}, f32, /*swizzled=*/true);
    gateC = t.alloc({1, s.getRows(), s.getDepth()}, f32, /*swizzled=*/true);
    states = t.alloc({1, s.getColumns(), s.getDepth()}, f32, /*swizzled=*/true);
    inputs = t.alloc({1, s.getColumns(), s.getRows()}, f32, /*swizzled=*/true);
    weights = t.alloc({1, s.getRows(), s.getRows()}, f32, /*swizzled=*/true);
  }

  void build() {
    int64_t pieces = int64_t(llvm::divideCeil(shape.size, s.getColumns()));
    Value number = t.block(GridDimension::Y);
    Value segment = t.block(GridDimension::Z);
    SegmentRow row = loadSegment(t, memory.segments, segment, false);
    head = t.divide(number, pieces);
    column = t.mul(t.remainder(number, pieces), s.getColumns());
    chunk = SSDChunk::of(t, s.getRows(), row, segment,
                         t.block(GridDimension::X), t.extent(memory.step, 0));
    t.when(chunk.exists, [&] { buildRows(); });
  }

private:
  void buildRows() {
    Value zero = t.index(0), size = t.index(shape.size);
    // Columns of memory are rows of the buffer.
    t.write(t.load(inputTile, memory.x,
                   {{chunk.row, head, column}, {2, 0}, {size, chunk.past}}),
            inputs, zero, zero, zero);
    SmallVector<Value> sums = t.loop(
        zero, t.index(shape.states), s.getDepth(),
        {t.fill(products, 0), t.fill(outputs, 0)},
        [&](Value state, ValueRange now) { return addStates(state, now); });
    ChunkDecays decays{t, passed.decays, head, chunk};
    t.write(weightsOfChunk(t, memory, decays, sums[0]), weights, zero, zero,
            zero);
    BarrierOp::create(t.b);
    RankedTensorType perRow = t.sliceType(outputs, 1);
    ChunkDecays::Logarithm none{t.fill(perRow, 0), t.fill(perRow, 0)};
    Value fromStart = ChunkDecays::between(t, none, decays.rows(perRow));
    Value y = t.mul(sums[1], t.broadcast(fromStart, outputs));
    y = FmaOp::create(t.b, outputs, weights, zero, inputs, zero, y);
    storeOutput(t, y, memory.y,
                {{chunk.row, head, column}, {0, 2}, {chunk.past, size}},
                sizeof(float));
  }

  /// Adds matmuls over some rows of the state.
  SmallVector<Value> addStates(Value state, ValueRange now) {
    Value zero = t.index(0), all = t.index(shape.states);
    // Nobody reads those before any more.
    BarrierOp::create(t.b);
    Value group = t.divide(head, shape.headsPerGroup());
    for (auto [source, buffer] : {std::pair(memory.b.memory, gateB),
                                  std::pair(memory.c.memory, gateC)}) {
      t.copy(source, {{chunk.row, group, state}, {0, 2}, {chunk.past, all}},
             buffer, zero, shape.alignedGate(t));
    }
    t.commit();
    t.write(t.load(stateTile, passed.carried,
                   {{chunk.number, head, state, column},
                    {3, 2},
                    {t.index(shape.size), all}}),
            states, zero, zero, zero);
    t.waitForAll(0);
    return {FmaOp::create(t.b, products, gateC, zero, gateB, zero, now[0]),
            FmaOp::create(t.b, outputs, gateC, zero, states, zero, now[1])};
  }

  TileBuilder &t;
  SSDTileAttr s;
  const SSDShape &shape;
  const SSDMemory &memory;
  const SSDPassed &passed;
  RankedTensorType products, outputs, stateTile, inputTile;
  Value gateB, gateC, states, inputs, weights;
  Value head, column;
  SSDChunk chunk;
};
} // namespace

void cheems::tile::buildSSDOutputsF32(TileBuilder &t, SSDTileAttr s,
                                      const SSDShape &shape,
                                      const SSDMemory &memory,
                                      const SSDPassed &passed) {
  ExactOutputs(t, s, shape, memory, passed).build();
}
