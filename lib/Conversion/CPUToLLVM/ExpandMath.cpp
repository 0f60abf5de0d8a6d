// cheems-expand-math: math functions become straight-line arithmetic.
#include "ExpandMath.h"
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Conversion/CPUToLLVM/Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
using Expansion = Value (*)(ImplicitLocOpBuilder &, Value);

template <typename Op> struct ExpandF64 : OpRewritePattern<Op> {
  Expansion expansion;

  ExpandF64(MLIRContext *context, Expansion expansion)
      : OpRewritePattern<Op>(context), expansion(expansion) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64()) {
      return rewriter.notifyMatchFailure(op, "is not of f64");
    }
    if (isa<TensorType>(op.getType())) {
      return rewriter.notifyMatchFailure(op, "is on tensors");
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expansion(b, op.getOperand()));
    return success();
  }
};

struct ExpandMath : cheems::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    // The driver for whole regions would fold every op of the kernels.
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect())) {
        functions.push_back(op);
      }
    });
    RewritePatternSet patterns(&getContext());
    cheems::populateExpandMathPatterns(patterns);
    auto config = GreedyRewriteConfig().setStrictness(
        GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(
            applyOpPatternsGreedily(functions, std::move(patterns), config))) {
      signalPassFailure();
    }
  }
};
} // namespace

void cheems::populateExpandMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF64<math::SinOp>>(context, expandSine);
  patterns.add<ExpandF64<math::CosOp>>(context, expandCosine);
  patterns.add<ExpandF64<math::ExpOp>>(context, expandExp);
  patterns.add<ExpandF64<math::LogOp>>(context, expandLog);
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained(
        {"math.exp", "math.log", "math.log1p", "math.erf", "math.tanh"}, name);
  });
}
