// cheems-quantize-matmuls: matrices that are to be rounded become integers and
// scales, and their matmuls become quantized matmuls.
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/Utils/QuantizeTables.h"
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cheems {
#define GEN_PASS_DEF_QUANTIZEMATMULSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

static bool startsAtZero(linalg::MatmulOp op) {
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Parameters that reach one argument are rounded alike, and matmuls alone
/// read them.
static LogicalResult check(const WeightUses::Group &group) {
  for (ParameterOp parameter : group.parameters) {
    if (parameter.getQuantizedAttr() != group.quantized()) {
      return parameter.emitOpError("shares an argument with weights that are "
                                   "rounded in another way");
    }
  }
  for (OpOperand *use : group.leaves) {
    if (!isTransposedWeight(*use) ||
        !startsAtZero(cast<linalg::MatmulOp>(use->getOwner()))) {
      return use->getOwner()->emitOpError(
          "reads a weight that is quantized for matmuls whose sums "
          "start from zero");
    }
  }
  return success();
}

namespace {
struct QuantizeMatmuls
    : cheems::impl::QuantizeMatmulsPassBase<QuantizeMatmuls> {
  struct RoundedRows {
    Value codes, scales;
  };

  /// After the op that makes `x`.
  static RoundedRows round(Value x, Location loc) {
    OpBuilder at(x.getContext());
    at.setInsertionPointAfterValue(x);
    TensorBuilder t{ImplicitLocOpBuilder(loc, at)};
    Value codes = t.emptyLike(x, t.b.getI8Type());
    Value scales =
        t.empty({tensor::getMixedSize(t.b, loc, x, 0)}, t.b.getF32Type());
    auto op = QuantizeEntriesOp::create(
        t.b, TypeRange{codes.getType(), scales.getType()}, x, codes, scales);
    return {op.getResult(0), op.getResult(1)};
  }

  llvm::DenseMap<Value, Value> split(WeightUses::Group &group) {
    QuantizedAttr format = group.quantized();
    auto matrix = cast<RankedTensorType>(group.type());
    int64_t rows = matrix.getDimSize(0), depth = matrix.getDimSize(1);
    bool bytes = format.getBits() == 8;
    Builder b(&getContext());
    auto codes = RankedTensorType::get(
        {rows, tile::QuantizedMatmulOp::getRowBytes(depth, format.getBits())},
        b.getI8Type());
    auto scales = RankedTensorType::get(
        {rows, format.getGroup() ? depth / format.getGroup() : 1},
        bytes ? Type(b.getF32Type()) : Type(b.getBF16Type()));
    llvm::DenseMap<Value, Value> others =
        group.split(codes, scales, LayoutAttrInterface());
    if (!bytes) {
      for (ParameterOp parameter : group.parameters) {
        parameter.setLayoutAttr(tile::NibblesAttr::get(&getContext()));
      }
    }
    return others;
  }

  void runOnOperation() override {
    WeightUses uses(getOperation());
    IRRewriter rewriter(&getContext());
    if (failed(quantizeTables(uses.groups(), rewriter))) {
      return signalPassFailure();
    }
    llvm::DenseMap<Value, RoundedRows> rounded;
    for (WeightUses::Group &group : uses.groups()) {
      QuantizedAttr format = group.quantized();
      if (!format) {
        continue;
      }
      if (failed(check(group))) {
        return signalPassFailure();
      }
      llvm::DenseMap<Value, Value> scales = split(group);
      for (OpOperand *use : group.leaves) {
        auto product = cast<linalg::MatmulOp>(use->getOwner());
        Value x = product.getInputs()[0];
        RoundedRows &rows = rounded[x];
        if (!rows.codes) {
          rows = round(x, product.getLoc());
        }
        auto zeros = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
        OpBuilder b(product);
        auto coded = tile::QuantizedMatmulOp::create(
            b, product.getLoc(), product.getResultTypes(), rows.codes,
            rows.scales, use->get(), scales.lookup(use->get()),
            zeros.getOutputs()[0], uint64_t(format.getBits()));
        product.replaceAllUsesWith(coded.getResults());
        product.erase();
      }
    }
  }
};
} // namespace
