// linear as contractions with the panels and one elementwise op.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

FailureOr<SmallVector<Value>> LinearOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  bool pairs = getPair() == 2;
  OpFoldResult rows = tensor::getMixedSize(b, loc, getX(), 0);
  OpFoldResult columns = tensor::getMixedSize(b, loc, getY(), 1);
  // sums[t, n] += x[t, k] * W[n / 16, k / pair, n % 16, k % pair]
  AffineExpr t = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  (void)pairs, (void)rows, (void)columns, (void)t, (void)n, (void)k;
  return failure();
}
