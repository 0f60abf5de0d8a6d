// The variants of a model's code: each goes from the importer to an object on
// its own.
#ifndef CHEEMS_LIB_COMPILER_CPU_VARIANT_H
#define CHEEMS_LIB_COMPILER_CPU_VARIANT_H

#include "Options.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include <array>
#include <memory>
#include <optional>

namespace cheems {

/// What the passes leave on a module and the artefact records.
struct ModuleFacts {
  std::string generalEntry, decodeEntry;                    ///< symbols
  std::array<int64_t, 3> generalWorkspace, decodeWorkspace; ///< S, R, W bytes
  std::vector<StoredParameterAttr> parameters;
  std::vector<std::string> generalMarks, decodeMarks; ///< in their order
  std::optional<int64_t> ssdChunk; ///< rows; none in plain loops
  std::optional<int64_t> prefill;  ///< rows of a prompt per step
  int64_t decodeRows;              ///< of the decode entry, at most
};

struct CompiledVariant {
  TargetInfo target;
  std::unique_ptr<mlir::MLIRContext> context; ///< owns what `facts` refer to
  ModuleFacts facts;
  std::string llvm; ///< text, where that is the stage asked for
  Object object;    ///< else this; empty where another variant's serves
};

/// What passes are told of a target.
TargetDescription describe(const TargetInfo &target, const CPUOptions &options);

/// Makes all `targets`, as many at a time as this process has CPUs, in the
/// order given. An error is that of the first which failed. All refer to the
/// same weights; those whose kernels turn out the same share one
/// object, that of the least of them.
llvm::Expected<std::vector<CompiledVariant>>
compileVariants(const ModelSource &source, const CPUOptions &options,
                llvm::ArrayRef<TargetInfo> targets, ProgressHandler progress);

} // namespace cheems

#endif
