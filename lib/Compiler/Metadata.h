// The artefact's metadata section (docs/abi.md).
#ifndef CHEEMS_LIB_COMPILER_METADATA_H
#define CHEEMS_LIB_COMPILER_METADATA_H

#include "TargetImage.h"
#include "cheems/Import/Checkpoint.h"
#include <string>

namespace cheems {

/// `module` is as it was imported; `block` is ImportOptions::block.
std::string describe(llvm::ArrayRef<TargetImage> images, mlir::ModuleOp module,
                     const Checkpoint &checkpoint,
                     const CompileOptions &options, int64_t block,
                     llvm::ArrayRef<std::string> warnings);

} // namespace cheems

#endif
