// Tables of experts as integers and a scale per row.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_QUANTIZETABLES_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_QUANTIZETABLES_H

#include "cheems/Dialect/Cheems/Utils/Weights.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Rounds the tables among `groups` that are marked (`Group::quantized`) and
/// that `cheems.mix_experts` alone reads: it then reads integers and scales.
LogicalResult quantizeTables(MutableArrayRef<WeightUses::Group> groups,
                             IRRewriter &rewriter);

} // namespace cheems

#endif
