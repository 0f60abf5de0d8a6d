// cheems-lower-microkernels: bufferised ops with a kernel of their own.
#include "Kernels.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_LOWERMICROKERNELSPASS
#include "cheems/Conversion/CPUToVector/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct LowerMicrokernels
    : cheems::impl::LowerMicrokernelsPassBase<LowerMicrokernels> {
  using LowerMicrokernelsPassBase::LowerMicrokernelsPassBase;

  void runOnOperation() override {
    cheems::VectorUnit unit{lanes, registers, products};
    auto module = getOperation()->getParentOfType<ModuleOp>();
    if (auto target =
            module->getAttrOfType<cheems::TargetAttr>(cheems::kTarget)) {
      unit = {target.getLanes(), target.getRegisters(), target.getProducts()};
    }
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<cheems::HasKernel>()) {
        ops.push_back(op);
      }
    });
    for (Operation *op : ops) {
      if (op->getNumResults()) {
        op->emitOpError("is lowered after bufferisation, on buffers");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      LogicalResult lowered = success();
      if (auto linear = dyn_cast<cheems::LinearOp>(op)) {
        lowered = cheems::lowerLinear(linear, unit, rewriter);
      } else if (auto finish = dyn_cast<cheems::FinishOp>(op)) {
        lowered = cheems::lowerFinish(finish, unit, rewriter);
      } else if (auto norm = dyn_cast<cheems::RmsNormOp>(op)) {
        lowered = cheems::lowerNorm(norm, rewriter);
      } else if (auto retrieval = dyn_cast<cheems::RetrieveExpertsOp>(op)) {
        lowered = cheems::lowerRetrieval(retrieval, unit, rewriter);
      } else if (auto mixing = dyn_cast<cheems::MixExpertsOp>(op)) {
        lowered = cheems::lowerMixing(mixing, unit, rewriter);
      } else if (auto threshold = dyn_cast<cheems::KeepThresholdOp>(op)) {
        lowered = cheems::lowerKeepThreshold(threshold, rewriter);
      } else if (auto update = dyn_cast<cheems::KeepUpdateOp>(op)) {
        lowered = cheems::lowerKeepUpdate(update, rewriter);
      } else if (auto merge = dyn_cast<cheems::MergeAttentionOp>(op)) {
        lowered = cheems::lowerMergeAttention(merge, unit, rewriter);
      } else if (auto ssd = dyn_cast<cheems::SSDChunkOp>(op)) {
        lowered = cheems::lowerSSDChunk(ssd, unit, rewriter);
      } else {
        lowered = cheems::lowerAttention(cast<cheems::OnlineAttentionOp>(op),
                                         unit, rewriter);
      }
      if (failed(lowered)) {
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
