// What accesses of memory and of buffers have in common, for their verifiers.
#ifndef CHEEMS_LIB_DIALECT_CHEEMSTILE_IR_ACCESSUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMSTILE_IR_ACCESSUTILS_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems::tile {

/// C1 to C3: offsets, dims and extents of a tile of `rank` dimensions.
LogicalResult verifyPlace(Operation *op, MemRefType memory, size_t offsets,
                          ArrayRef<int64_t> dims, size_t extents, size_t rank);

/// C5 of tiles in registers.
LogicalResult verifyAligned(Operation *op, MemRefType memory,
                            ArrayRef<int64_t> dims,
                            std::optional<int64_t> aligned);

/// Whether several threads hold the same element of a tile of this layout.
bool hasCopies(TileLayoutAttrInterface layout, int64_t rank);

/// C1 to C5 of a copy from one memref.
template <typename OpTy> LogicalResult verifyCopy(OpTy op, size_t extents) {
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

} // namespace cheems::tile

#endif
