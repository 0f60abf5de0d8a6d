// Addresses and guards of tiles in memory of the GPU. Products with strides
// are of 64 bits: a row times its stride may exceed 2^31.
#include "GlobalTile.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The parameter that says the extent.
static Value dynamicExtent(const GlobalOperands &operands, int64_t dimension) {
  return operands
      .memory[1 + operands.type.getDynamicDimIndex(unsigned(dimension))];
}

GlobalTile::GlobalTile(ThreadBuilder &t, const GlobalOperands &operands,
                       ArrayRef<Value> thread)
    : t(t), operands(operands), base(operands.memory.front()) {
  SmallVector<Value> at(operands.offsets32);
  for (auto [axis, dimension] : llvm::enumerate(operands.dims)) {
    at[size_t(dimension)] = t.add(at[size_t(dimension)], thread[axis]);
    first.push_back(at[size_t(dimension)]);
  }
  SmallVector<Stride> all = strides();
  for (int64_t dimension : operands.dims) {
    axes.push_back(all[size_t(dimension)]);
  }
  Value bytes;
  for (auto [number, stride] : llvm::zip_equal(at, all)) {
    if (isConstantIntValue(number, 0)) {
      continue;
    }
    Value part = times(t.wide(number), stride);
    bytes = bytes ? t.b.createOrFold<arith::AddIOp>(t.loc, bytes, part) : part;
  }
  if (bytes) {
    base = t.offset(base, bytes);
  }
}

SmallVector<GlobalTile::Stride> GlobalTile::strides() {
  MemRefType type = operands.type;
  SmallVector<Stride> result(size_t(type.getRank()));
  Stride stride{Value(), type.getElementTypeBitWidth() / 8};
  for (int64_t dimension = type.getRank() - 1; dimension >= 0; --dimension) {
    result[size_t(dimension)] = stride;
    if (!type.isDynamicDim(unsigned(dimension))) {
      stride.constant *= type.getDimSize(unsigned(dimension));
      continue;
    }
    Value extent = t.wide(dynamicExtent(operands, dimension));
    stride.value =
        stride.value
            ? t.b.createOrFold<arith::MulIOp>(t.loc, stride.value, extent)
            : extent;
  }
  return result;
}

Value GlobalTile::times(Value wide, const Stride &stride) {
  if (stride.value) {
    wide = t.b.createOrFold<arith::MulIOp>(t.loc, wide, stride.value);
  }
  Value constant = arith::ConstantOp::create(
      t.b, t.loc, t.b.getI64IntegerAttr(stride.constant));
  return t.b.createOrFold<arith::MulIOp>(t.loc, wide, constant);
}

/// Whether all elements of the tile are within an extent, whatever the
/// arguments of the kernel are.
static bool alwaysInside(const GlobalOperands &operands, size_t axis) {
  int64_t dimension = operands.dims[axis];
  std::optional<int64_t> offset =
      getConstantIntValue(operands.offsets[size_t(dimension)]);
  std::optional<int64_t> extent;
  if (!operands.extents.empty()) {
    extent = getConstantIntValue(operands.extents[axis]);
  } else if (!operands.type.isDynamicDim(unsigned(dimension))) {
    extent = operands.type.getDimSize(unsigned(dimension));
  }
  return offset && extent && *offset + operands.shape[axis] <= *extent;
}

Value GlobalTile::inside(size_t axis, int64_t at) {
  if (alwaysInside(operands, axis)) {
    return {};
  }
  auto [known, isNew] = conditions.try_emplace({axis, at});
  if (!isNew) {
    return known->second;
  }
  int64_t dimension = operands.dims[axis];
  Value extent;
  if (!operands.extents32.empty()) {
    extent = operands.extents32[axis];
  } else if (operands.type.isDynamicDim(unsigned(dimension))) {
    extent = dynamicExtent(operands, dimension);
  } else {
    extent = t.i32(operands.type.getDimSize(unsigned(dimension)));
  }
  known->second = t.less(t.add(first[axis], at), extent);
  return known->second;
}

Value GlobalTile::exists(ArrayRef<int64_t> at) {
  Value all;
  for (auto [axis, distance] : llvm::enumerate(at)) {
    all = t.both(all, inside(axis, distance));
  }
  return all;
}

GlobalTile::Place GlobalTile::place(ArrayRef<int64_t> at) {
  Place place{base, 0};
  SmallVector<int64_t> moved(at.size(), 0);
  for (auto [axis, distance] : llvm::enumerate(at)) {
    if (!axes[axis].value) {
      place.bytes += distance * axes[axis].constant;
      continue;
    }
    if (distance == 0) {
      continue;
    }
    moved[axis] = distance;
    Value &pointer = pointers[moved];
    if (!pointer) {
      pointer =
          t.offset(place.pointer, times(t.wide(t.i32(distance)), axes[axis]));
    }
    place.pointer = pointer;
  }
  return place;
}

Value GlobalTile::along(Value pointer, size_t axis, Value distance) {
  return t.offset(pointer, times(t.wide(distance), axes[axis]));
}

std::optional<int64_t> GlobalTile::bytesAlong(size_t axis) const {
  return axes[axis].value ? std::nullopt : std::optional(axes[axis].constant);
}
