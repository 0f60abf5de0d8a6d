// The rotary part of config.json.
#ifndef CHEEMS_LIB_IMPORT_CONFIGROTARY_H
#define CHEEMS_LIB_IMPORT_CONFIGROTARY_H

#include "lib/Import/Config.h"
#include "lib/Import/ConfigReader.h"

namespace cheems {

/// Reads `rope_parameters`, or `rope_theta` with `rope_scaling`; headDim,
/// ssdStateSize, the layers' kinds and maxPositions are set already. Mistakes
/// go to `reader`.
void readRotary(ConfigReader &reader, NameSet names, CheckpointConfig &result,
                WarningHandler warn);

} // namespace cheems

#endif
