// Errors about a model that a target cannot handle, in place of errors of
// passes.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_REFUSALS_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_REFUSALS_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace cheems {

/// The mark of such an error, among the diagnostic's metadata.
constexpr llvm::StringLiteral kUnsupported = "unsupported";

/// An error of `op` that is no fault of a pass: the module is sound, and the
/// target has nothing for the op. A compile ends with it as with a model that
/// the importer refuses.
inline InFlightDiagnostic emitUnsupported(Operation *op) {
  InFlightDiagnostic error = op->emitOpError();
  error.getUnderlyingDiagnostic()->getMetadata().push_back(
      DiagnosticArgument(kUnsupported));
  return error;
}

inline bool isUnsupported(Diagnostic &diagnostic) {
  return llvm::any_of(
      diagnostic.getMetadata(), [](const DiagnosticArgument &argument) {
        return argument.getKind() ==
                   DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == kUnsupported;
      });
}

} // namespace cheems

#endif
