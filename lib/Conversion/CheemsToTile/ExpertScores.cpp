// Scores of product keys: products of each half and head with keys of its own.
#include "ExpertKernels.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

bool cheems::tile::isProductWithKeys(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != 5 ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) {
    return false;
  }
  AffineExpr t, half, h, d, n;
  bindDims(context, t, half, h, d, n);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(5, 0, results, context);
  };
  SmallVector<AffineMap> wanted = {map({t, half, h, d}), map({half, h, d, n}),
                                   map({t, half, h, n})};
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  if (op.getIndexingMapsArray() != wanted || !fill ||
      !matchPattern(fill.getInputs()[0], m_AnyZeroFloat())) {
    return false;
  }
  auto queries = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto keys = cast<RankedTensorType>(op.getInputs()[1].getType());
  Type element = keys.getElementType();
  if (!keys.hasStaticShape() || keys.getDimSize(0) != 2 ||
      !queries.getElementType().isF32() ||
      !(element.isF32() || element.isF16() || element.isBF16())) {
    return false;
  }
  // sum + query * key, the key widened if it has to be.
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  auto sum = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  auto arguments = op.getBlock()->getArguments();
  auto isProduct = [&](Value value) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    auto isKey = [&](Value key) {
      if (auto wide = key.getDefiningOp<arith::ExtFOp>()) {
        key = wide.getIn();
      }
      return key == arguments[1];
    };
    return product &&
           ((product.getLhs() == arguments[0] && isKey(product.getRhs())) ||
            (product.getRhs() == arguments[0] && isKey(product.getLhs())));
  };
  return sum && ((sum.getLhs() == arguments[2] && isProduct(sum.getRhs())) ||
                 (sum.getRhs() == arguments[2] && isProduct(sum.getLhs())));
}

ScoreBuffer ScoreBuffer::alloc(TileBuilder &t, const ExpertsStrategy &s) {
  return {t.alloc({1, s.scores.rows, s.scores.columns}, t.b.getF32Type(),
                  /*swizzled=*/false)};
}

/// So many d, or a part of them that divides all, are loaded before the first
/// one is multiplied.
constexpr int64_t kAhead = 8;

/// sums + the product of a number per row and one per column, for each d.
static Value addProducts(TileBuilder &t, int64_t depth, Value sums,
                         function_ref<Value(Value d)> query,
                         function_ref<Value(Value d)> key) {
  auto type = cast<RankedTensorType>(sums.getType());
  int64_t ahead = std::min(kAhead, depth & -depth);
  Value zero = t.index(0);
  auto spread = [&](Value tile) {
    return tile.getType() == type ? tile : t.broadcast(tile, type);
  };
  auto all = t.loop(
      zero, t.index(depth), ahead, sums,
      [&](Value from, ValueRange outer) -> SmallVector<Value> {
        return t.loop(zero, t.index(ahead), 1, outer,
                      [&](Value next, ValueRange state) -> SmallVector<Value> {
                        Value d = t.add(from, next);
                        return {t.fma(spread(query(d)), spread(t.widen(key(d))),
                                      state[0])};
                      });
      });
  return all[0];
}

void ScoreBuffer::compute(TileBuilder &t, const ExpertsStrategy &s,
                          Value queries, Value keys, Value row,
                          Value head) const {
  auto memory = cast<MemRefType>(keys.getType());
  Type element = memory.getElementType();
  RankedTensorType raw = tileOf(t, s.scores, element),
                   type = tileOf(t, s.scores, t.b.getF32Type());
  int64_t aligned = alignmentOf(memory.getDimSize(3), element);
  Value zero = t.index(0);
  Value sums = addProducts(
      t, memory.getDimSize(2), t.fill(type, 0),
      [&](Value d) {
        return t.load(t.sliceType(type, 1), queries,
                      {{row, zero, head, d}, {1}});
      },
      [&](Value d) {
        return t.load(raw, keys, {{zero, head, d, zero}, {0, 3}}, aligned);
      });
  t.barrier();
  t.write(sums, buffer, zero, zero, zero);
  t.barrier();
}

Value ScoreBuffer::bits(TileBuilder &t, RankedTensorType type) const {
  Value column = IndicesOp::create(t.b, type, 1);
  return t.bitcast(t.pick(buffer, t.index(0), halfOf(t, type), column),
                   t.b.getI32Type());
}

namespace {
/// Blocks of rows and keys, of one half and head each.
struct ScoresToTile : ToKernel<linalg::GenericOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isProductWithKeys(op)) {
      return rewriter.notifyMatchFailure(op, "is no product with keys");
    }
    Value queries = op.getInputs()[0], keys = op.getInputs()[1];
    Value out =
        op.getOutputs()[0].getDefiningOp<linalg::FillOp>().getOutputs()[0];
    auto type = cast<RankedTensorType>(keys.getType());
    RowStrategy s = strategy.keyScores(type.getDimSize(3), fewRowsOf(op));
    SmallVector<Type> arguments;
    for (Value operand : {queries, keys, out}) {
      arguments.push_back(argumentFor(operand.getType(), 0));
    }
    FlatSymbolRefAttr kernel = kernels.get(
        op.getLoc(), "key_scores", arguments, s.warps(),
        [&](TileBuilder &t, ValueRange memory) { build(t, s, type, memory); });
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto made = launch(
        b, kernel,
        {tilesOf(b, queries, 0, s.tileRows()), tilesOf(b, keys, 3, s.columns),
         arith::ConstantIndexOp::create(b, 2 * type.getDimSize(1))},
        {queries, keys}, out);
    rewriter.replaceOp(op, made.getResults());
    return success();
  }

private:
  static void build(TileBuilder &t, const RowStrategy &s, RankedTensorType keys,
                    ValueRange memory) {
    auto layout =
        BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
    RankedTensorType type =
        t.tileType({s.tileRows(), s.columns}, t.b.getF32Type(), layout);
    RankedTensorType perKey =
        t.withElement(t.sliceType(type, 0), keys.getElementType());
    Value row = t.mul(t.block(GridDimension::X), s.tileRows());
    Value column = t.mul(t.block(GridDimension::Y), s.columns);
    Value part = t.block(GridDimension::Z);
    Value half = t.divide(part, keys.getDimSize(1)),
          head = t.remainder(part, keys.getDimSize(1));
    int64_t aligned = alignmentOf(keys.getDimSize(3), keys.getElementType());
    Value sums = addProducts(
        t, keys.getDimSize(2), t.fill(type, 0),
        [&](Value d) {
          return t.load(t.sliceType(type, 1), memory[0],
                        {{row, half, head, d}, {0}});
        },
        [&](Value d) {
          return t.load(perKey, memory[1], {{half, head, d, column}, {3}},
                        aligned);
        });
    t.store(sums, memory[2], {{row, half, head, column}, {0, 3}},
            alignmentOf(keys.getDimSize(3), t.b.getF32Type()));
  }
};
} // namespace

void cheems::tile::populateScoresToTile(RewritePatternSet &patterns,
                                        KernelContext kit) {
  patterns.add<ScoresToTile>(patterns.getContext(), kit);
}
