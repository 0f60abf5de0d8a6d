// cheems-quantize-parameters: matrices that are to be rounded become integers
// and scales.
#include "PackMatmul.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/Utils/QuantizeTables.h"
#include "llvm/Support/MathExtras.h"

namespace cheems {
#define GEN_PASS_DEF_QUANTIZEPARAMETERSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kRows = LinearOp::kColumns; // of W

/// Quantized values stand by fours of k: what dot products of bytes multiply at
/// once.
constexpr int64_t kTogether = 4;

int64_t panelsOf(RankedTensorType matrix) {
  return llvm::divideCeilSigned(matrix.getDimSize(0), kRows);
}

RankedTensorType codesType(RankedTensorType matrix, QuantizedAttr format) {
  int64_t codesOfByte = 8 / format.getBits();
  return RankedTensorType::get(
      {panelsOf(matrix), matrix.getDimSize(1) / (kTogether * codesOfByte),
       kRows, kTogether},
      IntegerType::get(matrix.getContext(), 8));
}

RankedTensorType scalesType(RankedTensorType matrix, QuantizedAttr format) {
  MLIRContext *context = matrix.getContext();
  int64_t groups =
      format.getGroup() ? matrix.getDimSize(1) / format.getGroup() : 1;
  Type element = format.getBits() == 8 ? Type(Float32Type::get(context))
                                       : Type(BFloat16Type::get(context));
  return RankedTensorType::get({panelsOf(matrix), groups, kRows}, element);
}

struct QuantizeParameters
    : cheems::impl::QuantizeParametersPassBase<QuantizeParameters> {
  /// Parameters that reach one argument are rounded alike, and matmuls alone
  /// read them.
  LogicalResult check(const WeightUses::Group &group) {
    for (ParameterOp parameter : group.parameters) {
      if (parameter.getQuantizedAttr() != group.quantized()) {
        return parameter.emitOpError("shares an argument with weights that "
                                     "are rounded in another way");
      }
    }
    for (OpOperand *use : group.leaves) {
      if (!isTransposedWeight(*use)) {
        return use->getOwner()->emitOpError(
            "reads a weight that is quantized for matmuls");
      }
    }
    return success();
  }

  void runOnOperation() override {
    WeightUses uses(getOperation());
    IRRewriter rewriter(&getContext());
    if (failed(quantizeTables(uses.groups(), rewriter))) {
      return signalPassFailure();
    }
    for (WeightUses::Group &group : uses.groups()) {
      QuantizedAttr format = group.quantized();
      if (!format) {
        continue;
      }
      if (failed(check(group))) {
        return signalPassFailure();
      }
      auto matrix = cast<RankedTensorType>(group.type());
      llvm::DenseMap<Value, Value> scales =
          group.split(codesType(matrix, format), scalesType(matrix, format),
                      PanelsAttr::get(&getContext(), kRows, kTogether));
      for (OpOperand *use : group.leaves) {
        packMatmul(cast<linalg::MatmulOp>(use->getOwner()), use->get(),
                   rewriter.getI64IntegerAttr(format.getBits()),
                   scales.lookup(use->get()), rewriter);
      }
    }
  }
};
} // namespace
