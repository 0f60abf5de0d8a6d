// cheems-enter-stage: stages come in order, and once.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace cheems {
#define GEN_PASS_DEF_ENTERSTAGEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using cheems::Stage;

namespace {
struct EnterStage : cheems::impl::EnterStagePassBase<EnterStage> {
  using EnterStagePassBase::EnterStagePassBase;

  Stage before() {
    return static_cast<Stage>(static_cast<int>(stage.getValue()) - 1);
  }

  /// As emitOpError, which would print the whole module, too.
  static InFlightDiagnostic refuse(ModuleOp module) {
    return emitError(module.getLoc()) << "'" << module->getName() << "' op ";
  }

  /// None where the module does not say.
  static std::optional<Stage> stageOf(ModuleOp module) {
    if (auto is = module->getAttrOfType<cheems::StageAttr>(cheems::kStage)) {
      return is.getValue();
    }
    return module.getOps<LLVM::LLVMFuncOp>().empty()
               ? std::nullopt
               : std::optional(Stage::LLVM);
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
    std::optional<Stage> is = stageOf(module);
    if (is && *is != before()) {
      auto error =
          *is < before() ? firstOp(module)->emitOpError() : refuse(module);
      return error << "is at stage " << stringifyStage(*is) << "; "
                   << pipelineOf(stage) << " takes "
                   << stringifyStage(before());
    }
    // What is in the LLVM dialect is for tools that know no other.
    if (stage == Stage::LLVM) {
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
