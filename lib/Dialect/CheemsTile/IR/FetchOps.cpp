// The verifier of fetch_rows.
#include "AccessUtils.h"

using namespace mlir;
using namespace cheems::tile;

LogicalResult FetchRowsOp::verify() {
  if (failed(verifyCopy(*this, /*extents=*/0))) {
    return failure();
  }
  BufferType buffer = getBuffer().getType();
  RankedTensorType rows = getRows().getType();
  auto slice = dyn_cast<SliceAttr>(rows.getEncoding());
  if (!slice || slice.getAxis() != 1 || rows.getRank() != 1 ||
      rows.getDimSize(0) != buffer.getRows()) {
    return emitOpError("C3: ")
           << rows << " has no number for each row of " << buffer;
  }
  TileLayoutAttrInterface layout = slice.getOf();
  int64_t neighbours = layout.getVectorWidth() * buffer.getElementBytes();
  if (neighbours % int64_t(getAligned()) != 0) {
    return emitOpError("C5: a thread holds ")
           << neighbours << " bytes of neighbours, which "
           << int64_t(getAligned()) << " does not divide";
  }
  if (hasCopies(layout, /*rank=*/2)) {
    return emitOpError("C6: several threads hold an element of ") << layout;
  }
  return success();
}
