// Says where elements of a buffer are in the block's shared memory.
#ifndef CHEEMS_LIB_CONVERSION_TILETONVVM_SHAREDTILE_H
#define CHEEMS_LIB_CONVERSION_TILETONVVM_SHAREDTILE_H

#include "ThreadBuilder.h"

namespace cheems::tile {

/// A place in a stage: a row and a column in bytes. Parts that differ from
/// thread to thread are apart from constants, so that accesses share them.
struct SharedPlace {
  Value row;         ///< may be none (0)
  Value columnBytes; ///< may be none (0)
  int64_t rowConstant = 0;
  int64_t columnConstant = 0; ///< in bytes
  /// Bits of the column, in bytes, that are zero in all other parts of it. May
  /// be none.
  Value columnBits;
};

class SharedTile {
public:
  /// A stage of a buffer that begins at byte `offset`.
  SharedTile(ThreadBuilder &t, BufferType type, Value offset, Value stage);

  Value pointer(const SharedPlace &place);

  /// A layout's accesses that move neighbours in a row: how many elements each
  /// moves, at most 16 bytes.
  static int64_t accessWidth(BufferType type, TileLayoutAttrInterface layout);

private:
  ThreadBuilder &t;
  BufferType type;
  Value begin;
};

/// The row of a stage at which an access begins, if that is a constant that is
/// not zero: then it belongs to the constant part of offsets, so that accesses
/// with other such rows share the rest. Else 0.
int64_t constantRow(Value row);

/// Neighbouring elements at an address.
SmallVector<Value> loadShared(ThreadBuilder &t, Value pointer, Type element,
                              int64_t count);
void storeShared(ThreadBuilder &t, Value pointer, ArrayRef<Value> elements);
/// The same where `condition` holds, if there is one.
void storeSharedIf(ThreadBuilder &t, Value condition,
                   function_ref<void()> stores);

} // namespace cheems::tile

#endif
