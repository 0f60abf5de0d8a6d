// Groups: what they are about, and their verifier.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Whether a group of this kind is about `op`.
static bool isRoot(GroupKind kind, Operation &op) {
  switch (kind) {
  case GroupKind::Elementwise:
  case GroupKind::KeyScores:
    return isa<linalg::GenericOp>(op);
  case GroupKind::Norm:
    return isa<RmsNormOp>(op);
  case GroupKind::Rounding:
    return isa<QuantizeEntriesOp>(op);
  case GroupKind::GatheredRows:
    return isa<GatherRowsOp>(op);
  case GroupKind::Positions:
    return isa<PositionsOp>(op);
  case GroupKind::RotaryTables:
    return isa<RotaryTableOp>(op);
  case GroupKind::Rotary:
    return isa<RotaryOp>(op);
  case GroupKind::TopLogits:
    return isa<TopLogitsOp>(op);
  case GroupKind::Matmuls:
    return isa<linalg::MatmulOp, QuantizedMatmulOp>(op);
  case GroupKind::Attention:
    return isa<SegmentedAttentionOp>(op);
  case GroupKind::SSD:
    return isa<SegmentedSSDOp>(op);
  case GroupKind::RetrievedExperts:
    return isa<RetrieveExpertsOp>(op);
  case GroupKind::Experts:
    return isa<MixExpertsOp>(op);
  }
  llvm_unreachable("a kind");
}

SmallVector<Operation *> GroupOp::getRoots() {
  SmallVector<Operation *> roots;
  for (Operation &op : *getBody().begin()) {
    if (isRoot(getKind(), op)) {
      roots.push_back(&op);
    }
  }
  return roots;
}

LogicalResult GroupOp::verify() {
  Operation *end = getBody().front().getTerminator();
  if (end->getOperandTypes() != getResultTypes()) {
    return emitOpError("C1: yields other types than those of its results");
  }
  if (getRoots().empty()) {
    return emitOpError("C2: is of kind ")
           << stringifyGroupKind(getKind()) << " and has no op of that kind";
  }
  if ((*this)->getParentOfType<GroupOp>()) {
    return emitOpError("C3: stands in a group");
  }
  bool mayBeInMatmuls = getKind() == GroupKind::Norm ||
                        getKind() == GroupKind::Rounding ||
                        getKind() == GroupKind::Attention;
  if (getInMatmuls() && !mayBeInMatmuls) {
    return emitOpError("C4: is of kind ")
           << stringifyGroupKind(getKind()) << ", which matmuls do not compute";
  }
  return success();
}
