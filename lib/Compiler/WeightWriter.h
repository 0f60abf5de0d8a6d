// Writes the weight section: each parameter converted and laid out as the
// module's table says.
#ifndef CHEEMS_LIB_COMPILER_WEIGHTWRITER_H
#define CHEEMS_LIB_COMPILER_WEIGHTWRITER_H

#include "cheems/Compiler/Compiler.h"
#include "cheems/Import/SafeTensors.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace cheems {

/// The stored tensor of a name in the table.
using StoredTensors = llvm::function_ref<const TensorView &(llvm::StringRef)>;

/// Streams the section to `os`, in the order of `table` (attribute
/// `cheems.parameters` of cheems-lower-parameters), padding each parameter to
/// its offset.
llvm::Error writeWeights(llvm::raw_ostream &os, mlir::ArrayAttr table,
                         StoredTensors stored, ProgressHandler progress);

} // namespace cheems

#endif
