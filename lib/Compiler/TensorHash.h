// What tells the weights of one checkpoint from those of another.
#ifndef CHEEMS_LIB_COMPILER_TENSORHASH_H
#define CHEEMS_LIB_COMPILER_TENSORHASH_H

#include "cheems/Import/SafeTensors.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"

namespace cheems {

/// XXH3-64 of the tensors of these names as the checkpoint stores them: of
/// name, type, shape and bytes. It does not depend on how an image lays them
/// out.
uint64_t
hashTensors(const llvm::StringSet<> &names,
            llvm::function_ref<const TensorView &(llvm::StringRef)> tensor);

} // namespace cheems

#endif
