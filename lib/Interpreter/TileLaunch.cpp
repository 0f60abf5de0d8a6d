// Kernels of tiles: a grid's blocks, one after the other.
#include "Elements.h"
#include "Handlers.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

namespace cheems::interpreter {
using namespace mlir;

/// For x < grid[0], y < grid[1], z < grid[2]: kernel(ins, outs).
static void launch(tile::LaunchOp op, Frame &f) {
  SmallVector<RuntimeValue> arguments;
  size_t sizes = op.getGrid().size() + (op.getWhen() ? 1 : 0);
  for (OpOperand &operand : op->getOpOperands().drop_front(sizes)) {
    if (isa<MemRefType>(operand.get().getType())) {
      f.fail()
          << "is interpreted on tensors alone: run it before bufferisation";
      return;
    }
    const RuntimeValue &given = f.value(operand.get());
    arguments.push_back(
        given.isTensor()
            ? std::make_shared<Memory>(given.tensor(), op.isDpsInit(&operand))
            : given);
  }
  std::array<int64_t, 3> grid;
  bool runs = !op.getWhen() || f.integer(op.getWhen()) != 0;
  for (auto [extent, value] : llvm::zip_equal(grid, op.getGrid())) {
    extent = runs ? f.integer(value) : 0;
    if (extent < 0) {
      f.fail() << "has a grid with the extent " << extent;
      return;
    }
  }
  auto kernel = dyn_cast_or_null<tile::KernelOp>(f.symbol(op.getKernelAttr()));
  if (!kernel) {
    f.fail() << "launches " << op.getKernelAttr()
             << ", which is compiled: run the module while it has kernels of "
                "tiles";
    return;
  }
  int64_t number = 0;
  forEachIndex({grid[2], grid[1], grid[0]}, [&](ArrayRef<int64_t> index) {
    TileBlock block{.at = {index[2], index[1], index[0]},
                    .number = number++,
                    .begun = {},
                    .groups = {},
                    .rings = {}};
    f.runIsolated(kernel, arguments, block);
    return !f.failed();
  });
  if (f.failed()) {
    return;
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(),
                       ArrayRef(arguments).take_back(op.getOutputs().size()))) {
    f.set(result, argument.memory()->contents());
  }
}

/// Stages are filled as early as the ring lets its filler: so what a step still
/// takes of a stage that is free is not what it was.
static void ring(tile::RingOp op, Frame &f) {
  int64_t steps = f.integer(op.getSteps()), stages = int64_t(op.getStages());
  SmallVector<RuntimeValue> carried;
  for (Value init : op.getInits()) {
    carried.push_back(f.value(init));
  }
  int64_t filled = 0;
  for (int64_t step = 0; step < steps && !f.failed(); ++step) {
    // The stages of this step and of the one before are not free.
    int64_t ahead = std::min(steps, std::max(stages, step + stages - 1));
    for (; filled < ahead && !f.failed(); ++filled) {
      (void)f.run(op.getFill().front(), {filled, filled % stages});
    }
    SmallVector<RuntimeValue> arguments{step, step % stages};
    llvm::append_range(arguments, carried);
    carried = f.run(op.getUse().front(), arguments);
  }
  if (f.failed()) {
    return;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried)) {
    f.set(result, value);
  }
}

/// Fills steps of a ring below `ahead`.
static void fillSteps(tile::FillRingOp op, int64_t ahead, Frame &f) {
  int64_t &filled = f.tileBlock->rings[op].filled;
  ahead = std::min(ahead, f.integer(op.getSteps()));
  for (; filled < ahead && !f.failed(); ++filled) {
    (void)f.run(op.getFill().front(), {filled, filled % op.getStages()});
  }
}

/// As `ring`: stages are filled as early as they are free.
static void fillRing(tile::FillRingOp op, Frame &f) {
  f.tileBlock->rings[op] = {};
  f.set(op.getRing(), int64_t(0)); // the op says which one it is
  fillSteps(op, op.getStages(), f);
}

static void waitForStage(tile::WaitForStageOp op, Frame &f) {
  auto ring = op.getRing().getDefiningOp<tile::FillRingOp>();
  TileBlock::Steps &steps = f.tileBlock->rings[ring];
  int64_t step = f.integer(op.getStep());
  if (step > steps.awaited || step >= steps.filled) {
    f.fail() << "waits for step " << step << ", where " << steps.awaited
             << " are waited for and " << steps.filled << " are filled";
    return;
  }
  steps.awaited = std::max(steps.awaited, step + 1);
}

static void freeStage(tile::FreeStageOp op, Frame &f) {
  auto ring = op.getRing().getDefiningOp<tile::FillRingOp>();
  int64_t step = f.integer(op.getStep());
  if (step >= f.tileBlock->rings[ring].awaited) {
    f.fail() << "frees step " << step << ", which nobody has waited for";
    return;
  }
  fillSteps(ring, step + 1 + ring.getStages(), f);
}

static void group(tile::GroupOp op, Frame &f) {
  SmallVector<RuntimeValue> results = f.run(op.getBody().front());
  if (f.failed()) {
    return;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results)) {
    f.set(result, value);
  }
}

void addTileLaunch(Handlers &handlers) {
  handlers.add<tile::GroupOp>(group);
  handlers.addTerminator<tile::GroupYieldOp>();
  handlers.add<tile::LaunchOp>(launch);
  handlers.addTerminator<tile::ReturnOp>();
  handlers.add<tile::RingOp>(ring);
  handlers.add<tile::FillRingOp>(fillRing);
  handlers.add<tile::WaitForStageOp>(waitForStage);
  handlers.add<tile::FreeStageOp>(freeStage);
  handlers.addTerminator<tile::RingYieldOp>();
  handlers.add<tile::BlockIdOp>([](tile::BlockIdOp op, Frame &f) {
    f.set(op.getResult(), f.tileBlock->at[size_t(op.getDimension())]);
  });
  // One op after the other, of all threads: nothing is left to wait for.
  handlers.add<tile::BarrierOp>([](tile::BarrierOp, Frame &) {});
  handlers.add<tile::FenceOp>([](tile::FenceOp, Frame &) {});
  handlers.add<tile::WaitForLaunchesOp>(
      [](tile::WaitForLaunchesOp, Frame &) {});
}

} // namespace cheems::interpreter
