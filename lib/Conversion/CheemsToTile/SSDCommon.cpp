// What the kernels of state-space duality have in common.
#include "Float64.h"
#include "SSDKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

SSDShape::SSDShape(SegmentedSSDOp op) {
  ArrayRef<int64_t> pool = op.getPool().getType().getShape();
  heads = pool[2];
  groups = op.getB().getType().getDimSize(1);
  states = pool[3];
  size = pool[4];
}

Value cheems::tile::exactDecay(TileBuilder &t, Value x) {
  // What is beyond is infinite or zero in f32, too.
  constexpr double kLeast = -1000, kMost = 1000;
  auto type = cast<RankedTensorType>(x.getType());
  auto f64 = t.withElement(type, t.b.getF64Type());
  Value power = t.mul(arith::ExtFOp::create(t.b, f64, x),
                      t.fill(f64, llvm::numbers::log2e));
  power = t.maximum(power, t.fill(f64, kLeast));
  power = arith::MinimumFOp::create(t.b, power, t.fill(f64, kMost));
  return arith::TruncFOp::create(t.b, type, exp2F64(t, power));
}
