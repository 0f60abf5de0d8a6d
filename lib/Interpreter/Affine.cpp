// Affine expressions, and affine.apply, affine.min and affine.max.
#include "Affine.h"
#include "Handlers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

namespace cheems::interpreter {
using namespace mlir;

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dimensions,
                 ArrayRef<int64_t> symbols) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::DimId:
    return dimensions[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t left = evaluate(binary.getLHS(), dimensions, symbols),
          right = evaluate(binary.getRHS(), dimensions, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  // Divisors are positive constants, as `resultsOf` and linalg's maps have it.
  case AffineExprKind::Mod:
    return right > 0 ? llvm::mod(left, right) : 0;
  case AffineExprKind::FloorDiv:
    return right > 0 ? llvm::divideFloorSigned(left, right) : 0;
  case AffineExprKind::CeilDiv:
    return right > 0 ? llvm::divideCeilSigned(left, right) : 0;
  default:
    llvm_unreachable("every kind is handled");
  }
}

SmallVector<int64_t> evaluate(AffineMap map, ArrayRef<int64_t> dimensions,
                              ArrayRef<int64_t> symbols) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return evaluate(expr, dimensions, symbols);
  });
}

/// What a map gives for an op's operands.
template <typename OpTy>
static SmallVector<int64_t> resultsOf(OpTy op, Frame &f) {
  SmallVector<int64_t> given;
  for (Value operand : op->getOperands()) {
    given.push_back(f.integer(operand));
  }
  AffineMap map = op.getAffineMap();
  if (!llvm::all_of(map.getResults(),
                    [](AffineExpr expr) { return expr.isPureAffine(); })) {
    f.fail() << "cannot be interpreted: it divides by an operand";
    return {0};
  }
  return evaluate(map, ArrayRef(given).take_front(map.getNumDims()),
                  ArrayRef(given).drop_front(map.getNumDims()));
}

void addAffine(Handlers &handlers) {
  handlers.add<affine::AffineApplyOp>([](affine::AffineApplyOp op, Frame &f) {
    f.set(op.getResult(), resultsOf(op, f).front());
  });
  handlers.add<affine::AffineMinOp>([](affine::AffineMinOp op, Frame &f) {
    f.set(op.getResult(), *llvm::min_element(resultsOf(op, f)));
  });
  handlers.add<affine::AffineMaxOp>([](affine::AffineMaxOp op, Frame &f) {
    f.set(op.getResult(), *llvm::max_element(resultsOf(op, f)));
  });
}

} // namespace cheems::interpreter
