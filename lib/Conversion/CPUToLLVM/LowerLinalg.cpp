// cheems-lower-linalg: what has no kernel becomes loops over numbers.
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cheems {
#define GEN_PASS_DEF_LOWERLINALGPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct LowerLinalg : cheems::impl::LowerLinalgPassBase<LowerLinalg> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> left;
    getOperation()->walk([&](linalg::LinalgOp op) { left.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : left) {
      if (!op.hasPureBufferSemantics()) {
        continue; // cheems-check-kernels says so
      }
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::linalgOpToLoops(rewriter, op))) {
        rewriter.eraseOp(op);
      }
    }
  }
};
} // namespace
