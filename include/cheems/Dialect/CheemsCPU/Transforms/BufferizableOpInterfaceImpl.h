// What bufferisation needs of the cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define CHEEMS_DIALECT_CHEEMSCPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/DialectRegistry.h"

namespace cheems {

/// Lets one-shot bufferisation take the dialect's destination-style ops as they
/// are.
void registerCPUBufferizableOpInterfaceModels(DialectRegistry &registry);

} // namespace cheems

#endif
