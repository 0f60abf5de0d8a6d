// The spellings of tensor names, and which of them a checkpoint has.
#ifndef CHEEMS_LIB_IMPORT_NAMESETS_H
#define CHEEMS_LIB_IMPORT_NAMESETS_H

#include "lib/Import/Config.h"
#include "lib/Import/WeightFiles.h"

namespace cheems {

/// What the name sets call the same thing. Projections, query/key norms and
/// the tables of experts agree.
struct Names {
  llvm::StringLiteral embedding, finalNorm;
  llvm::StringLiteral sequenceNorm, sequenceResidual, stateNorm, stateResidual;
  llvm::StringLiteral attention, ssd, mlp; ///< what leads their parts' names
  bool plainMLP;                           ///< layers without gate_proj exist
  bool router; ///< experts are scored by router_gate, else by queries and keys
};
const Names &namesOf(NameSet names);

/// Decides by the embedding's name and by those of the layers; a model_type
/// that says otherwise is an error. `file` is that of config.json.
llvm::Expected<NameSet> detectNameSet(const WeightFiles &weights,
                                      llvm::StringRef modelType,
                                      llvm::StringRef file);

} // namespace cheems

#endif
