// cheems-decompose: ops of our dialects to upstream ops.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// linalg has such ops, too; they have a lowering of their own.
bool isOurs(Operation *op) {
  return isa<linalg::AggregatedOpInterface>(op) &&
         !isa<linalg::LinalgDialect>(op->getDialect());
}

bool stays(Operation *op, bool kernels) {
  return kernels && isa<cheems::cpu::KernelOpInterface>(op);
}

struct DecomposeOp : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  bool kernels;

  DecomposeOp(MLIRContext *context, bool kernels)
      : OpInterfaceRewritePattern(context), kernels(kernels) {}

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isOurs(op)) {
      return rewriter.notifyMatchFailure(op, "is an op of linalg");
    }
    if (stays(op, kernels)) {
      return rewriter.notifyMatchFailure(op, "has a kernel");
    }
    if (op->getNumResults() == 0) {
      return rewriter.notifyMatchFailure(op, "is on buffers");
    }
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values)) {
      return rewriter.notifyMatchFailure(op, "does not decompose");
    }
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct Decompose : cheems::impl::DecomposePassBase<Decompose> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    cheems::populateDecomposePatterns(patterns, kernels);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult left = getOperation().walk([&](Operation *op) {
      if (!isOurs(op) || stays(op, kernels)) {
        return WalkResult::advance();
      }
      op->emitOpError(op->getNumResults() == 0
                          ? "is decomposed before bufferisation, on tensors"
                          : "does not decompose");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted()) {
      signalPassFailure();
    }
  }
};
} // namespace

void cheems::populateDecomposePatterns(RewritePatternSet &patterns,
                                       bool kernels) {
  patterns.add<DecomposeOp>(patterns.getContext(), kernels);
}
