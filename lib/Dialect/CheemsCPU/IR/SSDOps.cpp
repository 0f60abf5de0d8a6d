// Verification of ssd and ssd_chunk.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

template <typename Op> static LogicalResult verifySSD(Op op) {
  ArrayRef<int64_t> x = shapeOf(op.getX()), b = shapeOf(op.getB()),
                    state = shapeOf(op.getState());
  if (failed(verifySameShape(op, "C1", x, shapeOf(op.getY()),
                             "shapes of x and y"))) {
    return failure();
  }
  int64_t rows = x[0], heads = x[1];
  if (failed(verifySameShape(op, "C2", shapeOf(op.getStep()), {rows, heads},
                             "shapes of step and [T, H]")) ||
      failed(verifySameShape(op, "C2", shapeOf(op.getA()), {heads},
                             "shapes of a and [H]")) ||
      (op.getSkip() &&
       failed(verifySameShape(op, "C2", shapeOf(op.getSkip()), {heads},
                              "shapes of skip and [H]")))) {
    return failure();
  }
  if (failed(verifySameShape(op, "C3", b, shapeOf(op.getC()),
                             "shapes of b and c")) ||
      failed(verifySameShape(op, "C3", b, {rows, b[1], b[2]},
                             "shapes of b and [T, G, N]"))) {
    return failure();
  }
  if (failed(verifySameShape(op, "C4", state, {heads, b[2], x[2]},
                             "shapes of state and [H, N, P]"))) {
    return failure();
  }
  for (int64_t extent :
       {heads, x[2], b[1], b[2], state[0], state[1], state[2]}) {
    if (ShapedType::isDynamic(extent)) {
      return op.emitOpError("C5: H, G, N and P are static");
    }
  }
  if (heads == 0 || b[1] == 0 || heads % b[1] != 0) {
    return op.emitOpError("C5: ")
           << heads << " heads cannot be divided among " << b[1] << " groups";
  }
  if (b[2] == 0 || x[2] == 0) {
    return op.emitOpError("C5: N and P are not zero");
  }
  return success();
}

LogicalResult SSDOp::verify() { return verifySSD(*this); }
LogicalResult SSDChunkOp::verify() { return verifySSD(*this); }
