// cheems-split-experts: sums that blocks have, and an op that adds them.
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_SPLITEXPERTSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// y + the parts, in their order. What a matmul or an elementwise op gives
/// is an input, so that one kernel can have all.
static Value addAll(ImplicitLocOpBuilder &b, ValueRange parts, Value y) {
  Operation *before = y.getDefiningOp();
  bool isInput =
      isa_and_nonnull<linalg::MatmulOp, QuantizedMatmulOp, linalg::GenericOp>(
          before);
  SmallVector<Value> inputs(parts);
  Value out = y;
  if (isInput) {
    inputs.insert(inputs.begin(), y);
    out = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), parts[0]), b.getF32Type());
  }
  SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, out.getType(), inputs, out, maps, loops,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               Value sum = isInput ? arguments[0] : arguments.back();
               for (Value part : arguments.slice(isInput, parts.size())) {
                 sum = arith::AddFOp::create(inner, loc, sum, part);
               }
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

/// Takes as many heads of [T, H, k], from `first` on.
static Value sliceHeads(ImplicitLocOpBuilder &b, Value all, OpFoldResult rows,
                        int64_t first, int64_t heads) {
  auto type = cast<RankedTensorType>(all.getType());
  SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)),
      strides(3, b.getIndexAttr(1));
  offsets[1] = b.getIndexAttr(first);
  SmallVector<OpFoldResult> sizes{rows, b.getIndexAttr(heads),
                                  b.getIndexAttr(type.getDimSize(2))};
  return tensor::ExtractSliceOp::create(b, all, offsets, sizes, strides);
}

/// What an op says of its kernel stays, at the first part.
static void split(RewriterBase &rewriter, MixExpertsOp op) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  int64_t heads = cast<ShapedType>(op.getScore().getType()).getDimSize(1);
  int64_t perPart = Strategy::headsOfPart(heads, hasFewRows(op));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getX());
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  SmallVector<Value> sums;
  for (int64_t first = 0; first < heads; first += perPart) {
    Value sum = tensor::EmptyOp::create(b, sizes, b.getF32Type());
    sum = linalg::FillOp::create(b, zero, sum).getResult(0);
    auto part = cast<MixExpertsOp>(b.clone(*op));
    part.getYMutable().assign(sum);
    if (perPart < heads) {
      int64_t own = std::min(perPart, heads - first);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(part);
      part.getScoreMutable().assign(
          sliceHeads(b, op.getScore(), sizes[0], first, own));
      part.getExpertMutable().assign(
          sliceHeads(b, op.getExpert(), sizes[0], first, own));
    }
    if (first > 0) {
      part->removeDiscardableAttr(kStrategy);
    }
    sums.push_back(part->getResult(0));
  }
  rewriter.replaceOp(op, addAll(b, sums, op.getY()));
}

namespace {
struct SplitExperts : cheems::impl::SplitExpertsPassBase<SplitExperts> {
  using SplitExpertsPassBase::SplitExpertsPassBase;

  void runOnOperation() override {
    SmallVector<MixExpertsOp> ops;
    getOperation().walk([&](MixExpertsOp op) {
      auto score = cast<ShapedType>(op.getScore().getType());
      if (op.hasPureTensorSemantics() && score.getDimSize(1) > 0 &&
          !whyNoKernel(op)) {
        ops.push_back(op);
      }
    });
    if (ops.empty()) {
      return markAllAnalysesPreserved();
    }
    IRRewriter rewriter(&getContext());
    for (MixExpertsOp op : ops) {
      split(rewriter, op);
    }
    RewritePatternSet patterns(&getContext());
    populateFuseElementwise(patterns);
    auto config = GreedyRewriteConfig().setUseTopDownTraversal();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config))) {
      getOperation().emitOpError("does not come to an end");
      signalPassFailure();
    }
  }
};
} // namespace
