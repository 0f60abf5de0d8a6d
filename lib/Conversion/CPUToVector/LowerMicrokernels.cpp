// cheems-lower-microkernels: bufferised ops with a kernel of their own.
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "cheems/Conversion/CPUToVector/Patterns.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_LOWERMICROKERNELSPASS
#include "cheems/Conversion/CPUToVector/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

/// No names stand for all.
static bool isAmong(ArrayRef<std::string> only, Operation *op) {
  return only.empty() || llvm::is_contained(only, op->getName().getStringRef());
}

namespace {
struct LowerKernelOp
    : OpInterfaceRewritePattern<cheems::cpu::KernelOpInterface> {
  TargetAttr target;
  SmallVector<std::string> only;

  LowerKernelOp(MLIRContext *context, TargetAttr target,
                ArrayRef<std::string> only)
      : OpInterfaceRewritePattern(context), target(target), only(only) {}

  LogicalResult matchAndRewrite(cheems::cpu::KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isAmong(only, op)) {
      return rewriter.notifyMatchFailure(op, "is not among those to lower");
    }
    if (op->getNumResults()) {
      return rewriter.notifyMatchFailure(op, "is on tensors");
    }
    if (failed(op.lowerToVectors(rewriter, target))) {
      return rewriter.notifyMatchFailure(op, "has no kernel for its operands");
    }
    rewriter.eraseOp(op);
    return success();
  }
};

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

  /// A name that is mistyped would leave all as it is.
  LogicalResult checkNames() {
    for (const std::string &name : only) {
      auto known = RegisteredOperationName::lookup(name, &getContext());
      if (!known || !known->hasInterface<cheems::cpu::KernelOpInterface>()) {
        return getOperation().emitOpError("has no kernels of '")
               << name << "': the option only takes names of ops that have one";
      }
    }
    return success();
  }

  void runOnOperation() override {
    TargetAttr made = target();
    if (!made || failed(checkNames())) {
      return signalPassFailure();
    }
    if (made.isScalar()) {
      getOperation().emitOpError("has kernels only for registers of 8 or 16 "
                                 "lanes; take cheems-decompose");
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    cheems::populateLowerMicrokernelsPatterns(patterns, made, only);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    getOperation().walk([&](cheems::cpu::KernelOpInterface left) {
      if (!isAmong(only, left)) {
        return;
      }
      // What is on buffers has said why it stays.
      if (left->getNumResults()) {
        left->emitOpError("is lowered after bufferisation, on buffers");
      }
      signalPassFailure();
    });
  }
};
} // namespace

void cheems::populateLowerMicrokernelsPatterns(RewritePatternSet &patterns,
                                               TargetAttr target,
                                               ArrayRef<std::string> only) {
  patterns.add<LowerKernelOp>(patterns.getContext(), target, only);
}
