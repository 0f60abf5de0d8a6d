// cheems-lower-microkernels: bufferised ops with a kernel of their own.
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace cheems {
#define GEN_PASS_DEF_LOWERMICROKERNELSPASS
#include "cheems/Conversion/CPUToVector/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct LowerMicrokernels
    : cheems::impl::LowerMicrokernelsPassBase<LowerMicrokernels> {
  using LowerMicrokernelsPassBase::LowerMicrokernelsPassBase;

  /// What the module is made for, or else the options.
  TargetAttr target() {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    if (auto said = module->getAttrOfType<TargetAttr>(kTarget)) {
      return said;
    }
    return TargetAttr::getChecked([&] { return getOperation().emitError(); },
                                  &getContext(), lanes.getValue(),
                                  registers.getValue(), products.getValue());
  }

  void runOnOperation() override {
    TargetAttr made = target();
    if (!made) {
      return signalPassFailure();
    }
    if (made.isScalar()) {
      getOperation().emitOpError("has kernels only for registers of 8 or 16 "
                                 "lanes; take cheems-decompose");
      return signalPassFailure();
    }
    SmallVector<cheems::KernelOpInterface> ops;
    getOperation().walk(
        [&](cheems::KernelOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (cheems::KernelOpInterface op : ops) {
      if (op->getNumResults()) {
        op->emitOpError("is lowered after bufferisation, on buffers");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      if (failed(op.lowerToVectors(rewriter, made))) {
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
