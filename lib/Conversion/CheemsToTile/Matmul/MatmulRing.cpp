// Fills buffers before their use.
#include "MatmulRing.h"

using namespace mlir;
using namespace cheems::tile;

/// The least piece that an asynchronous copy moves.
constexpr int64_t kLeastCopy = 4;

MatmulBuffers MatmulBuffers::alloc(TileBuilder &t, MatmulTileAttr s,
                                   Type element, size_t weights,
                                   int64_t weightColumns) {
  MatmulBuffers buffers;
  buffers.x = t.alloc({s.getStages(), s.getRows(), s.getDepth()}, element,
                      /*swizzled=*/true);
  for (size_t i = 0; i < weights; ++i) {
    buffers.weights.push_back(
        t.alloc({s.getStages(), s.getColumns(), weightColumns}, element,
                /*swizzled=*/true));
  }
  return buffers;
}

SmallVector<Value> MatmulRing::run(Value steps, ValueRange zeros,
                                   Multiply multiply) {
  return loop(steps, zeros, s.getStages() - 1,
              [&](Value step, Value stage, ValueRange sums,
                  function_ref<void()> fetch) -> SmallVector<Value> {
                // After it, this stage is there, and nobody reads the one
                // before.
                t.waitForAll(s.getStages() - 2);
                fetch();
                return multiply(step, stage, sums);
              });
}

SmallVector<Value> MatmulRing::runWarpgroups(Value steps, ValueRange zeros,
                                             Multiply begin) {
  int64_t ahead = s.getStages() - 2;
  SmallVector<Value> begun = loop(steps, zeros, ahead,
                                  [&](Value step, Value stage, ValueRange sums,
                                      function_ref<void()> fetch) {
                                    // After the barrier, this stage is there
                                    // for tensor cores, and all warpgroups have
                                    // read the last but one.
                                    WaitOp::create(t.b, uint64_t(ahead - 1));
                                    FenceOp::create(t.b);
                                    BarrierOp::create(t.b);
                                    SmallVector<Value> next =
                                        begin(step, stage, sums);
                                    fetch();
                                    // For all but the matmuls of this step.
                                    return waitForMatmuls(next, next.size());
                                  });
  return waitForMatmuls(begun, 0);
}

SmallVector<Value> MatmulRing::runFilled(Value steps, ValueRange zeros,
                                         Multiply begin) {
  auto ring =
      RingOp::create(t.b, steps, uint64_t(s.getStages()), IntegerAttr(), zeros);
  SmallVector<Type> types = {t.b.getIndexType(), t.b.getIndexType()};
  auto begunIn = [&](Region &region) -> Block & {
    SmallVector<Location> indices(types.size(), t.location());
    return *t.b.createBlock(&region, {}, types, indices);
  };
  Block &filling = begunIn(ring.getFill());
  for (const RingPart &part : parts) {
    auto buffer = cast<BufferType>(part.buffer.getType());
    Value column = t.mul(filling.getArgument(0), buffer.getColumns());
    BulkCopyOp::create(t.b, part.source, part.row, column, part.buffer,
                       filling.getArgument(1), Value());
  }
  RingYieldOp::create(t.b, ValueRange());
  llvm::append_range(types, zeros.getTypes());
  Block &used = begunIn(ring.getUse());
  SmallVector<Value> next =
      begin(used.getArgument(0), used.getArgument(1),
            ValueRange(used.getArguments()).drop_front(2));
  RingYieldOp::create(t.b, waitForMatmuls(next, next.size()));
  t.b.setInsertionPointAfter(ring);
  return waitForMatmuls(SmallVector<Value>(ring.getResults()), 0);
}

SmallVector<Value> MatmulRing::waitForMatmuls(ArrayRef<Value> begun,
                                              size_t pending) {
  return llvm::map_to_vector(begun, [&](Value sum) -> Value {
    return t.warpgroupWait(sum, int64_t(pending));
  });
}

SmallVector<Value> MatmulRing::loop(Value steps, ValueRange zeros,
                                    int64_t ahead, Turn turn) {
  for (int64_t step = 0; step < ahead; ++step) {
    fetch(t.index(step), t.index(step));
  }
  // The stages of this step and of the one that is fetched meanwhile.
  SmallVector<Value> state = {t.index(0), t.index(ahead)};
  llvm::append_range(state, zeros);
  SmallVector<Value> after =
      t.loop(t.index(0), steps, 1, state, [&](Value step, ValueRange carried) {
        SmallVector<Value> sums =
            turn(step, carried[0], carried.drop_front(2),
                 [&] { fetch(t.add(step, ahead), carried[1]); });
        SmallVector<Value> next = {following(carried[0]),
                                   following(carried[1])};
        llvm::append_range(next, sums);
        return next;
      });
  WaitOp::create(t.b, uint64_t(0));
  return SmallVector<Value>(ArrayRef(after).drop_front(2));
}

Value MatmulRing::following(Value stage) {
  Value next = t.add(stage, 1);
  Value isPast = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, next,
                                       t.index(s.getStages()));
  return t.select(isPast, t.index(0), next);
}

void MatmulRing::fetch(Value step, Value stage) {
  for (const RingPart &part : parts) {
    move(part, step, stage);
  }
  t.commit();
}

void MatmulRing::move(const RingPart &part, Value step, Value stage) {
  auto buffer = cast<BufferType>(part.buffer.getType());
  int64_t columns = buffer.getColumns();
  Place place{{part.row, t.mul(step, columns)}, {0, 1}};
  if (part.aligned >= kLeastCopy) {
    t.copy(part.source, place, part.buffer, stage, part.aligned);
    return;
  }
  // Rows of odd length: element by element, through registers.
  int64_t threads = s.getWarpsM() * s.getWarpsN() * kWarpThreads;
  auto layout = BlockedAttr::get(t.b.getContext(), threads / kWarpThreads,
                                 kWarpThreads, columns / kWarpThreads);
  Value tile = t.load(
      t.tileType({buffer.getRows(), columns}, buffer.getElementType(), layout),
      part.source, place);
  WriteOp::create(t.b, tile, part.buffer, stage, t.index(0), t.index(0));
}
