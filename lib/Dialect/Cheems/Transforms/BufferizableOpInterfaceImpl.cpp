// Destination-style ops of the dialect bufferise by taking their buffers.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace {
template <typename OpTy>
struct DestinationModel
    : DstBufferizableOpInterfaceExternalModel<DestinationModel<OpTy>, OpTy> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands, results;
    auto destination = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer)) {
        return failure();
      }
      operands.push_back(*buffer);
      if (destination.isDpsInit(&operand)) {
        results.push_back(*buffer);
      }
    }
    cheems::cloneWith(rewriter, op, /*results=*/TypeRange{}, operands);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void cheems::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, cheems::CheemsDialect *) {
    FinishOp::attachInterface<DestinationModel<FinishOp>>(*context);
    LinearOp::attachInterface<DestinationModel<LinearOp>>(*context);
    MixExpertsOp::attachInterface<DestinationModel<MixExpertsOp>>(*context);
    RetrieveExpertsOp::attachInterface<DestinationModel<RetrieveExpertsOp>>(
        *context);
    RmsNormOp::attachInterface<DestinationModel<RmsNormOp>>(*context);
    RotaryTableOp::attachInterface<DestinationModel<RotaryTableOp>>(*context);
    RotaryOp::attachInterface<DestinationModel<RotaryOp>>(*context);
    DynamicMaskOp::attachInterface<DestinationModel<DynamicMaskOp>>(*context);
    KeepThresholdOp::attachInterface<DestinationModel<KeepThresholdOp>>(
        *context);
    KeepUpdateOp::attachInterface<DestinationModel<KeepUpdateOp>>(*context);
    AppendVisibleOp::attachInterface<DestinationModel<AppendVisibleOp>>(
        *context);
    QuantizeEntriesOp::attachInterface<DestinationModel<QuantizeEntriesOp>>(
        *context);
    DynamicMaskAttentionOp::attachInterface<
        DestinationModel<DynamicMaskAttentionOp>>(*context);
    OnlineAttentionOp::attachInterface<DestinationModel<OnlineAttentionOp>>(
        *context);
    MergeAttentionOp::attachInterface<DestinationModel<MergeAttentionOp>>(
        *context);
    SSDOp::attachInterface<DestinationModel<SSDOp>>(*context);
    SSDChunkOp::attachInterface<DestinationModel<SSDChunkOp>>(*context);
  });
}
