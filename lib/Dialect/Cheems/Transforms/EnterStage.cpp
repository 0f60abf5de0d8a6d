// cheems-enter-stage: pipelines run in order, and once.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_ENTERSTAGEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;
using cheems::Stage;

namespace {
/// What makes a module of that stage.
StringRef makerOf(Stage stage) {
  switch (stage) {
  case Stage::Imported:
    return "cheems-compile --emit mlir";
  case Stage::Fused:
    return "cheems-fuse";
  case Stage::Buffers:
    return "cheems-bufferize";
  case Stage::LLVM:
    return "cheems-to-llvm";
  }
  llvm_unreachable("every stage is made by something");
}

struct EnterStage : cheems::impl::EnterStagePassBase<EnterStage> {
  using EnterStagePassBase::EnterStagePassBase;

  static Stage after(Stage stage) {
    return static_cast<Stage>(static_cast<int>(stage) + 1);
  }

  /// As emitOpError, which would print the whole module, too.
  static InFlightDiagnostic refuse(ModuleOp module) {
    return emitError(module.getLoc()) << "'" << module->getName() << "' op ";
  }

  /// None where the module does not say.
  FailureOr<std::optional<Stage>> stageOf(ModuleOp module) {
    if (!module.getOps<LLVM::LLVMFuncOp>().empty()) {
      return std::optional(Stage::LLVM);
    }
    Attribute said = module->getAttr(cheems::kStage);
    if (!said) {
      return std::optional<Stage>();
    }
    auto is = dyn_cast<cheems::StageAttr>(said);
    if (!is) {
      return refuse(module)
             << cheems::kStage << " is no #cheems.stage: " << said;
    }
    return std::optional(is.getValue());
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
    FailureOr<std::optional<Stage>> is = stageOf(module);
    if (failed(is)) {
      return failure();
    }
    if (*is && **is >= stage) {
      return refuse(module) << "has been through " << makerOf(**is) << "; "
                            << makerOf(stage) << " takes what "
                            << makerOf(static_cast<Stage>(
                                   static_cast<int>(stage.getValue()) - 1))
                            << " makes";
    }
    if (*is && after(**is) < stage) {
      SmallVector<StringRef> missing;
      for (Stage next = after(**is); next < stage; next = after(next)) {
        missing.push_back(makerOf(next));
      }
      return firstOp(module)->emitOpError()
             << "needs " << llvm::join(missing, " and ") << " before "
             << makerOf(stage);
    }
    module->setAttr(cheems::kStage,
                    cheems::StageAttr::get(&getContext(), stage));
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
