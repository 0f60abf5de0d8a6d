// The state goes through the chunks of a prompt on tensor cores, always in
// ascending order: so its bits depend on the sequence alone. It is stored
// before each span; the chunks of a span compute it anew.
#include "SSDChunks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. A block has a piece of one head's state.
class States {
public:
  States(TileBuilder &t, SSDSpansAttr s, const SSDShape &shape,
         const SSDMemory &memory, const SSDPassed &passed)
      : t(t), s(s), shape(shape), memory(memory), passed(passed),
        chunks(t, s, s.getPieceStages(), memory, passed) {
    Type f32 = t.b.getF32Type(), bf16 = t.b.getBF16Type();
    auto tile = [&](int64_t rows, int64_t columns, Type element,
                    FragmentRole role) {
      return t.fragmentType({rows, columns}, element, role, s.half, s.half);
    };
    type = tile(s.getPieceStates(), s.getPieceColumns(), f32, FragmentRole::C);
    left = tile(s.getPieceStates(), kMmaDepth, bf16, FragmentRole::A);
    right = tile(s.getPieceColumns(), kMmaDepth, bf16, FragmentRole::B);
    gates = chunks.ring(s.getPieceStates());
    inputs = chunks.ring(s.getPieceColumns());
  }

  void build() {
    auto across = int64_t(llvm::divideCeil(shape.size, s.getPieceColumns()));
    Value piece = t.block(GridDimension::X);
    first = t.mul(t.divide(piece, across), s.getPieceStates());
    column = t.mul(t.remainder(piece, across), s.getPieceColumns());
    head = t.block(GridDimension::Y);
    group = t.divide(head, shape.headsPerGroup());
    chunks.enter(head);
    t.when(t.isLess(t.index(0), chunks.count), [&] { takeSegment(); });
  }

private:
  Place inPool(Value past) {
    return {{chunks.segment.slot, memory.layer, head, first, column},
            {3, 4},
            {past, t.index(shape.size)}};
  }

  void takeSegment() {
    for (int64_t ahead = 0; ahead + 1 < s.getPieceStages(); ++ahead) {
      fetch(t.index(ahead));
    }
    chunks.finish();
    Value states = t.index(shape.states);
    // What an earlier sequence left in the slot is not read.
    Value isLater = t.isLess(t.index(0), chunks.segment.position);
    SmallVector<Value> now = {
        t.load(type, memory.pool, inPool(t.select(isLater, states, t.index(0))),
               shape.alignedRow(t))};
    llvm::append_range(now, chunks.factsOf(t.index(0)));
    Value rows = rowsOfSpan(t, s, chunks.stepRows);
    Value inSpan = t.divide(rows, s.getRows());
    Value spans = arith::CeilDivUIOp::create(t.b, chunks.count, inSpan);
    now = t.loop(t.index(0), spans, 1, now, [&](Value index, ValueRange now) {
      SSDChunk span = SSDChunk::of(t, rows, chunks.segment, chunks.number,
                                   index, chunks.stepRows);
      t.store(now[0], passed.carried,
              placeBeforeSpan(t, shape, chunks.segment, span, index, head,
                              first, column),
              shape.alignedRow(t));
      Value begin = t.mul(index, inSpan);
      Value end = t.minimum(t.add(begin, inSpan), chunks.count);
      return t.loop(begin, end, 1, now, [&](Value index, ValueRange now) {
        return takeChunk(index, now);
      });
    });
    WaitOp::create(t.b, uint64_t(0));
    t.store(now[0], memory.pool, inPool(states), shape.alignedRow(t));
  }

  /// Past the last chunk it fetches zeros.
  void fetch(Value index) {
    SSDChunk chunk = chunks.at(index);
    Value stage = chunks.stageOf(index);
    chunks.fetch(chunk, memory.b.memory, group, first, gates, stage);
    if (s.getPairs()) {
      chunks.fetchInputs(chunk, column, {}, inputs, stage);
    } else {
      chunks.fetch(chunk, memory.x, head, column, inputs, stage);
      chunks.fetchDecays(chunk, stage);
    }
    t.commit();
  }

  SmallVector<Value> takeChunk(Value index, ValueRange now) {
    // After it, this stage is there, and nobody reads the one before.
    t.waitForAll(s.getPieceStages() - 2);
    fetch(t.add(index, s.getPieceStages() - 1));
    SmallVector<Value> next = chunks.factsOf(t.add(index, 1));
    SSDChunk chunk = chunks.at(index);
    Value stage = chunks.stageOf(index), zero = t.index(0);
    ChunkDecays decays = chunks.decaysOf(chunk, stage, now.drop_front());
    RankedTensorType wide = t.withElement(right, t.b.getF32Type());
    Value sums = t.fill(type, 0);
    for (int64_t row = 0; row < s.getRows(); row += kMmaDepth) {
      Factor x = inputs.readTransposed(t, right, stage, t.index(row), zero);
      if (!s.getPairs()) {
        Value weights = decays.weights(t.sliceType(wide, 0), row);
        x = Factor::of(t, t.mul(x.widened(t), t.broadcast(weights, wide)),
                       /*isPair=*/false);
      }
      sums = multiply(
          t, gates.readTransposed(t, left, stage, t.index(row), zero), x, sums);
    }
    chunks.finish();
    Value whole = t.splat(type, SSDChunks::wholeOf(now.drop_front()));
    SmallVector<Value> result = {t.fma(now[0], whole, sums)};
    llvm::append_range(result, next);
    return result;
  }

  TileBuilder &t;
  SSDSpansAttr s;
  const SSDShape &shape;
  const SSDMemory &memory;
  const SSDPassed &passed;
  SSDChunks chunks;
  RankedTensorType type, left, right;
  FactorBuffer gates, inputs; ///< pairs of x have their weights
  Value first, column, head, group;
};
} // namespace

void cheems::tile::buildSSDStates(TileBuilder &t, SSDSpansAttr s,
                                  const SSDShape &shape,
                                  const SSDMemory &memory,
                                  const SSDPassed &passed) {
  States(t, s, shape, memory, passed).build();
}
