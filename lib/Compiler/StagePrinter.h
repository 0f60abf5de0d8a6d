// A model's module at a stage of a back end, as text.
#ifndef CHEEMS_LIB_COMPILER_STAGEPRINTER_H
#define CHEEMS_LIB_COMPILER_STAGEPRINTER_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

/// Runs `stages` up to the last of them on the imported module.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
runStages(const ModelSource &source, llvm::ArrayRef<BackendStage> stages,
          mlir::MLIRContext &context);

/// The text of the stage that options().stage names, which is one of `stages`.
llvm::Expected<std::string> printStage(const ModelSource &source,
                                       llvm::ArrayRef<BackendStage> stages);

} // namespace cheems

#endif
