// The segment table of a step: which rows are whose, and where they stand.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SEGMENTS_H
#define CHEEMS_DIALECT_CHEEMS_IR_SEGMENTS_H

#include "cheems/Support/MLIR.h"
#include <cstdint>

namespace cheems {

/// The columns of the table, i32 each, one row per segment: rows
/// [start, start + length) of the step belong to the sequence in a slot, which
/// has `position` rows already; its rotary base is for a sequence of
/// `rope_length` (include/cheems/abi.h). Columns from kRopeLength + 1 on are
/// reserved.
enum SegmentField : int64_t {
  kSlot,
  kStart,
  kLength,
  kPosition,
  kRopeLength,
  kSegmentFields = 8
};

} // namespace cheems

#endif
