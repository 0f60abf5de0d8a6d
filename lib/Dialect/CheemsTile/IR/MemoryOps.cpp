// The verifiers of loads, stores, copies and buffer accesses.
#include "AccessUtils.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

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

LogicalResult AsyncCopyOp::verify() {
  return verifyCopy(*this, getExtents().size());
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
