// The rotary part of config.json.
#ifndef CHEEMS_LIB_IMPORT_CONFIGROTARY_H
#define CHEEMS_LIB_IMPORT_CONFIGROTARY_H

#include "cheems/Import/Checkpoint.h"
#include "lib/Import/ConfigReader.h"

namespace cheems {

/// Reads `rope_parameters`, or `rope_theta` with `rope_scaling`, into `model`;
/// headDim and maxPositions are set already. Mistakes go to `reader`.
void readRotary(ConfigReader &reader, ModelConfig &model, llvm::StringRef file,
                WarningHandler warn);

} // namespace cheems

#endif
