// cheems-tile-overlap-launches: kernels of sm_90a wait for those before them
// by themselves, so that a GPU may start them early. Weights that a kernel
// begins with come while it waits.
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"

namespace cheems::tile {
#define GEN_PASS_DEF_TILEOVERLAPLAUNCHESPASS
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"
} // namespace cheems::tile

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Fields of a step that only the host writes, before the first kernel starts.
static bool isOfHost(StepField field) {
  constexpr StepField ofHost[] = {StepField::Parameters, StepField::Tokens,
                                  StepField::Segments, StepField::Rows,
                                  StepField::EmbeddingRows};
  return llvm::is_contained(ofHost, field);
}

/// Whether no kernel writes the memory, whoever calls the function.
static bool isConstant(Value memory, const SymbolUserMap &users) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>()) {
    memory = view.getViewSource();
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : nullptr;
  if (!function) {
    return false;
  }
  unsigned number = argument.getArgNumber();
  if (function->hasAttr(kEntry)) {
    std::optional<StepField> field = stepFieldOf(function, number);
    return field && isOfHost(*field);
  }
  // One that nobody calls, as what only some steps need, never runs.
  ArrayRef<Operation *> calls = users.getUsers(function);
  return function.isPrivate() && llvm::all_of(calls, [&](Operation *user) {
           auto call = dyn_cast<func::CallOp>(user);
           return call && isConstant(call.getOperand(number), users);
         });
}

/// Returns those arguments of the kernel that are constant in each launch of
/// it.
static llvm::BitVector constantArguments(KernelOp kernel,
                                         const SymbolUserMap &users) {
  ArrayRef<Operation *> launches = users.getUsers(kernel);
  llvm::BitVector constant(unsigned(kernel.getArgumentTypes().size()),
                           !launches.empty());
  for (Operation *user : launches) {
    auto launch = dyn_cast<LaunchOp>(user);
    if (!launch) {
      return llvm::BitVector(constant.size());
    }
    SmallVector<Value> operands(launch.getInputs());
    llvm::append_range(operands, launch.getOutputs());
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (!isa<MemRefType>(operand.getType()) || !isConstant(operand, users)) {
        constant.reset(unsigned(number));
      }
    }
  }
  return constant;
}

/// Whether the op loads memory that no kernel writes.
static bool loadsConstant(Operation *op) {
  auto argument = isa<LoadOp, GatherOp, memref::LoadOp>(op)
                      ? dyn_cast<BlockArgument>(op->getOperand(0))
                      : BlockArgument();
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : nullptr;
  return kernel && kernel.getArgAttr(argument.getArgNumber(), kConstant);
}

/// Whether the op may run while earlier kernels do: it touches no memory that
/// they do.
static bool mayComeFirst(Operation *op) {
  return loadsConstant(op) || isa<AllocOp>(op) || isMemoryEffectFree(op);
}

static bool branchesToLoads(Operation *op);

/// Whether a block begins with loads of constant memory, or a branch of it.
static bool beginsWithLoads(Block &block) {
  auto found = llvm::find_if(block, [](Operation &op) {
    return loadsConstant(&op) || !mayComeFirst(&op);
  });
  return found != block.end() &&
         (loadsConstant(&*found) || branchesToLoads(&*found));
}

static bool branchesToLoads(Operation *op) {
  return isa<scf::IfOp>(op) && llvm::any_of(op->getRegions(), [](Region &one) {
           return !one.empty() && beginsWithLoads(one.front());
         });
}

static void waitBefore(Operation *op) {
  OpBuilder b(op);
  WaitForLaunchesOp::create(b, op->getLoc());
}

/// Each path waits after the loads that it begins with. Returns whether the
/// block does: a path that came through a branch may then have waited twice.
static bool waitAfterLoads(Block &block) {
  for (Operation &op : block) {
    if (mayComeFirst(&op)) {
      continue;
    }
    if (!branchesToLoads(&op)) {
      waitBefore(&op);
      return true;
    }
    for (Region &region : op.getRegions()) {
      if (!region.empty()) {
        waitAfterLoads(region.front());
      }
    }
  }
  return false;
}

static void placeWaits(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (!beginsWithLoads(body)) {
    waitBefore(&body.front());
  } else if (!waitAfterLoads(body)) {
    // When a kernel has ended, so have all before it.
    waitBefore(body.getTerminator());
  }
}

namespace {
struct TileOverlapLaunches
    : cheems::tile::impl::TileOverlapLaunchesPassBase<TileOverlapLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<TargetAttr>(kTarget);
    if (!target || target.getArch() != Architecture::SM90a) {
      return;
    }
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (auto kernel : module.getOps<KernelOp>()) {
      kernel.setOverlaps(true);
      const llvm::BitVector constant = constantArguments(kernel, users);
      for (unsigned number : constant.set_bits()) {
        kernel.setArgAttr(number, kConstant, UnitAttr::get(&getContext()));
      }
      placeWaits(kernel);
    }
  }
};
} // namespace
