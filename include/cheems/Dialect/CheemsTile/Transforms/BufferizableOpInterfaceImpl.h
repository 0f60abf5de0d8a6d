// What bufferisation needs of the cheems_tile dialect.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/DialectRegistry.h"

namespace cheems {

/// Lets one-shot bufferisation take launches as they are: a kernel writes into
/// the buffers of `outs`, and may read them.
void registerTileBufferizableOpInterfaceModels(DialectRegistry &registry);

} // namespace cheems

#endif
