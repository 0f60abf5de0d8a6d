// Destination-style ops of our dialects bufferise by taking their buffers.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_DESTINATIONMODEL_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_DESTINATIONMODEL_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

namespace cheems {

template <typename OpTy>
struct DestinationModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<
          DestinationModel<OpTy>, OpTy> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
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
          bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer)) {
        return failure();
      }
      operands.push_back(*buffer);
      if (destination.isDpsInit(&operand)) {
        results.push_back(*buffer);
      }
    }
    mlir::clone(rewriter, op, /*results=*/TypeRange{}, operands);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

/// Attaches to ops that write into their `outs` and are still there on buffers.
template <typename OpTy> void attachTo(MLIRContext *context) {
  if constexpr (OpTy::template hasTrait<
                    linalg::AggregatedOpInterface::Trait>()) {
    OpTy::template attachInterface<DestinationModel<OpTy>>(*context);
  }
}

template <typename... Ops> void attachToAll(MLIRContext *context) {
  (attachTo<Ops>(context), ...);
}

} // namespace cheems

#endif
