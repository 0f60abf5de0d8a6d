// cheems-expand-math: math functions become straight-line arithmetic.
#include "ExpandMath.h"
#include "cheems/Target/CPU/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "cheems/Target/CPU/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
using Expansion = Value (*)(ImplicitLocOpBuilder &, Value);

template <typename Op> struct ExpandF64 : OpRewritePattern<Op> {
  Expansion expansion;

  ExpandF64(MLIRContext *context, Expansion expansion)
      : OpRewritePattern<Op>(context), expansion(expansion) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64() ||
        isa<TensorType>(op.getType())) {
      return failure();
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expansion(b, op.getOperand()));
    return success();
  }
};

struct ExpandMath : cheems::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ExpandF64<math::SinOp>>(context, cheems::expandSine);
    patterns.add<ExpandF64<math::CosOp>>(context, cheems::expandCosine);
    patterns.add<ExpandF64<math::ExpOp>>(context, cheems::expandExp);
    patterns.add<ExpandF64<math::LogOp>>(context, cheems::expandLog);
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {"math.exp", "math.log", "math.log1p", "math.erf", "math.tanh"},
          name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace
