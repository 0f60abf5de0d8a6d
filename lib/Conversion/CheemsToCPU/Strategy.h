// Sizes that ops carry as attributes.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_STRATEGY_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_STRATEGY_H

#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace mlir::cheems {

/// What alone uses `linear` and finishes it in place: both are split together.
FinishOp finishOf(LinearOp linear);

/// Takes the size `name` off `op`, `otherwise` where it has none. An error
/// where that is no positive number.
FailureOr<int64_t> takeSize(Operation *op, StringRef name, int64_t otherwise);

} // namespace mlir::cheems

#endif
