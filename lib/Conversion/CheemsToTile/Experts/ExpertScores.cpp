// Scores of product keys: matmuls of each half and head with keys of its own.
#include "ExpertKernels.h"
#include "Strategy/LoadsAhead.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

bool cheems::tile::isMatmulWithKeys(linalg::GenericOp op) {
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
  auto isMatmul = [&](Value value) {
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
  return sum && ((sum.getLhs() == arguments[2] && isMatmul(sum.getRhs())) ||
                 (sum.getRhs() == arguments[2] && isMatmul(sum.getLhs())));
}

ScoreBuffer ScoreBuffer::alloc(TileBuilder &t, ExpertsStrategyAttr s) {
  return {t.alloc({1, s.getScores().getRows(), s.getScores().getColumns()},
                  t.b.getF32Type(),
                  /*swizzled=*/false)};
}

Value cheems::tile::addMatmulsWithKeys(TileBuilder &t, int64_t depth,
                                       int64_t most, Value sums,
                                       function_ref<Value(Value d)> query,
                                       function_ref<Value(Value d)> key) {
  auto type = cast<RankedTensorType>(sums.getType());
  int64_t ahead = std::min(most, depth & -depth);
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

void ScoreBuffer::compute(TileBuilder &t, ExpertsStrategyAttr s, Value queries,
                          Value keys, Value row, Value head) const {
  auto memory = cast<MemRefType>(keys.getType());
  Type element = memory.getElementType();
  RankedTensorType raw = tileOf(t, s.getScores(), element),
                   type = tileOf(t, s.getScores(), t.b.getF32Type());
  int64_t aligned = alignmentOf(memory.getDimSize(3), element);
  Value zero = t.index(0);
  Value sums = addMatmulsWithKeys(
      t, memory.getDimSize(2), kLoneKeysAhead, t.fill(type, 0),
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
