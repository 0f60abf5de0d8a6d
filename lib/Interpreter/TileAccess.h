// What ops on tiles share that read and write memory or buffers: what their
// caller promises, what is guarded, and what a block may not read.
#ifndef CHEEMS_LIB_INTERPRETER_TILEACCESS_H
#define CHEEMS_LIB_INTERPRETER_TILEACCESS_H

#include "Frame.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems::interpreter {

/// What `load` says of a tile of memory; stores and copies have the same.
struct Access {
  const Tensor &memory;
  SmallVector<int64_t> offsets;
  ArrayRef<int64_t> dims;
  SmallVector<int64_t> extents;
  std::optional<int64_t> parts = {}; ///< rows of each
  std::optional<int64_t> along = {};
};

/// " in block [1, 0, 0]"
std::string inBlock(Frame &f);

/// What the caller promises; an error where it does not hold.
bool holds(const Access &access, int64_t aligned, int64_t bytes, Frame &f);

/// For each element (i, j) of a tile that is not guarded away, its number in
/// the tile and its offset in memory: at o + i e_d0 + j e_d1, for parts as
/// `load` says, where o_d0 + i < extents[0] and o_d1 + j < extents[1].
void forEachInside(
    const Access &access, ArrayRef<int64_t> tile, Frame &f,
    llvm::function_ref<void(size_t element, int64_t place)> visit);

int64_t bytesOf(Value memory);

/// An element that a block reads.
double readElement(Memory &memory, int64_t place, Frame &f);

/// Returns the offset of a stage's first element; none, with an error, if there
/// is no such stage.
std::optional<int64_t> firstOf(tile::BufferType buffer, int64_t stage,
                               Frame &f);

/// The stage is as unwritten until the copy is waited for.
void begin(Value buffer, int64_t first, Tensor stage, Frame &f);

/// tile[i, j] = source[o + rows[i] e_d0 + j e_d1], or without j, or with a
/// number per column source[o + i e_d0 + rows[j] e_d1].
template <typename OpTy>
Tensor gathered(OpTy op, ArrayRef<int64_t> shape, int64_t aligned, Frame &f) {
  const Tensor &rows = f.read(op.getRows());
  Tensor tile(shape);
  if (f.failed()) {
    return tile;
  }
  Access access{f.memory(op.getSource()).contents(), {}, op.getDims(), {}};
  for (Value offset : op.getOffsets()) {
    access.offsets.push_back(f.integer(offset));
  }
  for (int64_t d : access.dims) {
    access.extents.push_back(access.memory.shape[size_t(d)]);
  }
  if (!holds(access, aligned, bytesOf(op.getSource()), f)) {
    return tile;
  }
  auto axis = size_t(op.getAxis());
  SmallVector<int64_t> part(tile.shape.begin(), tile.shape.end());
  part[axis] = 1;
  int64_t &chosen = access.offsets[size_t(access.dims[axis])];
  int64_t first = chosen;
  size_t columns = tile.data.size() / size_t(tile.shape[0]);
  for (int64_t i = 0; i < tile.shape[axis]; ++i) {
    chosen = first + int64_t(rows(i));
    if (chosen < 0) {
      continue;
    }
    forEachInside(access, part, f, [&](size_t element, int64_t place) {
      tile.data[axis == 0 ? size_t(i) * columns + element
                          : element * columns + size_t(i)] =
          readElement(f.memory(op.getSource()), place, f);
    });
  }
  return tile;
}

} // namespace cheems::interpreter

#endif
