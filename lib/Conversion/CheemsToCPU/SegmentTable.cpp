// Reading the segment table.
#include "SegmentTable.h"

using namespace mlir;

Value cheems::segmentField(TensorBuilder &e, Value segments, Value s,
                           SegmentField field) {
  Value stored =
      tensor::ExtractOp::create(e.b, segments, ValueRange{s, e.index(field)});
  return arith::IndexCastOp::create(e.b, e.b.getIndexType(), stored);
}
