// The variants of a model's code: each goes from the importer to an object on
// its own.
#ifndef CHEEMS_LIB_COMPILER_VARIANT_H
#define CHEEMS_LIB_COMPILER_VARIANT_H

#include "Metadata.h"
#include "cheems/Compiler/Compiler.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>

namespace cheems {

struct Variant {
  TargetInfo target;
  std::unique_ptr<mlir::MLIRContext> context; ///< owns what `facts` refer to
  ModuleFacts facts;
  std::string llvm; ///< text, where that is the stage asked for
  Object object;    ///< else this; empty where another variant's serves
};

/// What every variant is made from.
struct VariantSource {
  const ModelConfig &config;
  ImportOptions import;
  bool scalar;
  int64_t groupExperts; ///< as in CompileOptions
  bool emitLLVM;        ///< stop at LLVM IR
};

/// Makes all `targets`, as many at a time as this process has CPUs, in the
/// order given. An error is that of the first which failed. All refer to the
/// same weights and state; those whose kernels turn out the same share one
/// object, that of the least of them.
llvm::Expected<std::vector<Variant>>
compileVariants(const VariantSource &source, llvm::ArrayRef<TargetInfo> targets,
                ProgressHandler progress);

} // namespace cheems

#endif
