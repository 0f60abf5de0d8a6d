// The sum of what a row's experts give. A group of threads has an expert at a
// time: it loads the rows of both tables, so that all bytes of a row are read
// by one access after the other and once.
#include "ExpertKernels.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Powers of e over their sum, of the first `count` columns of each row.
static Value softmax(TileBuilder &t, Value scores, int64_t count) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value column =
      IndicesOp::create(t.b, t.withElement(type, t.b.getI32Type()), 1);
  Value isThere = t.isLess(
      column, t.fillInteger(cast<RankedTensorType>(column.getType()), count));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value known = t.select(isThere, scores, t.fill(type, -infinity));
  Value most = t.broadcast(t.reduce(Combine::Maximum, known, 1), type);
  Value power = t.select(isThere, math::ExpOp::create(t.b, t.sub(scores, most)),
                         t.fill(type, 0));
  Value sum = t.broadcast(t.reduce(Combine::Add, power, 1), type);
  return arith::DivFOp::create(t.b, power, sum);
}

/// A number of memory [E] or [E, 1] for each row, of the expert that it has.
static Value scalesOf(TileBuilder &t, Value scales, Value id) {
  auto memory = cast<MemRefType>(scales.getType());
  auto type = t.withElement(cast<RankedTensorType>(id.getType()),
                            memory.getElementType());
  SmallVector<Value> begin(size_t(memory.getRank()), t.index(0));
  return t.gather(type, scales, {begin, {0}}, id);
}

RankedTensorType Mixing::tableType(TileBuilder &t, Type element) {
  return tileOf(t, s.tables, element);
}

void Mixing::allocate(TileBuilder &t) {
  auto list =
      int64_t(llvm::alignTo(uint64_t(experts), uint64_t(s.pairs.threads)));
  buffer = t.alloc({2, s.pairs.rows, list}, t.b.getI32Type(),
                   /*swizzled=*/false);
}

void Mixing::begin(TileBuilder &t, Value theRow) {
  row = theRow;
  RankedTensorType type = tableType(t, t.b.getF32Type());
  input = t.broadcast(t.load(t.sliceType(type, 0), x, {{row, t.index(0)}, {1}},
                             alignmentOf(columns, t.b.getF32Type())),
                      type);
}

Value Mixing::zero(TileBuilder &t) {
  return t.fill(tableType(t, t.b.getF32Type()), 0);
}

Value Mixing::add(TileBuilder &t, Value sums, const ScoredList &list) {
  auto listType = cast<RankedTensorType>(list.ids.getType());
  Type i32 = t.b.getI32Type(), f32 = t.b.getF32Type();
  Value column = IndicesOp::create(t.b, listType, 1);
  Value isThere = t.isLess(column, t.fillInteger(listType, experts));
  // A number of no row, where there is no expert.
  Value ids = t.select(isThere, list.ids, t.fillInteger(listType, -1));
  Value factors = t.bitcast(list.bits, f32);
  if (placement == ScorePlacement::Softmax) {
    factors = softmax(t, factors, experts);
  }
  Value none = t.index(0);
  t.barrier();
  t.write(ids, buffer, none, none, none);
  t.write(t.bitcast(factors, i32), buffer, t.index(1), none, none);
  t.barrier();

  Type element = cast<MemRefType>(down.getType()).getElementType();
  RankedTensorType raw = tableType(t, element), type = tableType(t, f32);
  auto perRow = t.withElement(t.sliceType(type, 1), i32);
  int64_t aligned = alignmentOf(columns, element);
  Place place{{none, none}, {0, 1}};
  auto numbers = [&](Value row) -> Value {
    return downScales ? arith::SIToFPOp::create(t.b, type, row).getResult()
                      : t.widen(row);
  };
  auto steps =
      int64_t(llvm::alignTo(uint64_t(experts), uint64_t(s.tables.rows)));
  auto added = t.loop(
      none, t.index(steps), s.tables.rows, sums,
      [&](Value first, ValueRange state) -> SmallVector<Value> {
        Value number = t.indicesFrom(first, perRow, 0);
        Value zeros = t.fillInteger(perRow, 0);
        Value id = t.pick(buffer, none, zeros, number);
        Value factor =
            t.bitcast(t.pick(buffer, t.index(1), zeros, number), f32);
        Value downRow = t.gather(raw, down, place, id, aligned);
        Value upRow = t.gather(raw, up, place, id, aligned);
        Value weight =
            t.reduce(Combine::Add, t.mul(numbers(downRow), input), 1);
        if (downScales) {
          weight = t.mul(weight, scalesOf(t, downScales, id));
        }
        bool isInner = placement == ScorePlacement::Inner;
        if (isInner) {
          weight = t.mul(weight, factor);
        }
        weight = activate(t.b, t.location(), activation, weight);
        if (!isInner) {
          weight = t.mul(weight, factor);
        }
        if (upScales) {
          weight = t.mul(weight, scalesOf(t, upScales, id));
        }
        return {t.fma(t.broadcast(weight, type), numbers(upRow), state[0])};
      });
  return added[0];
}

void Mixing::store(TileBuilder &t, Value sums, Value target) {
  RankedTensorType type = tileOf(t, s.sums, t.b.getF32Type());
  Value all = t.convertLayout(sums, type);
  t.store(t.reduce(Combine::Add, all, 0), target, {{row, t.index(0)}, {1}},
          alignmentOf(columns, t.b.getF32Type()));
}
