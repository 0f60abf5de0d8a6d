// Says where elements of a tile are in memory of the GPU, and which of them
// exist.
#ifndef CHEEMS_LIB_CONVERSION_TILETONVVM_GLOBALTILE_H
#define CHEEMS_LIB_CONVERSION_TILETONVVM_GLOBALTILE_H

#include "ThreadBuilder.h"
#include <map>

namespace cheems::tile {

/// What an op says of a tile of a memref: the operands, and what they become.
struct GlobalOperands {
  MemRefType type;
  ValueRange memory;       ///< the pointer and the dynamic extents
  ArrayRef<int64_t> shape; ///< of the tile
  ArrayRef<int64_t> dims;
  ValueRange offsets, extents; ///< as the op has them
  SmallVector<Value> offsets32, extents32;
};

class GlobalTile {
public:
  /// The part of a thread whose first element is at `first` of the tile.
  GlobalTile(ThreadBuilder &t, const GlobalOperands &operands,
             ArrayRef<Value> first);

  /// Whether the element that is `at` from the first one is within the
  /// extents. None if it always is.
  Value exists(ArrayRef<int64_t> at);

  /// An address is `pointer` + `bytes`.
  struct Place {
    Value pointer;
    int64_t bytes;
  };
  Place place(ArrayRef<int64_t> at);
  /// `distance` further along an axis of the tile.
  Value along(Value pointer, size_t axis, Value distance);
  /// How many bytes neighbours along an axis are apart, if that is a constant.
  std::optional<int64_t> bytesAlong(size_t axis) const;

private:
  /// A stride in bytes: `constant`, times `value` if there is one.
  struct Stride {
    Value value;
    int64_t constant;
  };
  Value times(Value wide, const Stride &stride);
  SmallVector<Stride> strides();
  Value inside(size_t axis, int64_t at);

  ThreadBuilder &t;
  const GlobalOperands &operands;
  SmallVector<Value> first; ///< in memory, by axis of the tile
  SmallVector<Stride> axes; ///< strides by axis of the tile
  Value base;
  std::map<std::pair<size_t, int64_t>, Value> conditions;
  std::map<SmallVector<int64_t>, Value> pointers;
};

/// For an op with `dims`, `offsets` and `extents`.
template <typename OpTy, typename Adaptor>
GlobalOperands globalOperands(OpTy op, MemRefType type, ValueRange memory,
                              ArrayRef<int64_t> shape, Adaptor adaptor) {
  GlobalOperands operands{
      type, memory, shape, op.getDims(), op.getOffsets(), op.getExtents(),
      {},   {}};
  for (ValueRange offset : adaptor.getOffsets()) {
    operands.offsets32.push_back(offset.front());
  }
  for (ValueRange extent : adaptor.getExtents()) {
    operands.extents32.push_back(extent.front());
  }
  return operands;
}

/// What an op with `rows`, `dims` and `offsets` says of the one row or column
/// that a number chooses: a tile of its own, at the op's offsets with it.
struct ChosenPart {
  SmallVector<int64_t> shape;
  SmallVector<Value> offsets;
  GlobalOperands operands;

  template <typename OpTy, typename Adaptor>
  ChosenPart(ThreadBuilder &t, OpTy op, Adaptor adaptor, ArrayRef<int64_t> tile,
             Value number)
      : shape(tile), offsets(op.getOffsets()),
        operands{cast<MemRefType>(op.getSource().getType()),
                 adaptor.getSource(),
                 shape,
                 op.getDims(),
                 {},
                 {},
                 {},
                 {}} {
    shape[size_t(op.getAxis())] = 1;
    operands.shape = shape;
    for (ValueRange offset : adaptor.getOffsets()) {
      operands.offsets32.push_back(offset.front());
    }
    auto along = size_t(op.getDims()[size_t(op.getAxis())]);
    operands.offsets32[along] = t.add(operands.offsets32[along], number);
    offsets[along] = number; // which is no constant
    operands.offsets = offsets;
  }
  ChosenPart(const ChosenPart &) = delete;
};

} // namespace cheems::tile

#endif
