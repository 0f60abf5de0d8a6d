// The parts of config.json that say what layers are made of: which of them are
// attention, SSD states, dynamic masks, experts.
#ifndef CHEEMS_LIB_IMPORT_CONFIGLAYERS_H
#define CHEEMS_LIB_IMPORT_CONFIGLAYERS_H

#include "lib/Import/Config.h"
#include "lib/Import/ConfigReader.h"

namespace cheems {

// Each reads fields into `result`; mistakes go to `reader`.

/// Which layers are attention; `layers` is set already.
void readPattern(ConfigReader &reader, NameSet names, CheckpointConfig &result);
/// The SSD layers' state size, 0 where no layer has one; the pattern and
/// headDim are set already.
void readState(ConfigReader &reader, CheckpointConfig &result);
/// The kind of dynamic mask, its threshold and its window, which is
/// `otherwise` where the field is absent.
void readMask(ConfigReader &reader, std::optional<int64_t> otherwise,
              CheckpointConfig &result, WarningHandler warn);
/// What layers with experts have, should there be any.
void readExperts(ConfigReader &reader, NameSet names, CheckpointConfig &result);

} // namespace cheems

#endif
