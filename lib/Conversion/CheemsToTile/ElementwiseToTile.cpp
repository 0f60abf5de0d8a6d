// Elementwise ops that no other kernel took.
#include "Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
struct ElementwiseToTile : ToKernel<linalg::GenericOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op)) {
      return rewriter.notifyMatchFailure(op, "it is not elementwise on rows");
    }
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t columns = type.getDimSize(1);
    if (ShapedType::isDynamic(columns)) {
      return rewriter.notifyMatchFailure(op, "its rows are of any length");
    }
    SmallVector<Value> operands(op->getOperands());
    SmallVector<Type> arguments;
    for (Value operand : operands) {
      bool isVector = cast<ShapedType>(operand.getType()).getRank() == 1;
      arguments.push_back(argumentFor(operand.getType(), isVector ? 0 : 1));
    }
    RowStrategy s = strategy.elements(columns);
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout =
          BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
      RankedTensorType tile =
          t.tileType({s.rows, s.columns}, type.getElementType(), layout);
      RowsAndColumns at{t.mul(t.block(GridDimension::X), s.rows),
                        t.mul(t.block(GridDimension::Y), s.columns)};
      SmallVector<Value> none(memory.size());
      SmallVector<Value> tiles =
          loadArguments(t, op, SmallVector<Value>(memory), none, tile, at);
      t.store(inlineBody(t, op, tiles, tile), memory.back(), at.place(),
              alignmentOf(memory.back(), at));
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "elementwise", arguments, s.warps(), body);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value out = op.getOutputs()[0];
    auto made = launch(
        b, kernel, {tilesOf(b, out, 0, s.rows), tilesOf(b, out, 1, s.columns)},
        op.getInputs(), op.getOutputs());
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};
} // namespace

void cheems::tile::populateElementwiseToTile(RewritePatternSet &patterns,
                                             KernelContext kit) {
  patterns.add<ElementwiseToTile>(patterns.getContext(), kit);
}
