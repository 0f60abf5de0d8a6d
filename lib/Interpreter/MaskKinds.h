// Kinds of masks, as the evaluators name them.
#ifndef CHEEMS_LIB_INTERPRETER_MASKKINDS_H
#define CHEEMS_LIB_INTERPRETER_MASKKINDS_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Import/ModelConfig.h"
#include "llvm/Support/ErrorHandling.h"

namespace cheems::interpreter {

inline MaskKind kindOf(mlir::cheems::MaskKind kind) {
  switch (kind) {
  case mlir::cheems::MaskKind::Bias:
    return MaskKind::Bias;
  case mlir::cheems::MaskKind::Threshold:
    return MaskKind::Threshold;
  case mlir::cheems::MaskKind::Scale:
    return MaskKind::Scale;
  }
  llvm_unreachable("every kind is handled");
}

} // namespace cheems::interpreter

#endif
