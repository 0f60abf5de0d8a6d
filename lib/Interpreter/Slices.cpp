// Slices of tensors: extract_slice and insert_slice.
#include "Slices.h"
#include "Handlers.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cheems::interpreter {
using namespace mlir;

std::optional<std::vector<int64_t>>
sliceOffsets(OffsetSizeAndStrideOpInterface op, ArrayRef<int64_t> shape,
             Frame &f) {
  SmallVector<int64_t> offsets = f.extents(op.getMixedOffsets()),
                       sizes = f.extents(op.getMixedSizes()),
                       strides = f.extents(op.getMixedStrides());
  auto indices = offsetsOf(shape, offsets, sizes, strides);
  if (!indices) {
    f.fail() << "takes " << shapeText(sizes) << " at " << shapeText(offsets)
             << " with strides " << shapeText(strides)
             << ", which is not inside " << shapeText(shape);
  }
  return indices;
}

SmallVector<int64_t> sliceShape(OffsetSizeAndStrideOpInterface op,
                                const llvm::SmallBitVector &dropped, Frame &f) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(f.extents(op.getMixedSizes()))) {
    if (!dropped.test(d)) {
      shape.push_back(size);
    }
  }
  return shape;
}

void insertSlice(OffsetSizeAndStrideOpInterface op,
                 const llvm::SmallBitVector &dropped, const Tensor &source,
                 Tensor &into, Frame &f) {
  SmallVector<int64_t> shape = sliceShape(op, dropped, f);
  if (ArrayRef<int64_t>(shape) != ArrayRef<int64_t>(source.shape)) {
    f.fail() << "puts " << shapeText(source.shape) << " into a slice of "
             << shapeText(shape);
    return;
  }
  auto indices = sliceOffsets(op, into.shape, f);
  if (!indices) {
    return;
  }
  for (auto [i, place] : llvm::enumerate(*indices)) {
    into.data[place] = source.data[i];
  }
}

static void extract(tensor::ExtractSliceOp op, Frame &f) {
  const Tensor &source = f.tensor(op.getSource());
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op.getOperation());
  auto indices = sliceOffsets(slice, source.shape, f);
  if (!indices) {
    return;
  }
  Tensor part(sliceShape(slice, op.getDroppedDims(), f));
  for (auto [i, place] : llvm::enumerate(*indices)) {
    part.data[i] = source.data[place];
  }
  f.set(op.getResult(), std::move(part));
}

static void insert(tensor::InsertSliceOp op, Frame &f) {
  Tensor into = f.tensor(op.getDest());
  insertSlice(cast<OffsetSizeAndStrideOpInterface>(op.getOperation()),
              op.getDroppedDims(), f.tensor(op.getSource()), into, f);
  f.set(op.getResult(), std::move(into));
}

void addSlices(Handlers &handlers) {
  handlers.add<tensor::ExtractSliceOp>(extract);
  handlers.add<tensor::InsertSliceOp>(insert);
}

} // namespace cheems::interpreter
