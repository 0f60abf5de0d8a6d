// Builds the module of a checkpoint: one step, and a function per kind of
// layer.
#ifndef CHEEMS_IMPORT_MODULEBUILDER_H
#define CHEEMS_IMPORT_MODULEBUILDER_H

#include "cheems/Import/ModelDescription.h"
#include "cheems/Import/SafeTensors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace cheems {

struct ImportOptions {
  DType matrices = DType::F32; ///< element type: F32, BF16 or F16
  bool stateBF16 = false;      ///< element type of stored keys and values
  bool stateInt8 =
      false; ///< instead: quantized values with a scale per key and value
  int64_t weightBits =
      0;              ///< 8 or 4: of quantized values that matmuls take instead
  int64_t block = 64; ///< rows a sequence that keeps a window is processed in
};

/// An UnsupportedError that names what a description has and no op says yet.
llvm::Error checkBuildable(const ModelDescription &model);

/// Takes a description that checkBuildable() passes.
/// The module is straight-line and knows no target. It carries
/// - `cheems.state`: the pools in order, {name, role, type, shape}, extents
/// "slots" and "capacity" by name;
/// - the function `step` on tensors, whose arguments say as `cheems.field` what
/// they are: `tokens`, `segments`, `rows`, `logits` and `pools`; it returns the
/// latter two;
/// - a function per kind of layer, and `head`.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext &context,
                                              const ModelDescription &model,
                                              const ImportOptions &options);

} // namespace cheems

#endif
