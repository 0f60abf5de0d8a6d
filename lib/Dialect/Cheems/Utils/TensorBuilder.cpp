// Elementwise ops on tensors.
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace cheems;

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
