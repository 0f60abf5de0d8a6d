// Outputs of a prompt's chunks on tensor cores: what rows take from the state
// before the chunk, and from its rows. The decays between rows meet the product
// of gates in registers, and there is the state from chunk to chunk of a span.
#include "Attention/AttentionKernels.h"
#include "SSDChunks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. A warp has rows of a chunk of its own, and rows of each part of
/// the state.
class Outputs {
public:
  Outputs(TileBuilder &t, SSDSpansAttr s, const SSDShape &shape,
          const SSDMemory &memory, const SSDPassed &passed)
      : t(t), s(s), shape(shape), memory(memory), passed(passed),
        chunks(t, s, s.getStages(), memory, passed),
        parts(int64_t(llvm::divideCeil(shape.states, s.getRows()))) {
    Type f32 = t.b.getF32Type();
    bf16 = t.b.getBF16Type();
    auto tile = [&](int64_t rows, int64_t columns, Type element,
                    FragmentRole role) {
      return t.fragmentType({rows, columns}, element, role, SSDSpansAttr::warps,
                            1);
    };
    products = tile(s.getRows(), kMmaDepth, f32, FragmentRole::C);
    outputs = tile(s.getRows(), s.getColumns(), f32, FragmentRole::C);
    left = tile(s.getRows(), kMmaDepth, bf16, FragmentRole::A);
    gateTile = tile(kMmaDepth, kMmaDepth, bf16, FragmentRole::B);
    right = tile(s.getColumns(), kMmaDepth, bf16, FragmentRole::B);
    for (int64_t part = 0; part < parts; ++part) {
      gateB.push_back(chunks.ring(s.getRows()));
      gateC.push_back(chunks.ring(s.getRows()));
    }
    inputs = chunks.ring(s.getColumns());
    weighted =
        FactorBuffer::alloc(t, {1, s.getRows(), s.getColumns()}, s.getPairs());
    states = FactorBuffer::alloc(t, {1, parts * s.getRows(), s.getColumns()},
                                 s.getPairs());
  }

  void build() {
    int64_t pieces = int64_t(llvm::divideCeil(shape.size, s.getColumns()));
    Value number = t.block(GridDimension::Y);
    head = t.divide(number, pieces);
    group = t.divide(head, shape.headsPerGroup());
    column = t.mul(t.remainder(number, pieces), s.getColumns());
    chunks.enter(head);
    Value index = t.block(GridDimension::X);
    Value rows = rowsOfSpan(t, s, chunks.stepRows);
    SSDChunk span = SSDChunk::of(t, rows, chunks.segment, chunks.number, index,
                                 chunks.stepRows);
    t.when(span.exists, [&] {
      Value inSpan = t.divide(rows, s.getRows()), begin = t.mul(index, inSpan);
      Value end = t.minimum(t.add(begin, inSpan), chunks.count);
      takeSpan(span, index, begin, end);
    });
  }

private:
  /// Whether a chunk's rows are under way before its turn.
  bool prefetches() const { return s.getStages() > 1; }

  void takeSpan(const SSDChunk &span, Value index, Value begin, Value end) {
    if (prefetches()) {
      fetch(begin);
    }
    SmallVector<Value> now;
    for (int64_t part = 0; part < parts; ++part) {
      now.push_back(
          t.load(outputs, passed.carried,
                 placeBeforeSpan(t, shape, chunks.segment, span, index, head,
                                 t.index(part * s.getRows()), column),
                 shape.alignedRow(t)));
    }
    llvm::append_range(now, chunks.factsOf(begin));
    // After the last chunk nobody needs the state.
    Value last = t.sub(end, t.index(1));
    now = t.loop(begin, last, 1, now, [&](Value index, ValueRange now) {
      return takeChunk(index, now, /*isLast=*/false);
    });
    takeChunk(last, now, /*isLast=*/true);
  }

  void fetch(Value index) {
    SSDChunk chunk = chunks.at(index);
    Value stage = chunks.stageOf(index);
    for (int64_t part = 0; part < parts; ++part) {
      Value state = t.index(part * s.getRows());
      auto at = size_t(part);
      chunks.fetch(chunk, memory.b.memory, group, state, gateB[at], stage);
      chunks.fetch(chunk, memory.c.memory, group, state, gateC[at], stage);
    }
    if (s.getPairs()) {
      chunks.fetchInputs(chunk, column, inputs, weighted, stage);
    } else {
      chunks.fetch(chunk, memory.x, head, column, inputs, stage);
    }
    chunks.fetchDecays(chunk, stage);
    t.commit();
  }

  /// \param now the parts of the state, and facts of the chunk.
  SmallVector<Value> takeChunk(Value index, ValueRange now, bool isLast) {
    Value stage = chunks.stageOf(index), zero = t.index(0);
    if (!prefetches()) {
      // Nobody reads the rows of the chunk before any more.
      t.barrier();
      fetch(index);
    }
    for (int64_t part = 0; part < parts; ++part) {
      states.write(t, Factor::of(t, now[size_t(part)], s.getPairs()), zero,
                   t.index(part * s.getRows()), zero);
    }
    chunks.finish();
    t.waitForAll(0);
    SmallVector<Value> next;
    if (!isLast) {
      if (prefetches()) {
        fetch(t.add(index, 1));
      }
      next = chunks.factsOf(t.add(index, 1));
    }
    SSDChunk chunk = chunks.at(index);
    ValueRange facts = now.drop_front(size_t(parts));
    ChunkDecays decays = chunks.decaysOf(chunk, stage, facts);
    if (!isLast && !s.getPairs()) {
      weighInputs(decays, stage);
    }
    storeOutputs(chunk, decays, stage);
    if (isLast) {
      return {};
    }
    // Weighted inputs are there, and nobody reads the state any more.
    BarrierOp::create(t.b);
    SmallVector<Value> result;
    for (int64_t part = 0; part < parts; ++part) {
      result.push_back(t.fma(now[size_t(part)],
                             t.splat(outputs, SSDChunks::wholeOf(facts)),
                             added(part, stage)));
    }
    result.append(next);
    return result;
  }

  /// x times what it has in the state after the chunk; that of pairs has been
  /// fetched.
  void weighInputs(ChunkDecays &decays, Value stage) {
    constexpr int64_t width = 8;
    int64_t across = s.getColumns() / width;
    auto layout = BlockedAttr::get(t.b.getContext(),
                                   SSDSpansAttr::warps * kWarpThreads / across,
                                   across, width);
    auto type =
        t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
    Value zero = t.index(0);
    Value x =
        inputs.read(t, t.withElement(type, bf16), stage, zero, zero).widened(t);
    Value ofRows = decays.weights(t.sliceType(type, 1));
    x = t.mul(x, t.broadcast(ofRows, type));
    weighted.write(t, Factor::of(t, x, /*isPair=*/false), zero, zero, zero);
  }

  /// What the chunk adds to a part of the state: the same sums as those of
  /// `buildSSDStates`.
  Value added(int64_t part, Value stage) {
    Value sums = t.fill(outputs, 0), zero = t.index(0);
    for (int64_t row = 0; row < s.getRows(); row += kMmaDepth) {
      sums = multiply(
          t,
          gateB[size_t(part)].readTransposed(t, left, stage, t.index(row),
                                             zero),
          weighted.readTransposed(t, right, zero, t.index(row), zero), sums);
    }
    return sums;
  }

  /// c of the chunk's rows, from a row of the state on.
  Factor readC(int64_t state, Value stage) {
    return gateC[size_t(state / s.getRows())].read(
        t, left, stage, t.index(0), t.index(state % s.getRows()));
  }

  /// What rows take from the chunk's rows, 16 of these at a time: decays of all
  /// of them at once would take too many registers, and so would the sums of
  /// both matmuls.
  SmallVector<Factor> weightsOf(ChunkDecays &decays, Value stage) {
    SmallVector<Value> within(size_t(s.getRows() / kMmaDepth),
                              t.fill(products, 0));
    for (int64_t k = 0; k < parts * s.getRows(); k += kMmaDepth) {
      Factor rows = readC(k, stage);
      for (auto [number, sums] : llvm::enumerate(within)) {
        Value from = t.index(int64_t(number) * kMmaDepth);
        sums = multiply(t, rows,
                        gateB[size_t(k / s.getRows())].read(
                            t, gateTile, stage, from, t.index(k % s.getRows())),
                        sums);
      }
    }
    SmallVector<Factor> factors;
    for (auto [number, sums] : llvm::enumerate(within)) {
      Value weights =
          weightsOfChunk(t, memory, decays, sums, int64_t(number) * kMmaDepth);
      factors.push_back(
          Factor::of(t, weights, s.getPairs()).converted(t, left));
    }
    return factors;
  }

  void storeOutputs(const SSDChunk &chunk, ChunkDecays &decays, Value stage) {
    Value zero = t.index(0);
    SmallVector<Factor> weights = weightsOf(decays, stage);
    Value carried = t.fill(outputs, 0);
    for (int64_t k = 0; k < parts * s.getRows(); k += kMmaDepth) {
      carried = multiply(
          t, readC(k, stage),
          states.readTransposed(t, right, zero, t.index(k), zero), carried);
    }
    RankedTensorType perRow = t.sliceType(outputs, 1);
    ChunkDecays::Logarithm none{t.fill(perRow, 0), t.fill(perRow, 0)};
    Value fromStart = ChunkDecays::between(t, none, decays.rows(perRow));
    Value y = t.mul(carried, t.broadcast(fromStart, outputs));
    for (auto [number, ofRows] : llvm::enumerate(weights)) {
      Value from = t.index(int64_t(number) * kMmaDepth);
      y = multiply(t, ofRows,
                   inputs.readTransposed(t, right, stage, from, zero), y);
    }
    storeOutput(
        t, y, memory.y,
        {{chunk.row, head, column}, {0, 2}, {chunk.past, t.index(shape.size)}},
        shape.alignedRow(t));
  }

  TileBuilder &t;
  SSDSpansAttr s;
  const SSDShape &shape;
  const SSDMemory &memory;
  const SSDPassed &passed;
  SSDChunks chunks;
  int64_t parts; ///< of the state, of as many rows as a chunk
  Type bf16;
  RankedTensorType products, outputs, left, gateTile, right;
  SmallVector<FactorBuffer> gateB, gateC; ///< of each part
  FactorBuffer inputs, weighted, states;
  Value head, group, column;
};
} // namespace

void cheems::tile::buildSSDOutputs(TileBuilder &t, SSDSpansAttr s,
                                   const SSDShape &shape,
                                   const SSDMemory &memory,
                                   const SSDPassed &passed) {
  Outputs(t, s, shape, memory, passed).build();
}
