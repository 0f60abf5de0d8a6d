// Epilogues of ops, a vector of elements at a time.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_EPILOGUE_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_EPILOGUE_H

#include "Kernels.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// What `epilogue` yields for vectors of `lanes` elements, one for each of its
/// arguments. Scalars from outside of it are spread.
Value emitEpilogue(OpBuilder &b, Location loc, Block &epilogue,
                   ValueRange arguments, int64_t lanes);

} // namespace cheems

#endif
