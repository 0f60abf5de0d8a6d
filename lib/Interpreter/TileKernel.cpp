// Kernels and their launches: a grid's blocks, one after the other.
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

static void alloc(tile::AllocOp op, Frame &f) {
  f.set(op.getBuffer(),
        std::make_shared<Memory>(
            emptyTensor(op.getBuffer().getType().getShape()), true));
}

void addTileKernel(Handlers &handlers) {
  handlers.add<tile::LaunchOp>(launch);
  handlers.addTerminator<tile::ReturnOp>();
  handlers.add<tile::AllocOp>(alloc);
  handlers.add<tile::BlockIdOp>([](tile::BlockIdOp op, Frame &f) {
    f.set(op.getResult(), f.tileBlock->at[size_t(op.getDimension())]);
  });
  // One op after the other, of all threads: nothing is left to wait for.
  handlers.add<tile::BarrierOp>([](tile::BarrierOp, Frame &) {});
  handlers.add<tile::WaitForLaunchesOp>(
      [](tile::WaitForLaunchesOp, Frame &) {});
}

} // namespace cheems::interpreter
