// Writes the weight section: each parameter converted and laid out as the
// module's table says.
#ifndef CHEEMS_LIB_COMPILER_WEIGHTWRITER_H
#define CHEEMS_LIB_COMPILER_WEIGHTWRITER_H

#include "cheems/Compiler/Backend.h"
#include "cheems/Import/SafeTensors.h"

namespace cheems {

/// The stored tensor of a name in the table.
using StoredTensors = llvm::function_ref<const TensorView &(llvm::StringRef)>;

/// The parameters of an image, and what writes those in layouts of its target.
struct WrittenParameters {
  llvm::ArrayRef<StoredParameterAttr> parameters; ///< of Image
  ParameterWriter *writer; ///< to the same stream; may be null
};

/// Streams the section to `os`, in the order of offsets, padding each parameter
/// to its own. What several images read at one offset is written once.
llvm::Error writeWeights(llvm::raw_ostream &os,
                         llvm::ArrayRef<WrittenParameters> tables,
                         StoredTensors stored, ProgressHandler progress);

} // namespace cheems

#endif
