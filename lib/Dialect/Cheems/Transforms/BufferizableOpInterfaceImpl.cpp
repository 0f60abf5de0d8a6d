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

/// Of those that write into their `outs` and are still there on buffers.
template <typename OpTy> void attachTo(MLIRContext *context) {
  if constexpr (OpTy::template hasTrait<
                    linalg::AggregatedOpInterface::Trait>()) {
    OpTy::template attachInterface<DestinationModel<OpTy>>(*context);
  }
}

template <typename... Ops> void attachToAll(MLIRContext *context) {
  (attachTo<Ops>(context), ...);
}
} // namespace

void cheems::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, cheems::CheemsDialect *) {
    attachToAll<
#define GET_OP_LIST
#include "cheems/Dialect/Cheems/IR/CheemsOps.cpp.inc"
        >(context);
  });
}
