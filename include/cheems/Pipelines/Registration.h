// Everything a cheems tool needs registered.
#ifndef CHEEMS_PIPELINES_REGISTRATION_H
#define CHEEMS_PIPELINES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace cheems {

/// All upstream dialects and extensions, the cheems dialect and its interface
/// models.
void registerDialects(mlir::DialectRegistry &registry);

/// Our passes and the named pipelines (Pipelines.h), for tools that take pass
/// names.
void registerPassesAndPipelines();

} // namespace cheems

#endif
