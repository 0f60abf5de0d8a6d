// Sizes that ops carry as attributes.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_STRATEGY_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_STRATEGY_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsCPU/Utils/Sizes.h"

namespace mlir::cheems {

/// What alone uses `linear` and finishes it in place: both are split together.
FinishOp finishOf(LinearOp linear);

} // namespace mlir::cheems

#endif
