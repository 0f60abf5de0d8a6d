// Elementwise ops that no other kernel took.
#include "Builder/Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
struct ElementwiseToTile : GroupToKernels<GroupKind::Elementwise> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<linalg::GenericOp>(group);
    auto s = op ? strategyOf<RowTileAttr>(op) : RowTileAttr();
    if (!s || !isElementwise(op)) {
      return rewriter.notifyMatchFailure(group,
                                         "it is not elementwise on rows");
    }
    inlineGroup(rewriter, group);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<Value> operands(op->getOperands());
    SmallVector<Type> arguments;
    for (Value operand : operands) {
      bool isVector = cast<ShapedType>(operand.getType()).getRank() == 1;
      arguments.push_back(argumentFor(operand.getType(), isVector ? 0 : 1));
    }
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                     s.getThreads(), s.getWidth());
      RankedTensorType tile = t.tileType({s.getRows(), s.getColumns()},
                                         type.getElementType(), layout);
      RowsAndColumns at{t.mul(t.block(GridDimension::X), s.getRows()),
                        t.mul(t.block(GridDimension::Y), s.getColumns())};
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
        b, kernel,
        {tilesOf(b, out, 0, s.getRows()), tilesOf(b, out, 1, s.getColumns())},
        op.getInputs(), op.getOutputs());
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};
} // namespace

void cheems::tile::populateElementwiseToTile(RewritePatternSet &patterns,
                                             KernelTable &kernels) {
  patterns.add<ElementwiseToTile>(patterns.getContext(), kernels);
}
