// Matches the tensors of a checkpoint against the model its configuration
// describes.
#ifndef CHEEMS_LIB_IMPORT_BINDTENSORS_H
#define CHEEMS_LIB_IMPORT_BINDTENSORS_H

#include "lib/Import/Config.h"
#include "lib/Import/WeightFiles.h"

namespace cheems {

struct BoundModel {
  ModelConfig config;
  std::vector<const TensorView *> used; ///< those that config names
  DType precision = DType::F32;
};
/// Finds every tensor, checks shapes and types, and refuses tensors that are
/// left over: ignoring one could change the results unnoticed.
llvm::Expected<BoundModel> bindTensors(CheckpointConfig config, NameSet names,
                                       const WeightFiles &weights,
                                       WarningHandler warn);

} // namespace cheems

#endif
