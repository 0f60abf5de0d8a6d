// Small builders of ops on tensors.
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::cheems;

Value TensorBuilder::slice(Value source, Extents offsets, Extents sizes,
                           ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(source.getType()).getElementType());
  SmallVector<OpFoldResult> strides(offsets.size(), attr(1));
  return tensor::ExtractSliceOp::create(b, type, source, offsets, sizes,
                                        strides);
}

Value TensorBuilder::insert(Value source, Value into, Extents offsets,
                            Extents sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), attr(1));
  return tensor::InsertSliceOp::create(b, source, into, offsets, sizes,
                                       strides);
}

Value TensorBuilder::map(ValueRange inputs, ArrayRef<AffineMap> maps, Value out,
                         Body body) {
  int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(rank));
  return linalg::GenericOp::create(
             b, out.getType(), inputs, out, all,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &builder, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(builder, loc,
                                       body(builder, loc, arguments));
             })
      .getResult(0);
}
