// Which ops have a kernel on CPUs.
#include "Kernels.h"
#include "cheems/Conversion/CPUToVector/Passes.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
template <typename OpTy,
          LogicalResult (*lower)(OpTy, const VectorUnit &, RewriterBase &)>
struct KernelModel
    : KernelOpInterface::ExternalModel<KernelModel<OpTy, lower>, OpTy> {
  LogicalResult lowerToVectors(Operation *op, RewriterBase &rewriter,
                               TargetAttrInterface target) const {
    auto cpu = cast<TargetAttr>(target);
    VectorUnit unit{cpu.getLanes(), cpu.getRegisters(), cpu.getProducts()};
    return lower(cast<OpTy>(op), unit, rewriter);
  }
};

template <typename OpTy,
          LogicalResult (*lower)(OpTy, const VectorUnit &, RewriterBase &)>
void attach(MLIRContext *context) {
  OpTy::template attachInterface<KernelModel<OpTy, lower>>(*context);
}
} // namespace

void cheems::registerKernelModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CheemsDialect *) {
    attach<RmsNormOp, lowerNorm>(context);
    attach<RetrieveExpertsOp, lowerRetrieval>(context);
    attach<MixExpertsOp, lowerMixing>(context);
  });
  registry.addExtension(+[](MLIRContext *context, CheemsCPUDialect *) {
    attach<LinearOp, lowerLinear>(context);
    attach<ColumnEpilogueOp, lowerColumnEpilogue>(context);
    attach<OnlineAttentionOp, lowerAttention>(context);
    attach<MergeAttentionOp, lowerMergeAttention>(context);
    attach<KeepThresholdOp, lowerKeepThreshold>(context);
    attach<KeepUpdateOp, lowerKeepUpdate>(context);
    attach<SSDChunkOp, lowerSSDChunk>(context);
  });
}
