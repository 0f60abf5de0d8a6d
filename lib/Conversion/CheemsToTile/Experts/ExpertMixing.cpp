// The sum of what a row's experts give. A group of threads has an expert at a
// time: it reads the rows of both tables, so that all bytes of a row are read
// by one access after the other and once. Rows of the next experts are on their
// way to shared memory meanwhile.
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
  return tileOf(t, s.getTables(), element);
}

int64_t Mixing::aligned() const {
  return alignmentOf(columns,
                     cast<MemRefType>(down.getType()).getElementType());
}

void Mixing::allocate(TileBuilder &t) {
  auto list = int64_t(
      llvm::alignTo(uint64_t(experts), uint64_t(s.getPairs().getThreads())));
  buffer = t.alloc({2, s.getPairs().getRows(), list}, t.b.getI32Type(),
                   /*swizzled=*/false);
  if (s.getAhead() == 0) {
    return;
  }
  for (auto [ring, table] : {std::pair(&downRing, down), {&upRing, up}}) {
    *ring = t.alloc(
        {s.stages(), s.getTables().getRows(), s.getTables().getColumns()},
        cast<MemRefType>(table.getType()).getElementType(),
        /*swizzled=*/false);
  }
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
  Value column = IndicesOp::create(t.b, listType, 1);
  Value isThere = t.isLess(column, t.fillInteger(listType, experts));
  // A number of no row, where there is no expert.
  Value ids = t.select(isThere, list.ids, t.fillInteger(listType, -1));
  Value factors = t.bitcast(list.bits, t.b.getF32Type());
  if (placement == ScorePlacement::Softmax) {
    factors = softmax(t, factors, experts);
  }
  Value none = t.index(0);
  t.barrier();
  t.write(ids, buffer, none, none, none);
  t.write(t.bitcast(factors, t.b.getI32Type()), buffer, t.index(1), none, none);
  t.barrier();

  fetchFirst(t);
  auto added = t.loop(none, t.index(steps()), 1, sums,
                      [&](Value step, ValueRange state) -> SmallVector<Value> {
                        return {addStep(t, step, state[0])};
                      });
  return added[0];
}

int64_t Mixing::steps() const {
  return llvm::divideCeil(experts, s.getTables().getRows());
}

Value Mixing::ofStep(TileBuilder &t, Value step, int64_t stage) {
  auto type = t.sliceType(tableType(t, t.b.getI32Type()), 1);
  Value number = t.indicesFrom(t.mul(step, s.getTables().getRows()), type, 0);
  return t.pick(buffer, t.index(stage), t.fillInteger(type, 0), number);
}

void Mixing::fetch(TileBuilder &t, Value step) {
  Value none = t.index(0), id = ofStep(t, step, 0);
  Value stage = t.remainder(step, s.stages());
  for (auto [table, ring] : {std::pair(down, downRing), {up, upRing}}) {
    t.fetchRows(table, {{none, none}, {0, 1}}, id, ring, stage, aligned());
  }
}

void Mixing::fetchFirst(TileBuilder &t) {
  if (s.getAhead() == 0) {
    return;
  }
  t.each(t.index(0), t.index(s.getAhead()), 1, [&](Value step) {
    fetch(t, step);
    t.commit();
  });
}

Mixing::Rows Mixing::rowsOf(TileBuilder &t, Value step, Value id) {
  RankedTensorType raw =
      tableType(t, cast<MemRefType>(down.getType()).getElementType());
  Value none = t.index(0);
  if (s.getAhead() == 0) {
    Place place{{none, none}, {0, 1}};
    return {t.gather(raw, down, place, id, aligned()),
            t.gather(raw, up, place, id, aligned())};
  }
  Value next = t.add(step, s.getAhead());
  t.when(t.isLess(next, t.index(steps())), [&] { fetch(t, next); });
  // A step has a group of copies, also where there are none.
  t.commit();
  t.waitForOwn(s.getAhead());
  Value stage = t.remainder(step, s.stages());
  return {t.read(raw, downRing, stage, none, none),
          t.read(raw, upRing, stage, none, none)};
}

Value Mixing::addStep(TileBuilder &t, Value step, Value sums) {
  auto type = cast<RankedTensorType>(sums.getType());
  auto numbers = [&](Value row) -> Value {
    return downScales ? arith::SIToFPOp::create(t.b, type, row).getResult()
                      : t.widen(row);
  };
  Value id = ofStep(t, step, 0);
  Value factor = t.bitcast(ofStep(t, step, 1), t.b.getF32Type());
  Rows rows = rowsOf(t, step, id);
  Value weight = t.reduce(Combine::Add, t.mul(numbers(rows.down), input), 1);
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
  return t.fma(t.broadcast(weight, type), numbers(rows.up), sums);
}

void Mixing::store(TileBuilder &t, Value sums, Value target) {
  RankedTensorType type = tileOf(t, s.getSums(), t.b.getF32Type());
  Value all = t.convertLayout(sums, type);
  t.store(t.reduce(Combine::Add, all, 0), target, {{row, t.index(0)}, {1}},
          alignmentOf(columns, t.b.getF32Type()));
}
