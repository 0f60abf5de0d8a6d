// Tables of experts as integers and a scale per row.
#include "cheems/Dialect/Cheems/Utils/QuantizeTables.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cheems;

static bool isTable(const WeightUses::Group &group) {
  return !group.leaves.empty() &&
         llvm::all_of(group.leaves, [](OpOperand *use) {
           return isa<MixExpertsOp>(use->getOwner());
         });
}

static LogicalResult check(const WeightUses::Group &group) {
  for (ParameterOp parameter : group.parameters) {
    QuantizedAttr format = parameter.getQuantizedAttr();
    if (format != group.quantized() || format.getBits() != 8 ||
        format.getGroup() != 0) {
      return parameter.emitOpError(
          "is a table of experts; all of these must be "
          "rounded to 8 bits with a scale per row");
    }
  }
  return success();
}

LogicalResult cheems::quantizeTables(MutableArrayRef<WeightUses::Group> groups,
                                     IRRewriter &rewriter) {
  // These are the scales of `down` and of `up`; ops get theirs at the end, as
  // uses move with that.
  llvm::MapVector<Operation *, std::array<Value, 2>> scalesOf;
  for (WeightUses::Group &group : groups) {
    if (!group.quantized() || !isTable(group)) {
      continue;
    }
    if (failed(check(group))) {
      return failure();
    }
    auto table = cast<RankedTensorType>(group.type());
    llvm::DenseMap<Value, Value> scales = group.split(
        table.clone(rewriter.getI8Type()),
        table.clone({table.getDimSize(0), 1}, rewriter.getF32Type()),
        LayoutAttrInterface());
    for (OpOperand *use : group.leaves) {
      auto op = cast<MixExpertsOp>(use->getOwner());
      scalesOf[op][use == &op.getUpMutable()] = scales.lookup(use->get());
    }
  }
  for (auto &[owner, scales] : scalesOf) {
    auto op = cast<MixExpertsOp>(owner);
    if (!scales[0] || !scales[1]) {
      return op.emitOpError("reads a table that is to be rounded and one that "
                            "is not");
    }
    rewriter.setInsertionPoint(op);
    SmallVector<Value> rows;
    for (Value column : scales) {
      auto type = cast<RankedTensorType>(column.getType());
      SmallVector<OpFoldResult> offsets(2, rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(type.getDimSize(0)),
                                      rewriter.getIndexAttr(1)};
      SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
      rows.push_back(tensor::ExtractSliceOp::create(
          rewriter, op.getLoc(),
          RankedTensorType::get(type.getDimSize(0), type.getElementType()),
          column, offsets, sizes, strides));
    }
    op.getDownScalesMutable().assign(rows[0]);
    op.getUpScalesMutable().assign(rows[1]);
  }
  return success();
}
