// cheems-name-loops: a parallel loop says what it computes, for profiles.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "llvm/ADT/StringExtras.h"

namespace cheems {
#define GEN_PASS_DEF_NAMELOOPSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// Ops that say what a loop is for: with none of the dialect's, structured ops.
SmallVector<Operation *> workOf(scf::ForallOp loop) {
  SmallVector<Operation *> ours, others;
  loop->walk([&](Operation *op) {
    if (isa<DestinationStyleOpInterface>(op) &&
        isa<cheems::CheemsDialect, cheems::cpu::CheemsCPUDialect>(
            op->getDialect())) {
      ours.push_back(op);
    } else if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op)) {
      others.push_back(op);
    }
  });
  return ours.empty() ? others : ours;
}

/// For matmuls, the rows and columns of the whole weight. The loop's results
/// are put together from panels.
std::string kindOf(Operation *op, scf::ForallOp loop) {
  std::string name = isa<linalg::GenericOp>(op)
                         ? "elementwise"
                         : op->getName().stripDialect().str();
  auto product = dyn_cast<cheems::cpu::LinearOp>(op);
  if (!product || loop.getNumResults() != 1) {
    return name;
  }
  auto whole = cast<RankedTensorType>(loop.getResult(0).getType());
  int64_t inner = cast<ShapedType>(product.getX().getType()).getDimSize(1),
          outer = whole.getShape().back();
  return name + " " + std::to_string(outer) + "x" + std::to_string(inner);
}

struct NameLoops : cheems::impl::NameLoopsPassBase<NameLoops> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      SmallVector<std::string> kinds; // each once
      SmallVector<Location> locations;
      for (Operation *op : workOf(loop)) {
        std::string kind = kindOf(op, loop);
        if (!llvm::is_contained(kinds, kind)) {
          kinds.push_back(kind);
        }
        locations.push_back(op->getLoc());
      }
      if (!kinds.empty()) {
        std::string name = llvm::join(kinds, "+"),
                    parts = cheems::describeParts(locations);
        name += parts.empty() ? "" : " (" + parts + ")";
        loop->setAttr(cheems::cpu::kName, StringAttr::get(&getContext(), name));
      }
      return WalkResult::skip(); // one inside runs as part of it
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
