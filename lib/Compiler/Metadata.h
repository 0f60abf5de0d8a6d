// The artefact's metadata section (docs/abi.md).
#ifndef CHEEMS_LIB_COMPILER_METADATA_H
#define CHEEMS_LIB_COMPILER_METADATA_H

#include "cheems/Compiler/Compiler.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Target/CPU/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// What the passes leave on a module and the artefact records.
struct ModuleFacts {
  std::string generalEntry, decodeEntry;                    ///< symbols
  std::array<int64_t, 3> generalWorkspace, decodeWorkspace; ///< S, R, W bytes
  mlir::ArrayAttr state, parameters;
  std::vector<std::string> generalMarks, decodeMarks; ///< in their order
  int64_t block;
  std::optional<int64_t> ssdChunk, prefill; ///< rows; none in plain loops
};
/// Read before the module is lowered to LLVM.
ModuleFacts collectFacts(mlir::ModuleOp module, int64_t block);

struct Variant;

std::string describe(llvm::ArrayRef<Variant> variants,
                     const Checkpoint &checkpoint,
                     const CompileOptions &options,
                     llvm::ArrayRef<std::string> warnings);

} // namespace cheems

#endif
