// The segment table of a step, checked: what the ops of a step leave to their
// caller.
#ifndef CHEEMS_LIB_INTERPRETER_SEGMENTTABLE_H
#define CHEEMS_LIB_INTERPRETER_SEGMENTTABLE_H

#include "Frame.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Reference/Segments.h"

namespace cheems::interpreter {

/// The segments of a step of so many rows. They cover all rows, and none twice;
/// no two have one slot. Else the run fails, and there are none.
std::vector<reference::Segment> segmentsOf(SegmentedOpInterface op,
                                           int64_t rows, Frame &f);

/// Whether a pool [slots, layers, ...] has the slots and the layer; an error
/// where not.
bool hasSlots(llvm::ArrayRef<reference::Segment> segments, int64_t layer,
              const Tensor &pool, Frame &f);

/// Checks that what is read of a pool is written: below `index`, the first
/// `count` of its entries.
void checkWritten(mlir::Value pool, llvm::ArrayRef<int64_t> index,
                  int64_t count, Frame &f);

} // namespace cheems::interpreter

#endif
