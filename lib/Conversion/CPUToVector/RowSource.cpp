// The buffer whose rows the rows of a view are.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cheems;

/// The source of a view, where the view's first dimension is the source's or a
/// part of it; null for others.
static Value sourceOfView(Operation *op) {
  if (auto retyped = dyn_cast<memref::CastOp>(op)) {
    Value source = retyped.getSource();
    return isa<MemRefType>(source.getType()) ? source : Value();
  }
  if (auto part = dyn_cast<memref::SubViewOp>(op)) {
    Value source = part.getSource();
    return part.getDroppedDims().test(0) ? Value() : source;
  }
  Value source;
  SmallVector<ReassociationIndices, 4> groups;
  if (auto split = dyn_cast<memref::ExpandShapeOp>(op)) {
    source = split.getSrc();
    groups = split.getReassociationIndices();
  } else if (auto merged = dyn_cast<memref::CollapseShapeOp>(op)) {
    source = merged.getSrc();
    groups = merged.getReassociationIndices();
  }
  return !groups.empty() && groups[0].size() == 1 ? source : Value();
}

Value cheems::sourceOfRows(Value buffer) {
  while (Operation *view = buffer.getDefiningOp()) {
    Value source = sourceOfView(view);
    if (!source) {
      break;
    }
    buffer = source;
  }
  return buffer;
}
