// Rows that become integers and scales, for quantized matmuls.
#include "Builder/RowQuantization.h"
#include "NormKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// A block's rows, in pieces if they are long.
struct Rows {
  TileBuilder &t;
  RowTileAttr s;
  Value x, codes, scales;
  Value row; ///< the first one
  int64_t columns;
  RankedTensorType type;

  RowsAndColumns at(Value column) { return {row, column}; }
  Value load(Value column) {
    return t.load(type, x, at(column).place(), alignmentOf(x, at(column)));
  }
  void store(Value piece, const RowQuantization &codesOf, Value column) {
    t.store(codesOf.codes(t, piece), codes, at(column).place(),
            alignmentOf(codes, at(column)));
  }

  void build() {
    Value zero = t.index(0), end = t.index(columns);
    bool isWhole = columns <= s.getColumns();
    Value piece = isWhole ? load(zero) : Value(), most;
    if (isWhole) {
      most = RowQuantization::greatest(t, piece);
    } else {
      Value none = t.fill(t.sliceType(type, 1), 0);
      most = t.loop(zero, end, s.getColumns(), none,
                    [&](Value column, ValueRange before) -> SmallVector<Value> {
                      Value here = RowQuantization::greatest(t, load(column));
                      return {t.maximum(before[0], here)};
                    })
                 .front();
    }
    RowQuantization rows = RowQuantization::of(t, most);
    t.store(rows.scale, scales, {{row}, {0}});
    if (isWhole) {
      store(piece, rows, zero);
      return;
    }
    t.each(zero, end, s.getColumns(),
           [&](Value column) { store(load(column), rows, column); });
  }
};
} // namespace

void cheems::tile::replaceRounding(PatternRewriter &rewriter,
                                   QuantizeEntriesOp op, KernelTable &kernels,
                                   Value when) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  int64_t columns = type.getDimSize(1);
  SmallVector<Type> arguments = {argumentFor(type, 1),
                                 argumentFor(op.getCodes().getType(), 1),
                                 argumentFor(op.getScales().getType(), 1)};
  auto s = strategyOf<RowTileAttr>(op);
  auto body = [&](TileBuilder &t, ValueRange memory) {
    auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                   s.getThreads(), s.getWidth());
    RankedTensorType tile =
        t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
    Value row = t.mul(t.block(GridDimension::X), s.getRows());
    Rows{t, s, memory[0], memory[1], memory[2], row, columns, tile}.build();
  };
  FlatSymbolRefAttr kernel =
      kernels.get(op.getLoc(), "round_rows", arguments, s.warps(), body);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  b.setInsertionPoint(op);
  Value blocks = tilesOf(b, op.getCodes(), 0, s.getRows());
  auto made = launch(b, kernel, {blocks}, op.getX(),
                     ValueRange{op.getCodes(), op.getScales()}, when);
  rewriter.replaceOp(op, made.getResults());
}

namespace {
struct RoundEntriesToTile : GroupToKernels<GroupKind::Rounding> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<QuantizeEntriesOp>(group);
    if (!op || group.getInMatmuls() || !op.hasPureTensorSemantics() ||
        !strategyOf<RowTileAttr>(op)) {
      return rewriter.notifyMatchFailure(group, "it has no rows of one length");
    }
    inlineGroup(rewriter, group);
    replaceRounding(rewriter, op, kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateRoundEntriesToTile(RewritePatternSet &patterns,
                                              KernelTable &kernels) {
  patterns.add<RoundEntriesToTile>(patterns.getContext(), kernels);
}
