// Tensors as they are made, looked at and reshaped.
#include "Elements.h"
#include "Handlers.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cheems::interpreter {
using namespace mlir;

static void empty(tensor::EmptyOp op, Frame &f) {
  SmallVector<int64_t> shape = f.extents(op.getMixedSizes());
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    f.fail() << "has the shape " << shapeText(shape);
    return;
  }
  f.set(op.getResult(), emptyTensor(shape));
}

/// A tensor that will be a buffer of its own: empty, or a copy.
static void alloc(bufferization::AllocTensorOp op, Frame &f) {
  if (op.getCopy()) {
    f.set(op.getResult(), f.value(op.getCopy()));
    return;
  }
  SmallVector<int64_t> shape(op.getType().getShape());
  unsigned next = 0;
  for (int64_t &extent : shape) {
    if (ShapedType::isDynamic(extent)) {
      extent = f.integer(op.getDynamicSizes()[next++]);
    }
  }
  f.set(op.getResult(), emptyTensor(shape));
}

static void dim(tensor::DimOp op, Frame &f) {
  const Tensor &of = f.tensor(op.getSource());
  int64_t d = f.integer(op.getIndex());
  if (d < 0 || d >= of.rank()) {
    f.fail() << "asks for dimension " << d << " of " << of.rank();
    return;
  }
  f.set(op.getResult(), of.shape[d]);
}

/// The same elements under another shape.
static void reshape(Value from, ArrayRef<int64_t> shape, Value to, Frame &f) {
  const Tensor &whole = f.tensor(from);
  if (elementsOf(shape) != static_cast<int64_t>(whole.data.size())) {
    f.fail() << "makes " << shapeText(shape) << " of "
             << shapeText(whole.shape);
    return;
  }
  f.set(to, whole.reshaped(shape));
}

static void expand(tensor::ExpandShapeOp op, Frame &f) {
  reshape(op.getSrc(), f.extents(op.getMixedOutputShape()), op.getResult(), f);
}

static void collapse(tensor::CollapseShapeOp op, Frame &f) {
  ArrayRef<int64_t> from = f.tensor(op.getSrc()).shape;
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &together : op.getReassociationIndices()) {
    int64_t extent = 1;
    for (int64_t d : together) {
      extent *= from[d];
    }
    shape.push_back(extent);
  }
  reshape(op.getSrc(), shape, op.getResult(), f);
}

/// The offset of an element; an error where it is outside.
static std::optional<int64_t> offsetIn(Value tensor, ValueRange indices,
                                       Frame &f) {
  SmallVector<int64_t> index;
  for (Value each : indices) {
    index.push_back(f.integer(each));
  }
  ArrayRef<int64_t> shape = f.tensor(tensor).shape;
  std::optional<int64_t> place = offsetOf(shape, index);
  if (!place) {
    f.fail() << "asks for element " << shapeText(index) << " of "
             << shapeText(shape);
  }
  return place;
}

static void extract(tensor::ExtractOp op, Frame &f) {
  if (auto place = offsetIn(op.getTensor(), op.getIndices(), f)) {
    f.set(op.getResult(), f.element(op.getTensor(), *place));
  }
}

static void insert(tensor::InsertOp op, Frame &f) {
  if (auto place = offsetIn(op.getDest(), op.getIndices(), f)) {
    Tensor whole = f.tensor(op.getDest());
    whole.data[*place] =
        f.elementOf(f.value(op.getScalar()), op.getScalar().getType());
    f.set(op.getResult(), std::move(whole));
  }
}

static void fromElements(tensor::FromElementsOp op, Frame &f) {
  Tensor whole(op.getType().getShape());
  for (auto [i, element] : llvm::enumerate(op.getElements())) {
    whole.data[i] = f.elementOf(f.value(element), element.getType());
  }
  f.set(op.getResult(), std::move(whole));
}

static void splat(tensor::SplatOp op, Frame &f) {
  Tensor whole(f.extents(getMixedValues(
      op.getType().getShape(), op.getDynamicSizes(), op.getContext())));
  double element = f.elementOf(f.value(op.getInput()), op.getInput().getType());
  std::fill(whole.data.begin(), whole.data.end(), element);
  f.set(op.getResult(), std::move(whole));
}

void addTensors(Handlers &handlers) {
  handlers.add<tensor::EmptyOp>(empty);
  handlers.add<bufferization::AllocTensorOp>(alloc);
  handlers.add<tensor::DimOp>(dim);
  handlers.add<tensor::ExpandShapeOp>(expand);
  handlers.add<tensor::CollapseShapeOp>(collapse);
  handlers.add<tensor::ExtractOp>(extract);
  handlers.add<tensor::InsertOp>(insert);
  handlers.add<tensor::FromElementsOp>(fromElements);
  handlers.add<tensor::SplatOp>(splat);
  handlers.add<tensor::CastOp>([](tensor::CastOp op, Frame &f) {
    f.set(op.getDest(), f.value(op.getSource()));
  });
}

} // namespace cheems::interpreter
