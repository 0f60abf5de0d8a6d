// Straight-line arithmetic for math functions, on f64 and f32 scalars and
// vectors.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOLLVM_EXPANDMATH_H
#define CHEEMS_LIB_CONVERSION_CPUTOLLVM_EXPANDMATH_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems {

/// sin(x), cos(x) for |x| < 2^30, below 2 ulp; NaN for infinities. x: f64 or a
/// vector of it.
Value expandSine(ImplicitLocOpBuilder &b, Value x);
Value expandCosine(ImplicitLocOpBuilder &b, Value x);

/// exp(x), below 2 ulp where the result is normal; 0 and infinity beyond the
/// range. x: f64 or a vector of it.
Value expandExp(ImplicitLocOpBuilder &b, Value x);

/// log(x), below 2 ulp; -infinity at 0, NaN below. x: f64 or a vector of it.
Value expandLog(ImplicitLocOpBuilder &b, Value x);

} // namespace cheems

#endif
