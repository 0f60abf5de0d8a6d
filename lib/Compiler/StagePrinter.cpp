// Runs the stages of a back end, and prints what they leave.
#include "StagePrinter.h"
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Pipelines/Registration.h"

namespace cheems {

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
runStages(const ModelSource &source, llvm::ArrayRef<BackendStage> stages,
          mlir::MLIRContext &context) {
  auto module = source.module(context);
  if (!module) {
    return module.takeError();
  }
  if (llvm::Error failed = runPasses(**module, [&](mlir::OpPassManager &pm) {
        for (const BackendStage &stage : stages) {
          stage.build(pm);
        }
      })) {
    return std::move(failed);
  }
  return std::move(*module);
}

llvm::Expected<std::string> printStage(const ModelSource &source,
                                       llvm::ArrayRef<BackendStage> stages) {
  const auto *last = llvm::find_if(stages, [&](const BackendStage &stage) {
    return stage.name == source.options().stage;
  });
  if (last == stages.end()) {
    return llvm::createStringError("there is no stage '" +
                                   source.options().stage + "'");
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = runStages(
      source, stages.take_front(size_t(last - stages.begin()) + 1), context);
  if (!module) {
    return module.takeError();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  // values are called what they came from
  (*module)->print(os, mlir::OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

} // namespace cheems
