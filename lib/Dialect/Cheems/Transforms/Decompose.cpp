// cheems-decompose: ops of the dialect to upstream ops.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct Decompose : cheems::impl::DecomposePassBase<Decompose> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation().walk([&](linalg::AggregatedOpInterface op) {
      // linalg has such ops, too; they have a lowering of their own
      bool ours = !isa<linalg::LinalgDialect>(op->getDialect());
      bool kernel = isa<cheems::KernelOpInterface>(*op);
      if (ours && !(kernels && kernel)) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      if (op->getNumResults() == 0) {
        op.emitOpError("is decomposed before bufferisation, on tensors");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
      if (failed(values)) {
        return signalPassFailure();
      }
      rewriter.replaceOp(op, *values);
    }
  }
};
} // namespace
