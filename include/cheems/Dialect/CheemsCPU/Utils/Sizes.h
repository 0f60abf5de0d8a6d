// Sizes that ops carry as attributes.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_UTILS_SIZES_H
#define CHEEMS_DIALECT_CHEEMSCPU_UTILS_SIZES_H

#include "cheems/Dialect/CheemsCPU/IR/AttributeNames.h"
#include "mlir/IR/Operation.h"

namespace mlir::cheems {

/// Takes the size `name` off `op`, `otherwise` where it has none. An error
/// where that is no positive number.
FailureOr<int64_t> takeSize(Operation *op, StringRef name, int64_t otherwise);

} // namespace mlir::cheems

#endif
