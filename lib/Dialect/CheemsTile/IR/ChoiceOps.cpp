// The verifiers of accesses to what indices choose.
#include "AccessUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace cheems::tile;

void GatherOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getTile(), "rows");
}

LogicalResult GatherOp::verify() {
  auto memory = cast<MemRefType>(getSource().getType());
  RankedTensorType tile = getTile().getType(), rows = getRows().getType();
  if (failed(verifyPlace(*this, memory, getOffsets().size(), getDims(),
                         /*extents=*/0, size_t(tile.getRank())))) {
    return failure();
  }
  auto slice = dyn_cast<SliceAttr>(rows.getEncoding());
  bool isOfPart =
      tile.getRank() == 2 && slice && slice.getOf() == layoutOf(tile);
  bool isOfNumbers =
      tile.getRank() == 1 && rows.getEncoding() == tile.getEncoding();
  if ((!isOfPart && !isOfNumbers) || rows.getRank() != 1 ||
      rows.getDimSize(0) != tile.getDimSize(unsigned(getAxis()))) {
    return emitOpError("C3: ")
           << rows << " has no number for each row of " << tile;
  }
  if (tile.getElementType() != memory.getElementType()) {
    return emitOpError("C4: the tile has elements of ")
           << tile.getElementType() << ", and the memory of "
           << memory.getElementType();
  }
  if (getAxis() == tile.getRank() - 1 &&
      int64_t(getAligned().value_or(0)) > memory.getElementTypeBitWidth() / 8) {
    return emitOpError("C5: numbers choose ")
           << (tile.getRank() == 1 ? "each element" : "columns")
           << ", so that no access has two elements";
  }
  return verifyAligned(*this, memory, getDims(), getAligned());
}

LogicalResult ScatterOp::verify() {
  auto memory = cast<MemRefType>(getTarget().getType());
  RankedTensorType tile = getTile().getType(), indices = getIndices().getType();
  auto dim = int64_t(getDim());
  if (failed(verifyPlace(*this, memory, getOffsets().size(), {dim},
                         /*extents=*/0, /*rank=*/1))) {
    return failure();
  }
  if (tile.getRank() != 1 || indices.getShape() != tile.getShape() ||
      indices.getEncoding() != tile.getEncoding()) {
    return emitOpError("C3: ")
           << indices << " has no number for each element of " << tile;
  }
  if (tile.getElementType() != memory.getElementType()) {
    return emitOpError("C4: the tile has elements of ")
           << tile.getElementType() << ", and the memory of "
           << memory.getElementType();
  }
  return success();
}

int64_t GatherOp::getAxis() {
  auto slice = dyn_cast<SliceAttr>(getRows().getType().getEncoding());
  bool isOfNumbers = getTile().getType().getRank() == 1;
  return isOfNumbers || !slice ? 0 : 1 - slice.getAxis();
}

LogicalResult CopyRowsOp::verify() {
  BufferType buffer = getBuffer().getType(), numbers = getNumbers().getType();
  auto verifySource = [&](Value source, OperandRange offsets) -> LogicalResult {
    auto memory = cast<MemRefType>(source.getType());
    if (failed(verifyPlace(*this, memory, offsets.size(), getDims(),
                           /*extents=*/0, /*rank=*/2))) {
      return failure();
    }
    if (getDims().back() != memory.getRank() - 1) {
      return emitOpError("C2: the second of dims is the last dimension of ")
             << memory;
    }
    if (buffer.getElementType() != memory.getElementType()) {
      return emitOpError("C4: the buffer has elements of ")
             << buffer.getElementType() << ", and the memory of "
             << memory.getElementType();
    }
    return success();
  };
  if (failed(verifySource(getSource(), getOffsets())) ||
      failed(verifySource(getOther(), getOtherOffsets()))) {
    return failure();
  }
  if (getExtents().size() != 2) {
    return emitOpError("C3: there are two extents, not ")
           << getExtents().size();
  }
  int64_t aligned = getAligned();
  if ((aligned != 4 && aligned != 8 && aligned != 16) ||
      buffer.getRowBytes() % aligned != 0) {
    return emitOpError("C5: aligned is 4, 8 or 16 and divides the ")
           << buffer.getRowBytes() << " bytes of a row, not " << aligned;
  }
  if (!numbers.getElementType().isInteger(32) || numbers.getRows() != 1 ||
      numbers.getColumns() < buffer.getRows() || numbers.getSwizzled()) {
    return emitOpError("C6: ")
           << numbers << " has no row of a number for each row of " << buffer;
  }
  if (int64_t(getSplit()) < 1) {
    return emitOpError("C7: split is at least 1");
  }
  // The extent of columns guards both memrefs, counted from one offset.
  if (!isEqualConstantIntOrValue(getOffsets().back(),
                                 getOtherOffsets().back())) {
    return emitOpError("C8: the last offsets are not one value, or equal "
                       "constants");
  }
  return success();
}

LogicalResult TallyOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (!buffer.getElementType().isInteger(32) || buffer.getSwizzled()) {
    return emitOpError("C1: numbers are counted in a buffer of i32 that is not "
                       "swizzled, not ")
           << buffer;
  }
  RankedTensorType rows = getRows().getType();
  if (hasCopies(layoutOf(rows), rows.getRank())) {
    return emitOpError("C2: several threads hold an element of ")
           << rows << ", and would count it more than once";
  }
  if (int64_t(getBelow()) < 1 || int64_t(getBelow()) > buffer.getColumns()) {
    return emitOpError("C3: below is 1 to ")
           << buffer.getColumns() << ", not " << int64_t(getBelow());
  }
  return success();
}

void PickOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getTile(), "picked");
}

LogicalResult PickOp::verify() {
  RankedTensorType tile = getTile().getType(), rows = getRows().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getElementType() != buffer.getElementType()) {
    return emitOpError("C1: the tile has elements of ")
           << tile.getElementType() << ", and the buffer of "
           << buffer.getElementType();
  }
  if (tile.getShape() != rows.getShape() ||
      tile.getEncoding() != rows.getEncoding()) {
    return emitOpError("C2: ")
           << tile << " has another shape or layout than " << rows;
  }
  return success();
}
