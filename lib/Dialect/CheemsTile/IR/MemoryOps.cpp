// The law of loads, stores, copies and buffer accesses.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

/// C1 to C3: offsets, dims and extents of a tile of `rank` dimensions.
static LogicalResult verifyPlace(Operation *op, MemRefType memory,
                                 size_t offsets, ArrayRef<int64_t> dims,
                                 size_t extents, size_t rank) {
  if (offsets != size_t(memory.getRank())) {
    return op->emitOpError("C1: ") << memory << " takes " << memory.getRank()
                                   << " offsets, not " << offsets;
  }
  bool distinct = true;
  for (size_t d = 0; d < dims.size(); ++d) {
    distinct &= dims[d] >= 0 && dims[d] < memory.getRank() &&
                !llvm::is_contained(dims.take_front(d), dims[d]);
  }
  if (dims.size() != rank || !distinct) {
    return op->emitOpError("C2: dims are ")
           << rank << " different dimensions of " << memory << ", not [" << dims
           << "]";
  }
  if (extents != 0 && extents != rank) {
    return op->emitOpError("C3: there are no extents or ")
           << rank << ", not " << extents;
  }
  return success();
}

/// C5 of tiles in registers.
static LogicalResult verifyAligned(Operation *op, MemRefType memory,
                                   ArrayRef<int64_t> dims,
                                   std::optional<int64_t> aligned) {
  if (!aligned) {
    return success();
  }
  int64_t bytes = memory.getElementTypeBitWidth() / 8;
  if (*aligned < bytes || *aligned > 16 ||
      !llvm::isPowerOf2_64(uint64_t(*aligned))) {
    return op->emitOpError("C5: aligned is a power of two from ")
           << bytes << " to 16, not " << *aligned;
  }
  if (*aligned > bytes && dims.back() != memory.getRank() - 1) {
    return op->emitOpError("C5: aligned accesses are along the last dimension "
                           "of ")
           << memory;
  }
  return success();
}

/// Whether a tile's rows are parts of so many, and no thread has rows of two.
static bool hasPartsOf(RankedTensorType tile, int64_t rows) {
  if (rows < 1 || !llvm::isPowerOf2_64(uint64_t(rows)) ||
      tile.getDimSize(0) % rows != 0) {
    return false;
  }
  TileLayoutAttrInterface layout = layoutOf(tile);
  int64_t last = 0;
  for (ArrayRef<int64_t> place : layout.getElements(tile.getShape())) {
    last = std::max(last, place[0]);
  }
  AffineMap first = layout.getThreadMap(tile.getShape());
  return llvm::all_of(llvm::seq<int64_t>(layout.getWarpCount() * kWarpThreads),
                      [&](int64_t thread) {
                        return first.compose({thread}).front() % rows + last <
                               rows;
                      });
}

/// Whether several threads hold the same element of a tile of this layout.
static bool hasCopies(TileLayoutAttrInterface layout, int64_t rank) {
  int64_t held = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    held |= layout.getThreadBits(axis);
  }
  return held != layout.getWarpCount() * kWarpThreads - 1;
}

/// C6 of loads and stores.
static LogicalResult verifyParts(Operation *op, MemRefType memory,
                                 ArrayRef<int64_t> dims, RankedTensorType tile,
                                 std::optional<int64_t> parts,
                                 std::optional<int64_t> along) {
  if (parts && !hasPartsOf(tile, *parts)) {
    return op->emitOpError("C6: threads hold no parts of ")
           << *parts << " rows of " << tile;
  }
  if (along && (!parts || *along < 0 || *along >= memory.getRank() ||
                llvm::is_contained(dims, *along))) {
    return op->emitOpError("C6: parts follow each other along a dimension of ")
           << memory << " that is not one of [" << dims << "], not along "
           << *along;
  }
  return success();
}

/// A load or a store.
template <typename OpTy>
static LogicalResult verifyAccess(OpTy op, MemRefType memory) {
  RankedTensorType tile = op.getTile().getType();
  if (failed(verifyPlace(op, memory, op.getOffsets().size(), op.getDims(),
                         op.getExtents().size(), size_t(tile.getRank())))) {
    return failure();
  }
  if (tile.getElementType() != memory.getElementType()) {
    return op.emitOpError("C4: the tile has elements of ")
           << tile.getElementType() << ", and the memory of "
           << memory.getElementType();
  }
  if (failed(verifyAligned(op, memory, op.getDims(), op.getAligned()))) {
    return failure();
  }
  return verifyParts(op, memory, op.getDims(), tile, op.getParts(),
                     op.getAlong());
}

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getTile(), "tile");
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, cast<MemRefType>(getSource().getType()));
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, cast<MemRefType>(getTarget().getType())))) {
    return failure();
  }
  if (getParts() && !getAlong()) {
    return emitOpError("C6: parts of a tile that is stored have an along");
  }
  if (holdsPartialSums(getTile().getType())) {
    return emitOpError("C7: the tile holds sums over a part of k: add them by "
                       "sum_partials before");
  }
  return success();
}

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
  RankedTensorType tile = getTile().getType(), places = getPlaces().getType();
  auto dim = int64_t(getDim());
  if (failed(verifyPlace(*this, memory, getOffsets().size(), {dim},
                         /*extents=*/0, /*rank=*/1))) {
    return failure();
  }
  if (tile.getRank() != 1 || places.getShape() != tile.getShape() ||
      places.getEncoding() != tile.getEncoding()) {
    return emitOpError("C3: ")
           << places << " has no number for each element of " << tile;
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

/// C1 to C5 of a copy from one memref.
template <typename OpTy>
static LogicalResult verifyCopy(OpTy op, size_t extents) {
  auto memory = cast<MemRefType>(op.getSource().getType());
  BufferType buffer = op.getBuffer().getType();
  if (failed(verifyPlace(op, memory, op.getOffsets().size(), op.getDims(),
                         extents, 2))) {
    return failure();
  }
  if (op.getDims().back() != memory.getRank() - 1) {
    return op.emitOpError("C2: the second of dims is the last dimension of ")
           << memory;
  }
  if (buffer.getElementType() != memory.getElementType()) {
    return op.emitOpError("C4: the buffer has elements of ")
           << buffer.getElementType() << ", and the memory of "
           << memory.getElementType();
  }
  int64_t aligned = op.getAligned();
  if ((aligned != 4 && aligned != 8 && aligned != 16) ||
      buffer.getRowBytes() % aligned != 0) {
    return op.emitOpError("C5: aligned is 4, 8 or 16 and divides the ")
           << buffer.getRowBytes() << " bytes of a row, not " << aligned;
  }
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  return verifyCopy(*this, getExtents().size());
}

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

LogicalResult WaitOp::verify() {
  if (int64_t(getPending()) < 0) {
    return emitOpError("C1: pending is not negative");
  }
  return success();
}

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getTile(), "tile");
}

LogicalResult ReadOp::verify() {
  RankedTensorType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getElementType() != buffer.getElementType()) {
    return emitOpError("C1: the tile has elements of ")
           << tile.getElementType() << ", and the buffer of "
           << buffer.getElementType();
  }
  SmallVector<int64_t> extents(tile.getShape());
  if (extents.size() == 1) {
    extents.insert(extents.begin(), 1);
  } else if (getTransposed() && extents.size() == 2) {
    std::swap(extents[0], extents[1]);
  }
  if (std::optional<int64_t> parts = getParts()) {
    if (tile.getRank() != 2 || getTransposed() || !hasPartsOf(tile, *parts)) {
      return emitOpError("C4: threads hold no parts of ")
             << *parts << " rows of " << tile << " that is not transposed";
    }
    extents[0] /= *parts;
  }
  if (extents.size() != 2 || extents[0] > buffer.getRows() ||
      extents[1] > buffer.getColumns()) {
    return emitOpError("C2: ")
           << tile << " does not fit into a stage of " << buffer;
  }
  auto fragment = dyn_cast<FragmentAttr>(tile.getEncoding());
  if (getTransposed() &&
      (!fragment || fragment.getRole() == FragmentRole::C ||
       fragment.getKWidth() != 2 || tile.getElementTypeBitWidth() != 16)) {
    return emitOpError("C3: what is read transposed is a fragment of role a "
                       "or b with k_width 2 and 16-bit elements, not ")
           << tile;
  }
  return success();
}

LogicalResult WriteOp::verify() {
  RankedTensorType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getElementType() != buffer.getElementType()) {
    return emitOpError("C1: the tile has elements of ")
           << tile.getElementType() << ", and the buffer of "
           << buffer.getElementType();
  }
  if (tile.getRank() != 2 || tile.getDimSize(0) > buffer.getRows() ||
      tile.getDimSize(1) > buffer.getColumns()) {
    return emitOpError("C2: ")
           << tile << " does not fit into a stage of " << buffer;
  }
  if (holdsPartialSums(tile)) {
    return emitOpError("C3: the tile holds sums over a part of k: add them by "
                       "sum_partials before");
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
