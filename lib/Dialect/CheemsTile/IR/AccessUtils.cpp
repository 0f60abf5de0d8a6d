#include "AccessUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

LogicalResult cheems::tile::verifyPlace(Operation *op, MemRefType memory,
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

LogicalResult cheems::tile::verifyAligned(Operation *op, MemRefType memory,
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

bool cheems::tile::hasCopies(TileLayoutAttrInterface layout, int64_t rank) {
  int64_t held = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    held |= layout.getThreadBits(axis);
  }
  return held != layout.getWarpCount() * kWarpThreads - 1;
}
