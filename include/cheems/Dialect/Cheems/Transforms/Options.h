// What options of passes and pipelines are where nothing else is said.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_OPTIONS_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_OPTIONS_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::cheems {

/// The stages that a pipeline enters.
inline auto stageValues() {
  return llvm::cl::values(
      clEnumValN(Stage::Fused, "fused", "cheems-fuse"),
      clEnumValN(Stage::Buffers, "buffers", "cheems-bufferize"),
      clEnumValN(Stage::LLVM, "llvm", "cheems-to-llvm"));
}

} // namespace mlir::cheems

#endif
