// State-space duality of one row per sequence: the recurrence. All that matters
// is that the state is read and written once.
#include "Attention/AttentionKernels.h"
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. A block has some columns of a head's state, and all its rows: so
/// nobody else adds to its outputs. Rows are two halves, as the rotation of b
/// and c needs them.
class OneRow {
public:
  OneRow(TileBuilder &t, RowTileAttr s, const SSDShape &shape,
         const SSDMemory &memory)
      : t(t), shape(shape), memory(memory),
        parts(shape.states % 2 == 0 ? 2 : 1), partRows(shape.states / parts) {
    auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                   s.getThreads(), s.getWidth());
    int64_t rows =
        int64_t(llvm::alignTo(uint64_t(partRows), uint64_t(s.getRows())));
    type = t.tileType({rows, s.getColumns()}, t.b.getF32Type(), layout);
    perRow = t.sliceType(type, 1);
    perColumn = t.sliceType(type, 0);
  }

  void build() {
    segment = loadSegment(t, memory.segments, t.block(GridDimension::Z),
                          /*oneRow=*/true);
    head = t.block(GridDimension::Y);
    column = t.mul(t.block(GridDimension::X), type.getDimSize(1));
    SmallVector<Value> states = loadStates();
    Value step = number(memory.step, {segment.start, head});
    Value rate = decayRates(t, memory, t.splat(perRow, number(memory.a, head)));
    Value decay = exactDecay(t, t.mul(rate, t.splat(perRow, step)));
    decay = t.broadcast(decay, type);
    Value x = t.load(perColumn, memory.x, outputs(), shape.alignedRow(t));
    Value xs = t.broadcast(x, type), sum;
    SmallVector<Value> into = loadGate(memory.b), out = loadGate(memory.c);
    for (int64_t part = 0; part < parts; ++part) {
      auto at = size_t(part);
      Value in = t.mul(t.splat(perRow, step), into[at]);
      Value state = t.fma(states[at], decay, t.mul(t.broadcast(in, type), xs));
      t.store(state, memory.pool, statePlace(part, t.index(shape.states)),
              shape.alignedRow(t));
      Value read = t.mul(t.broadcast(out[at], type), state);
      sum = sum ? t.add(sum, read) : read;
    }
    Value y = t.reduce(Combine::Add, sum, 0);
    if (memory.skip) {
      Value skip = t.splat(perColumn, number(memory.skip, head));
      y = t.fma(skip, x, y);
    }
    storeOutput(t, y, memory.y, outputs(), shape.alignedRow(t));
  }

private:
  Value number(Value source, ValueRange at) {
    return memref::LoadOp::create(t.b, source, at);
  }

  /// The row's part of x or y.
  Place outputs() {
    return {{segment.start, head, column}, {2}, {t.index(shape.size)}};
  }

  /// \param known how many of all rows are there.
  Place statePlace(int64_t part, Value known) {
    Value end = t.minimum(known, t.index((part + 1) * partRows));
    return {
        {segment.slot, memory.layer, head, t.index(part * partRows), column},
        {3, 4},
        {end, t.index(shape.size)}};
  }

  /// Zeros before a sequence's first row: what an earlier sequence left in the
  /// slot is not read.
  SmallVector<Value> loadStates() {
    Value isLater = t.isLess(t.index(0), segment.position);
    Value known = t.select(isLater, t.index(shape.states), t.index(0));
    SmallVector<Value> states;
    for (int64_t part = 0; part < parts; ++part) {
      states.push_back(t.load(type, memory.pool, statePlace(part, known),
                              shape.alignedRow(t)));
    }
    return states;
  }

  /// b or c of the row, a number per row of the state.
  SmallVector<Value> loadGate(const HeadRows &gate) {
    Value group = t.divide(head, shape.headsPerGroup());
    auto load = [&](Value source, ArrayRef<Value> before, int64_t part) {
      SmallVector<Value> offsets(before);
      offsets.push_back(t.index(part * partRows));
      return t.load(perRow, source,
                    {offsets,
                     {int64_t(before.size())},
                     {t.index((part + 1) * partRows)}});
    };
    SmallVector<Value> halves;
    for (int64_t part = 0; part < parts; ++part) {
      halves.push_back(load(gate.memory, {segment.start, group}, part));
    }
    if (!gate.cosine) {
      return halves;
    }
    Value cosine = load(gate.cosine, {segment.start}, 0);
    Value sine = load(gate.sine, {segment.start}, 0);
    return {t.sub(t.mul(halves[0], cosine), t.mul(halves[1], sine)),
            t.add(t.mul(halves[1], cosine), t.mul(halves[0], sine))};
  }

  TileBuilder &t;
  const SSDShape &shape;
  const SSDMemory &memory;
  int64_t parts, partRows;
  RankedTensorType type, perRow, perColumn;
  SegmentRow segment;
  Value head, column;
};
} // namespace

void cheems::tile::buildSSDOfOneRow(TileBuilder &t, RowTileAttr s,
                                    const SSDShape &shape,
                                    const SSDMemory &memory) {
  OneRow(t, s, shape, memory).build();
}
