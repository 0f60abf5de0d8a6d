// Verification of segmented_attention.
#include "SegmentUtils.h"

using namespace mlir;
using namespace cheems;

MutableOperandRange SegmentedAttentionOp::getDpsInitsMutable() {
  unsigned inputs = getMask() ? 6 : 5;
  return MutableOperandRange(*this, inputs, getNumOperands() - inputs);
}

namespace {
/// The constraints of one op, by label.
struct Constraints {
  SegmentedAttentionOp op;
  ArrayRef<int64_t> query, key, keys, masks;

  explicit Constraints(SegmentedAttentionOp op)
      : op(op), query(shapeOf(op.getQuery())), key(shapeOf(op.getKey())),
        keys(shapeOf(op.getKeys())) {
    if (op.getMasks()) {
      masks = shapeOf(op.getMasks());
    }
  }

  LogicalResult rows() {
    return success(
        succeeded(verifySameShape(op, "C1", query, shapeOf(op.getY()),
                                  "shapes of query and y")) &&
        succeeded(verifySameShape(op, "C1", key, shapeOf(op.getValue()),
                                  "shapes of key and value")) &&
        succeeded(verifySameShape(op, "C1", key, {query[0], key[1], query[2]},
                                  "shapes of key and [T, G, P]")));
  }

  LogicalResult heads() {
    int64_t numbers[] = {key[1], keys[2], op.getMaskHeads(), query[1]};
    if (ShapedType::isDynamicShape(numbers) ||
        ShapedType::isDynamic(query[2]) || ShapedType::isDynamic(keys[4])) {
      return op.emitOpError("C2: numbers of heads and head size are static");
    }
    if (query[2] == 0) {
      return op.emitOpError("C2: the head size is not zero");
    }
    for (int i = 0; i < 3; ++i) {
      if (numbers[i] == 0 || numbers[i + 1] == 0 ||
          numbers[i + 1] % numbers[i] != 0) {
        return op.emitOpError("C2: of ")
               << numbers[0] << " key heads, " << numbers[1]
               << " that store entries, " << numbers[2] << " of A and "
               << numbers[3] << " query heads each divide the next";
      }
    }
    return success();
  }

  LogicalResult entries() {
    if (op.getKeys().getType() != op.getValues().getType() ||
        keys[4] != query[2]) {
      return op.emitOpError("C3: keys and values have one type [slots, "
                            "layers, G', C, P] with the P of query");
    }
    return op.getMasks()
               ? verifySameShape(op, "C3", masks,
                                 {keys[0], keys[1], masks[2], keys[3]},
                                 "shapes of masks and [slots, layers, M, C]")
               : success();
  }

  /// C12 comes before what looks at masks.
  LogicalResult pools() {
    bool masked = op.getKind() != MaskKind::None;
    if (masked != static_cast<bool>(op.getMasks())) {
      return op.emitOpError(
          "C12: masks are given unless the kind is none, and only then");
    }
    if (!masked && keys[2] != key[1]) {
      return op.emitOpError("C12: of kind none each of ")
             << key[1] << " key heads stores entries, and not " << keys[2];
    }
    return success();
  }

  LogicalResult mask() {
    std::optional<ArrayRef<bool>> visible = op.getVisible();
    if (op.getKind() == MaskKind::None) {
      return visible || op.getMask()
                 ? op.emitOpError("C4: kind none has neither mask nor visible")
                 : success();
    }
    if (visible.has_value() == static_cast<bool>(op.getMask())) {
      return op.emitOpError("C4: mask or visible is given, and not both");
    }
    if (visible && (static_cast<int64_t>(visible->size()) != masks[2] ||
                    !llvm::is_contained(*visible, true))) {
      return op.emitOpError("C4: visible says for each of ")
             << masks[2]
             << " heads of A whether it sees rows, and at least one head does";
    }
    // Only there does a mask of 1 see and one of 0 not.
    double below = op.getHideBelow() ? op.getHideBelow()->convertToDouble() : 0;
    if (visible &&
        (op.getKind() != MaskKind::Threshold || !(below > 0) || below > 1)) {
      return op.emitOpError("C4: visible is for kind threshold with hide_below "
                            "above 0 and at most 1");
    }
    return op.getMask() ? verifySameShape(op, "C4", shapeOf(op.getMask()),
                                          {query[0], masks[2]},
                                          "shapes of mask and [T, M]")
                        : success();
  }

  /// What an entry has beside key, value and mask.
  LogicalResult numbers(const char *label, Value pool, StringRef what) {
    return pool ? verifySameShape(op, label, shapeOf(pool), keys.take_front(4),
                                  what)
                : success();
  }

  LogicalResult kept() {
    bool keeps = op.getKeep().has_value();
    if (keeps != static_cast<bool>(op.getPositions())) {
      return op.emitOpError("C5: keep and positions are given together");
    }
    if (keeps && (*op.getKeep() < 1 || op.getKind() != MaskKind::Bias ||
                  keys[2] != masks[2])) {
      return op.emitOpError("C5: keep is at least 1, for kind bias, with "
                            "entries of each head of A");
    }
    return numbers("C5", op.getPositions(),
                   "shapes of positions and [slots, layers, G', C]");
  }

  LogicalResult threshold() {
    bool hides = op.getKind() == MaskKind::Threshold;
    if (op.getHideBelow().has_value() != hides) {
      return op.emitOpError(
          "C6: hide_below is given for kind threshold, and only then");
    }
    if (!op.getCounts()) {
      return success();
    }
    if (!hides || !op.getMask()) {
      return op.emitOpError(
          "C7: entries are counted for kind threshold with mask");
    }
    return verifySameShape(op, "C7", shapeOf(op.getCounts()),
                           keys.take_front(3),
                           "shapes of counts and [slots, layers, G']");
  }

  LogicalResult window() {
    if (op.getWindow() &&
        (*op.getWindow() < 1 || op.getKind() != MaskKind::None)) {
      return op.emitOpError(
          "C13: window is at least 1, and given only for kind none");
    }
    return success();
  }

  LogicalResult scales() {
    bool codes = op.getKeys().getType().getElementType().isInteger(8);
    if (codes != static_cast<bool>(op.getKeyScales()) ||
        codes != static_cast<bool>(op.getValueScales())) {
      return op.emitOpError("C8: key_scales and value_scales are given for i8, "
                            "and only then");
    }
    if (op.getAllowBf16() && !codes) {
      return op.emitOpError("C9: allow_bf16 is given only for i8");
    }
    const char *what = "shapes of scales and [slots, layers, G', C]";
    return success(succeeded(numbers("C8", op.getKeyScales(), what)) &&
                   succeeded(numbers("C8", op.getValueScales(), what)));
  }
};
} // namespace

LogicalResult SegmentedAttentionOp::verify() {
  Constraints check(*this);
  if (failed(check.rows()) || failed(check.heads()) || failed(check.pools()) ||
      failed(check.entries()) || failed(check.mask()) || failed(check.kept()) ||
      failed(check.threshold()) || failed(check.scales()) ||
      failed(check.window()) ||
      failed(verifySegments(*this, "C10", getSegments()))) {
    return failure();
  }
  return getBlock() >= 1 ? success()
                         : emitOpError("C11: a block has at least one row");
}
