// Scores of product keys as a launch of their own: where blocks of many rows
// share what they read of the keys.
#include "ExpertKernels.h"
#include "Patterns.h"
#include "Strategy/LoadsAhead.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// What a block has: rows and keys of one half and head.
struct ScoreBlock {
  Value queries, keys, scores; ///< memory
  Value row, half, head, column;

  ScoreBlock(TileBuilder &t, ValueRange memory, int64_t heads, int64_t rows,
             int64_t columns)
      : queries(memory[0]), keys(memory[1]), scores(memory[2]),
        row(t.mul(t.block(GridDimension::X), rows)),
        column(t.mul(t.block(GridDimension::Y), columns)) {
    Value part = t.block(GridDimension::Z);
    half = t.divide(part, heads);
    head = t.remainder(part, heads);
  }

  void store(TileBuilder &t, Value sums) const {
    int64_t all = cast<MemRefType>(keys.getType()).getDimSize(3);
    t.store(sums, scores, {{row, half, head, column}, {0, 3}},
            alignmentOf(all, t.b.getF32Type()));
  }
};
} // namespace

/// Without tensor cores, d ascending.
static void buildByNumbers(TileBuilder &t, RowTileAttr s, RankedTensorType keys,
                           const ScoreBlock &at) {
  RankedTensorType type = tileOf(t, s, t.b.getF32Type());
  RankedTensorType perKey =
      t.withElement(t.sliceType(type, 0), keys.getElementType());
  int64_t aligned = alignmentOf(keys.getDimSize(3), keys.getElementType());
  at.store(t, addMatmulsWithKeys(
                  t, keys.getDimSize(2), kKeysAhead, t.fill(type, 0),
                  [&](Value d) {
                    return t.load(t.sliceType(type, 1), at.queries,
                                  {{at.row, at.half, at.head, d}, {0}});
                  },
                  [&](Value d) {
                    return t.load(perKey, at.keys,
                                  {{at.half, at.head, d, at.column}, {3}},
                                  aligned);
                  }));
}

/// On tensor cores. A query is the sum of two numbers of the keys' type, so
/// that what is retrieved is not a matter of how queries are rounded.
static void buildByTiles(TileBuilder &t, KeyTileAttr s, RankedTensorType keys,
                         const ScoreBlock &at) {
  MLIRContext *context = t.b.getContext();
  Type element = keys.getElementType(), f32 = t.b.getF32Type();
  int64_t depth = keys.getDimSize(2);
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, s.getWarps(), 1, 1, 2);
  };
  auto queryType =
      t.tileType({s.getRows(), depth}, f32, fragment(FragmentRole::A));
  auto keyType =
      t.tileType({s.getColumns(), depth}, element, fragment(FragmentRole::B));
  auto sumType =
      t.tileType({s.getRows(), s.getColumns()}, f32, fragment(FragmentRole::C));
  Value zero = t.index(0);
  Value buffer =
      t.alloc({1, depth, s.getColumns()}, element, /*swizzled=*/true);
  t.copy(at.keys, {{at.half, at.head, zero, at.column}, {2, 3}}, buffer, zero,
         alignmentOf(keys.getDimSize(3), element));
  t.commit();
  Value query =
      t.load(queryType, at.queries, {{at.row, at.half, at.head, zero}, {0, 3}},
             alignmentOf(depth, f32));
  auto round = [&](Value tile) -> Value {
    return arith::TruncFOp::create(t.b, t.withElement(queryType, element),
                                   tile);
  };
  Value high = round(query), low = round(t.sub(query, t.widen(high)));
  t.waitForAll(0);
  Value key = t.readTransposed(keyType, buffer, zero, zero, zero);
  Value sums = t.mma(low, key, t.fill(sumType, 0));
  at.store(t, t.mma(high, key, sums));
}

namespace {
struct KeyScoresToTile : GroupToKernels<GroupKind::KeyScores> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<linalg::GenericOp>(group);
    if (!op || !isMatmulWithKeys(op)) {
      return rewriter.notifyMatchFailure(group, "it is no matmul with keys");
    }
    inlineGroup(rewriter, group);
    Value queries = op.getInputs()[0], keys = op.getInputs()[1];
    Value out =
        op.getOutputs()[0].getDefiningOp<linalg::FillOp>().getOutputs()[0];
    auto type = cast<RankedTensorType>(keys.getType());
    int64_t heads = type.getDimSize(1);
    auto strategy = strategyOf<KeyScoresStrategyAttr>(op);
    KeyTileAttr tiles = strategy.getTiles();
    RowTileAttr numbers = strategy.getNumbers();
    int64_t rows = tiles ? tiles.getRows() : numbers.tileRows(),
            columns = tiles ? tiles.getColumns() : numbers.getColumns();
    SmallVector<Type> arguments;
    for (Value operand : {queries, keys, out}) {
      arguments.push_back(argumentFor(operand.getType(), 0));
    }
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "key_scores", arguments,
                    tiles ? tiles.getWarps() : numbers.warps(),
                    [&](TileBuilder &t, ValueRange memory) {
                      ScoreBlock at(t, memory, heads, rows, columns);
                      if (tiles) {
                        buildByTiles(t, tiles, type, at);
                      } else {
                        buildByNumbers(t, numbers, type, at);
                      }
                    });
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto made =
        launch(b, kernel,
               {tilesOf(b, queries, 0, rows), tilesOf(b, keys, 3, columns),
                arith::ConstantIndexOp::create(b, 2 * heads)},
               {queries, keys}, out);
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};
} // namespace

void cheems::tile::populateScoresToTile(RewritePatternSet &patterns,
                                        KernelTable &kernels) {
  patterns.add<KeyScoresToTile>(patterns.getContext(), kernels);
}
