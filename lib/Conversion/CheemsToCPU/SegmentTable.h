// Reading the segment table.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_SEGMENTTABLE_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_SEGMENTTABLE_H

#include "cheems/Dialect/Cheems/IR/Segments.h"
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// A field of segment `s`, as an index.
Value segmentField(TensorBuilder &e, Value segments, Value s,
                   SegmentField field);

} // namespace cheems

#endif
