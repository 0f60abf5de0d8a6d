// cheems-enter-stage: stages come in order, and once.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace cheems {
#define GEN_PASS_DEF_ENTERSTAGEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// A module in the LLVM dialect, whatever the target.
constexpr StringRef llvmStage = "llvm";

struct EnterStage : cheems::impl::EnterStagePassBase<EnterStage> {
  using EnterStagePassBase::EnterStagePassBase;

  /// Acts as emitOpError does, which would print the whole module, too.
  static InFlightDiagnostic refuse(ModuleOp module) {
    return emitError(module.getLoc()) << "'" << module->getName() << "' op ";
  }

  /// None where the module does not say.
  static std::optional<StringRef> stageOf(ModuleOp module) {
    if (auto is = module->getAttrOfType<cheems::StageAttr>(cheems::kStage)) {
      return is.getName();
    }
    return module.getOps<LLVM::LLVMFuncOp>().empty() ? std::nullopt
                                                     : std::optional(llvmStage);
  }

  /// The first op of ours, which is there until all stages are done.
  static Operation *firstOp(ModuleOp module) {
    Operation *first = module;
    module->walk([&](Operation *op) {
      // of any level
      if (!op->getName().getDialectNamespace().starts_with("cheems") ||
          isa<cheems::MarkOp>(op)) {
        return WalkResult::advance();
      }
      first = op;
      return WalkResult::interrupt();
    });
    return first;
  }

  LogicalResult enter(ModuleOp module) {
    SmallVector<StringRef> earlier(before.begin(), before.end());
    if (earlier.empty()) {
      earlier.push_back("imported");
    }
    std::optional<StringRef> is = stageOf(module);
    if (is && *is != earlier.back()) {
      auto error = llvm::is_contained(earlier, *is)
                       ? firstOp(module)->emitOpError()
                       : refuse(module);
      return error << "is at stage " << *is << "; cheems-to-" << stage
                   << " takes " << earlier.back();
    }
    // What is in the LLVM dialect is for tools that know no other.
    if (stage == llvmStage) {
      module->removeAttr(cheems::kStage);
    } else {
      module->setAttr(cheems::kStage,
                      cheems::StageAttr::get(&getContext(), stage));
    }
    return success();
  }

  void runOnOperation() override {
    if (failed(enter(getOperation()))) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
