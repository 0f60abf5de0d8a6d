// cheems-check-kernels: refuses what a compiled step must not do.
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cheems {
#define GEN_PASS_DEF_CHECKKERNELSPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// True for ops of `math` that every target has instructions for.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
             math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp,
             math::FmaOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
             math::IsNormalOp, math::RoundEvenOp, math::RsqrtOp, math::SqrtOp,
             math::TruncOp>(op);
}

/// Narrower floats are computed through conversions that are library calls on
/// some targets.
bool hasNativeTypes(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return !real || real.isF32() || real.isF64();
  });
}

LogicalResult checkCall(func::CallOp call, SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (callee && callee.isExternal() &&
      callee.getName() != "cheems_parallel_for") {
    return call.emitOpError("calls @")
           << call.getCallee() << ", which this module does not define";
  }
  return success();
}

/// The stage that should have lowered `op`, which is left; empty where it may
/// be.
StringRef missingStage(Operation *op) {
  // The outliner comes next and knows which worker runs. The entries know later
  // where marks go.
  bool ours =
      isa_and_nonnull<cheems::CheemsDialect, cheems::cpu::CheemsCPUDialect>(
          op->getDialect()) &&
      !isa<cheems::cpu::WorkerOp, cheems::MarkOp>(op);
  if (!ours && !isa<linalg::LinalgOp>(op)) {
    return "";
  }
  if (op->getNumResults()) {
    return "cheems-to-buffers comes before cheems-to-loops";
  }
  if (!ours) {
    return "cheems-lower-linalg, with which cheems-to-loops begins, has not "
           "run";
  }
  return isa<cheems::cpu::KernelOpInterface>(op)
             ? "cheems-lower-microkernels, in cheems-to-kernels, has not run"
             : "cheems-to-tiled, which decomposes it, comes before "
               "cheems-to-buffers";
}

LogicalResult check(Operation *op, SymbolTableCollection &symbols) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
            memref::ReallocOp>([](Operation *op) {
        return op->emitOpError("a step may not allocate: this buffer has no "
                               "offset in the workspace");
      })
      .Case([](memref::CopyOp copy) {
        return copy.emitOpError("a step may not copy a buffer of type ")
               << copy.getSource().getType()
               << ": its tensor was read after, or beside, its update";
      })
      .Case([&](func::CallOp call) { return checkCall(call, symbols); })
      .Case([](func::CallIndirectOp call) {
        return call.emitOpError(
            "calls a function that is not known when compiling");
      })
      .Case([](arith::RemFOp rem) {
        return rem.emitOpError("needs a function of the math library");
      })
      .Default([](Operation *op) -> LogicalResult {
        if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
            (!isInstruction(op) || !hasNativeTypes(op))) {
          return op->emitOpError("needs a function of the math library: "
                                 "cheems-expand-math has no polynomial for it");
        }
        return success();
      });
}

struct CheckKernels : cheems::impl::CheckKernelsPassBase<CheckKernels> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    bool good = true;
    // Every offence is reported, but of what a missing stage has left, one.
    getOperation()->walk([&](Operation *op) {
      if (StringRef stage = missingStage(op); !stage.empty()) {
        op->emitOpError("was not lowered: ") << stage;
        good = false;
        return WalkResult::interrupt();
      }
      good &= succeeded(check(op, symbols));
      return WalkResult::advance();
    });
    if (!good) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
