// Rows that are chosen by number.
#include "Builder/Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// y[t, :] = table[ids[t], :], a block per row.
struct GatherRowsToTile : GroupToKernels<GroupKind::GatheredRows> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<GatherRowsOp>(group);
    if (!op || !strategyOf<RowTileAttr>(op)) {
      return rewriter.notifyMatchFailure(group, "it has no rows of one length");
    }
    inlineGroup(rewriter, group);
    auto table = cast<RankedTensorType>(op.getTable().getType());
    int64_t columns = table.getDimSize(1);
    SmallVector<Type> arguments = {argumentFor(table, 1),
                                   argumentFor(op.getIds().getType(), 1),
                                   argumentFor(op.getY().getType(), 1)};
    auto s = strategyOf<RowTileAttr>(op);
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                     s.getThreads(), s.getWidth());
      auto type = t.tileType({s.getRows(), s.getColumns()},
                             table.getElementType(), layout);
      Value row = t.block(GridDimension::X);
      Value id = arith::IndexCastOp::create(
          t.b, t.b.getIndexType(),
          memref::LoadOp::create(t.b, memory[1], ValueRange(row)));
      Value column = t.mul(t.block(GridDimension::Y), s.getColumns());
      RowsAndColumns from{id, column}, to{row, column};
      Value tile =
          t.load(type, memory[0], from.place(), alignmentOf(memory[0], from));
      if (!table.getElementType().isF32()) {
        tile = arith::ExtFOp::create(t.b, t.withElement(type, t.b.getF32Type()),
                                     tile);
      }
      t.store(tile, memory[2], to.place(), alignmentOf(memory[2], to));
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "gather_rows", arguments, s.warps(), body);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value out = op.getY();
    auto made = launch(
        b, kernel, {tilesOf(b, out, 0, 1), tilesOf(b, out, 1, s.getColumns())},
        {op.getTable(), op.getIds()}, out);
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};
} // namespace

void cheems::tile::populateRowsToTile(RewritePatternSet &patterns,
                                      KernelTable &kernels) {
  patterns.add<GatherRowsToTile>(patterns.getContext(), kernels);
}
