// cheems-tile-overlap-launches: kernels of sm_90a wait for those ahead of them
// by themselves, so that a card may start them early.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace cheems::tile {
#define GEN_PASS_DEF_TILEOVERLAPLAUNCHESPASS
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"
} // namespace cheems::tile

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Fields of a step that only the host writes, before the first kernel starts.
static bool isOfHost(StringRef field) {
  return llvm::StringSwitch<bool>(field)
      .Cases({"parameters", "tokens", "segments", "rows", "embedding_rows"},
             true)
      .Default(false);
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
    auto field = function.getArgAttrOfType<StringAttr>(number, kField);
    return field && isOfHost(field);
  }
  // One that nobody calls, as what only some steps need, never runs.
  ArrayRef<Operation *> calls = users.getUsers(function);
  return function.isPrivate() && llvm::all_of(calls, [&](Operation *user) {
           auto call = dyn_cast<func::CallOp>(user);
           return call && isConstant(call.getOperand(number), users);
         });
}

/// Of the kernel's arguments, those that are constant in each launch of it.
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
      for (unsigned number : constantArguments(kernel, users).set_bits()) {
        kernel.setArgAttr(number, kConstant, UnitAttr::get(&getContext()));
      }
    }
  }
};
} // namespace
