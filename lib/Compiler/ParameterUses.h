// What each tensor of a checkpoint is for, by the names that the importer
// bound.
#ifndef CHEEMS_LIB_COMPILER_PARAMETERUSES_H
#define CHEEMS_LIB_COMPILER_PARAMETERUSES_H

#include "cheems/Import/ModelDescription.h"
#include "llvm/ADT/StringMap.h"

namespace cheems {

/// Returns each parameter's use, in the words of the metadata (docs/abi.md):
/// "vector", "product", "expert_keys", "experts", "embedding", "head" or
/// "head_bias".
llvm::StringMap<llvm::StringRef> parameterUses(const ModelDescription &model);

} // namespace cheems

#endif
