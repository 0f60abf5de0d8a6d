// Finds the ops before state-space duality that its kernels take.
#include "SSDInputs.h"
#include "Builder/Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

HeadsBefore cheems::tile::rotatedGate(Value gate) {
  HeadsBefore before = HeadsBefore::of(gate);
  if (before.norm) {
    return {gate, {}, {}};
  }
  return before;
}

linalg::GenericOp cheems::tile::opBeforeA(SegmentedSSDOp op) {
  auto before = op.getA().getDefiningOp<linalg::GenericOp>();
  return before && before->getBlock() == op->getBlock() &&
                 isFunctionOfVector(before)
             ? before
             : linalg::GenericOp();
}

SSDBefore SSDBefore::of(SegmentedSSDOp op) {
  return {rotatedGate(op.getB()), rotatedGate(op.getC()), opBeforeA(op)};
}

/// What in bf16 x, b or c are widened of, as heads or as the rows that are
/// split into them; null if they have not been rounded.
static Value roundedBefore(Value heads) {
  auto expand = heads.getDefiningOp<tensor::ExpandShapeOp>();
  Value rounded = widenedBy(expand ? expand.getSrc() : heads);
  return rounded && getElementTypeOrSelf(rounded).isBF16() ? rounded : Value();
}

SmallVector<Operation *> cheems::tile::opsAfterRounding(Value heads) {
  SmallVector<Operation *> ops;
  if (!roundedBefore(heads)) {
    return ops;
  }
  if (auto expand = heads.getDefiningOp<tensor::ExpandShapeOp>()) {
    ops.push_back(expand);
    heads = expand.getSrc();
  }
  ops.push_back(heads.getDefiningOp());
  return ops;
}

/// The same as heads.
static Value roundedHeads(OpBuilder &b, Value heads) {
  Value rounded = roundedBefore(heads);
  if (auto expand = heads.getDefiningOp<tensor::ExpandShapeOp>()) {
    auto type = cast<RankedTensorType>(expand.getType());
    rounded = tensor::ExpandShapeOp::create(
        b, heads.getLoc(), type.clone(getElementTypeOrSelf(rounded)), rounded,
        expand.getReassociationIndices(), expand.getMixedOutputShape());
  }
  return rounded;
}

bool cheems::tile::lacksRounding(SegmentedSSDOp op) {
  auto isRounded = [](Value heads) { return bool(roundedBefore(heads)); };
  return Strategy::takesRounded(op) &&
         !llvm::all_of(ValueRange{op.getX(), op.getB(), op.getC()}, isRounded);
}

SSDInputs SSDInputs::of(OpBuilder &b, SegmentedSSDOp op) {
  if (!Strategy::takesRounded(op)) {
    return {op.getX(), op.getB(), op.getC()};
  }
  return {roundedHeads(b, op.getX()), roundedHeads(b, op.getB()),
          roundedHeads(b, op.getC())};
}
