// Decays of a prompt's chunks.
#include "SSDKernels.h"
#include "Strategy/LoadsAhead.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Each thread has a head, and adds its rows one after the other.
void cheems::tile::buildSSDDecays(TileBuilder &t, int64_t chunkRows,
                                  const SSDShape &shape,
                                  const SSDMemory &memory,
                                  const SSDPassed &passed) {
  auto layout = BlockedAttr::get(t.b.getContext(), 1, kWarpThreads, 1);
  auto type = t.tileType({1, kWarpThreads}, t.b.getF32Type(), layout);
  auto f64 = t.withElement(type, t.b.getF64Type());
  Value number = t.block(GridDimension::Z);
  SegmentRow segment = loadSegment(t, memory.segments, number, false);
  SSDChunk chunk =
      SSDChunk::of(t, chunkRows, segment, number, t.block(GridDimension::X),
                   t.extent(memory.step, 0));
  Value head = t.mul(t.block(GridDimension::Y), kWarpThreads);
  t.when(chunk.exists, [&] {
    Value heads = t.index(shape.heads);
    auto widened = [&](Value tile) -> Value {
      return arith::ExtFOp::create(t.b, f64, tile);
    };
    Value a = t.load(t.sliceType(type, 0), memory.a, {{head}, {0}});
    a = widened(t.broadcast(decayRates(t, memory, a), type));
    auto store = [&](Value tile, int64_t plane, Value row) {
      t.store(tile, passed.decays,
              {{t.index(plane), head, row}, {2, 1}, {chunk.past, heads}});
    };
    Value sum = t.loop(
        t.index(0), t.index(chunkRows), kDecaysAhead, t.fill(f64, 0),
        [&](Value first, ValueRange state) -> SmallVector<Value> {
          SmallVector<Value> steps, rows;
          for (int64_t next = 0; next < kDecaysAhead; ++next) {
            rows.push_back(t.add(chunk.row, t.add(first, next)));
            steps.push_back(
                t.load(type, memory.step,
                       {{rows.back(), head}, {0, 1}, {chunk.past, heads}}));
          }
          Value sum = state[0];
          for (auto [step, row] : llvm::zip_equal(steps, rows)) {
            sum = t.fma(a, widened(step), sum);
            Value high = arith::TruncFOp::create(t.b, type, sum);
            Value low =
                arith::TruncFOp::create(t.b, type, t.sub(sum, widened(high)));
            store(high, kHighPlane, row);
            store(low, kLowPlane, row);
            store(step, kStepPlane, row);
          }
          return {sum};
        })[0];
    Value whole = exactDecay(t, arith::TruncFOp::create(t.b, type, sum));
    t.store(whole, passed.wholes,
            {{chunk.number, head}, {0, 1}, {t.add(chunk.number, 1), heads}});
  });
}
