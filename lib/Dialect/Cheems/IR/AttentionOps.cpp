// Verification of dynamic_mask_attention.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

LogicalResult DynamicMaskAttentionOp::verify() {
  ArrayRef<int64_t> query = shapeOf(getQuery()), keys = shapeOf(getKeys()),
                    mask = shapeOf(getMask());
  if (failed(verifySameShape(*this, "C1", query, shapeOf(getY()),
                             "shapes of query and y"))) {
    return failure();
  }
  if (getKeys().getType() != getValues().getType() ||
      !compatible(keys[2], query[2])) {
    return emitOpError(
        "C2: keys and values have one type [G, C, P] with the P of query");
  }
  int64_t heads = query[1];
  for (int64_t extent : {heads, query[2], keys[0], mask[0], keys[2]}) {
    if (ShapedType::isDynamic(extent)) {
      return emitOpError("C3: numbers of heads and head size are static");
    }
  }
  if (heads % keys[0] != 0 || heads % mask[0] != 0) {
    return emitOpError("C3: ")
           << heads << " query heads do not divide among " << keys[0]
           << " key heads and " << mask[0] << " mask heads";
  }
  if (!compatible(mask[1], keys[1])) {
    return emitOpError("C4: mask is [M, C] with the C of keys");
  }
  bool kept = getPosition() && getThreshold() && getLast();
  if (!kept && (getPosition() || getThreshold() || getLast())) {
    return emitOpError("C5: position, threshold and last are given together");
  }
  if (kept && getKind() != MaskKind::bias) {
    return emitOpError("C5: only kind bias keeps keys by rank");
  }
  int64_t rows[] = {query[0], mask[0]};
  if (kept &&
      (failed(verifySameShape(*this, "C5", shapeOf(getPosition()), mask,
                              "shapes of position and mask")) ||
       failed(verifySameShape(*this, "C5", shapeOf(getThreshold()), rows,
                              "shapes of threshold and [T, M]")) ||
       failed(verifySameShape(*this, "C5", shapeOf(getLast()), rows,
                              "shapes of last and [T, M]")))) {
    return failure();
  }
  if (getHideBelow().has_value() != (getKind() == MaskKind::threshold)) {
    return emitOpError(
        "C6: hide_below belongs to kind threshold, and only there");
  }
  if (getSeen() && (getKind() != MaskKind::threshold ||
                    !compatible(shapeOf(getSeen())[0], query[0]))) {
    return emitOpError("C7: seen is [T], and only for kind threshold");
  }
  return success();
}
