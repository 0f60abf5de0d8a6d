// What the kernels of state-space duality have in common.
#include "Builder/Float64.h"
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

SSDShape::SSDShape(SegmentedSSDOp op) {
  ArrayRef<int64_t> pool = op.getPool().getType().getShape();
  heads = pool[2];
  groups = op.getB().getType().getDimSize(1);
  states = pool[3];
  size = pool[4];
}

Value cheems::tile::decayRates(TileBuilder &t, const SSDMemory &memory,
                               Value stored) {
  return memory.beforeA ? inlineBody(t, memory.beforeA, {stored, Value()},
                                     cast<RankedTensorType>(stored.getType()))
                        : stored;
}

Value cheems::tile::exactDecay(TileBuilder &t, Value x) {
  // What is beyond is infinite or zero in f32, too.
  constexpr double kLeast = -1000, kMost = 1000;
  auto type = cast<RankedTensorType>(x.getType());
  auto f64 = t.withElement(type, t.b.getF64Type());
  Value power = t.mul(arith::ExtFOp::create(t.b, f64, x),
                      t.fill(f64, llvm::numbers::log2e));
  power = t.maximum(power, t.fill(f64, kLeast));
  power = t.minimum(power, t.fill(f64, kMost));
  return arith::TruncFOp::create(t.b, type, exp2F64(t, power));
}

SSDChunk SSDChunk::of(TileBuilder &t, Value chunkRows, const SegmentRow &row,
                      Value segment, Value index, Value rows) {
  auto ceilDiv = [&](Value a) -> Value {
    return arith::CeilDivUIOp::create(t.b, a, chunkRows);
  };
  Value first = t.mul(index, chunkRows), end = t.add(first, chunkRows);
  Value begin = t.add(row.start, first);
  // A whole chunk has exactly one row that is a multiple of its length. What
  // is left of a segment has a number after these.
  Value isRest = t.isLess(row.length, end);
  Value number =
      t.select(isRest, t.add(ceilDiv(rows), segment), ceilDiv(begin));
  return {t.isLess(first, row.length), begin,
          t.add(row.start, t.minimum(row.length, end)), number};
}

Value cheems::tile::rowsOfSpan(TileBuilder &t, SSDSpansAttr s, Value rows) {
  Value chunks = t.ceilDiv(rows, s.getRows() * s.getSpans());
  chunks = t.maximum(chunks, t.index(1));
  return t.mul(t.minimum(chunks, t.index(s.getMost())), s.getRows());
}

Value ChunkDecays::plane(RankedTensorType slice, int64_t number, int64_t from) {
  if (buffer) {
    return t.read(slice, buffer, stage, t.index(number), t.index(from));
  }
  return t.load(
      slice, decays,
      {{t.index(number), head, t.add(chunk.row, from)}, {2}, {chunk.past}});
}

ChunkDecays::Logarithm ChunkDecays::rows(RankedTensorType slice, int64_t from) {
  return {plane(slice, kHighPlane, from), plane(slice, kLowPlane, from)};
}

Value ChunkDecays::steps(RankedTensorType slice, int64_t from) {
  return plane(slice, kStepPlane, from);
}

ChunkDecays::Logarithm ChunkDecays::last(RankedTensorType slice) {
  if (end.high) {
    return {t.splat(slice, end.high), t.splat(slice, end.low)};
  }
  Value row = t.sub(chunk.past, t.index(1));
  auto number = [&](int64_t plane) {
    return t.splat(
        slice, memref::LoadOp::create(t.b, decays,
                                      ValueRange{t.index(plane), head, row}));
  };
  return {number(kHighPlane), number(kLowPlane)};
}

Value ChunkDecays::between(TileBuilder &t, const Logarithm &from,
                           const Logarithm &to) {
  Value power = t.add(t.sub(to.high, from.high), t.sub(to.low, from.low));
  return math::ExpOp::create(t.b, power);
}

Value ChunkDecays::weights(RankedTensorType slice, int64_t from) {
  Value weights =
      t.mul(between(t, rows(slice, from), last(slice)), steps(slice, from));
  // Past the chunk a decay may be infinite.
  Value row = t.indicesFrom(t.add(chunk.row, from), slice, 0);
  Value past =
      t.splat(cast<RankedTensorType>(row.getType()),
              arith::IndexCastOp::create(t.b, t.b.getI32Type(), chunk.past));
  return t.select(t.isLess(row, past), weights, t.fill(slice, 0));
}

Value cheems::tile::weightsOfChunk(TileBuilder &t, const SSDMemory &memory,
                                   ChunkDecays &decays, Value products,
                                   int64_t from) {
  auto type = cast<RankedTensorType>(products.getType());
  RankedTensorType perRow = t.sliceType(type, 1),
                   perColumn = t.sliceType(type, 0);
  auto whole = [&](const ChunkDecays::Logarithm &l) {
    return ChunkDecays::Logarithm{t.broadcast(l.high, type),
                                  t.broadcast(l.low, type)};
  };
  Value decay = ChunkDecays::between(t, whole(decays.rows(perColumn, from)),
                                     whole(decays.rows(perRow)));
  Value steps = t.broadcast(decays.steps(perColumn, from), type);
  Value weights = t.mul(t.mul(decay, steps), products);
  auto i32 = t.withElement(type, t.b.getI32Type());
  Value row = IndicesOp::create(t.b, i32, uint64_t(0));
  Value column = IndicesOp::create(t.b, i32, uint64_t(1));
  if (from != 0) {
    column = t.add(column, t.fillInteger(i32, from));
  }
  if (memory.skip) {
    Value skip =
        t.splat(type, memref::LoadOp::create(t.b, memory.skip, decays.head));
    Value isOwn =
        arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, row, column);
    weights = t.select(isOwn, t.add(weights, skip), weights);
  }
  return t.select(t.isLess(row, column), t.fill(type, 0), weights);
}
