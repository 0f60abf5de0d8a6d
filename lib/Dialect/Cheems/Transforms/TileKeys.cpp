// cheems-tile-keys: attention in blocks of rows and keys.
#include "Strategy.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include <limits>

namespace mlir::cheems {
#define GEN_PASS_DEF_TILEKEYSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
/// One block of rows.
struct RowBlock {
  RewriterBase &b;
  Location loc;
  cheems::DynamicMaskAttentionOp op;
  int64_t mostRows, keysPerBlock;

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value f32(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }

  /// [T, H] cut from static scratch, which may stand in a parallel loop. No
  /// tensor.empty: CSE would merge the scratch of maximum and sum.
  Value scratch(double start) {
    OpFoldResult rows = tensor::getMixedSize(b, loc, op.getQuery(), 0);
    int64_t heads = shapeOf(op.getQuery())[1];
    auto type = RankedTensorType::get({mostRows, heads}, b.getF32Type());
    Value all =
        bufferization::AllocTensorOp::create(b, loc, type, ValueRange());
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
        sizes{rows, b.getIndexAttr(heads)}, strides(2, b.getIndexAttr(1));
    Value part =
        tensor::ExtractSliceOp::create(b, loc, all, offsets, sizes, strides);
    return fill(part, start);
  }

  Value fill(Value tensor, double value) {
    return linalg::FillOp::create(b, loc, f32(value), tensor).getResult(0);
  }

  /// Entries [from, from + count) of [X, C] or [X, C, P].
  Value entries(Value of, Value from, OpFoldResult count) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (auto [i, extent] : llvm::enumerate(shapeOf(of))) {
      offsets.push_back(i == 1 ? OpFoldResult(from) : b.getIndexAttr(0));
      sizes.push_back(i == 1 ? count : b.getIndexAttr(extent));
      strides.push_back(b.getIndexAttr(1));
    }
    return tensor::ExtractSliceOp::create(b, loc, of, offsets, sizes, strides);
  }

  /// One past the last entry that a row of the block sees: rows see ever more.
  Value end() {
    Value rows = tensor::DimOp::create(b, loc, op.getQuery(), index(0));
    if (!op.getSeen()) {
      return arith::AddIOp::create(b, loc, op.getFirst(), rows);
    }
    Value final = arith::SubIOp::create(b, loc, rows, index(1));
    Value seen = tensor::ExtractOp::create(b, loc, op.getSeen(), final);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), seen);
  }

  void keyBlock(Value from, Value end, ValueRange state) {
    AffineExpr start = b.getAffineDimExpr(0), last = b.getAffineDimExpr(1);
    auto map = AffineMap::get(
        2, 0, {b.getAffineConstantExpr(keysPerBlock), last - start},
        b.getContext());
    OpFoldResult count =
        affine::makeComposedFoldedAffineMin(b, loc, map, {from, end});
    Value priority;
    if (op.getPriority()) {
      priority = entries(op.getPriority(), from, count);
    }
    auto block = cheems::OnlineAttentionOp::create(
        b, loc, state.getTypes(), op.getQuery(),
        entries(op.getKeys(), from, count),
        entries(op.getValues(), from, count),
        entries(op.getMask(), from, count), op.getFirst(), from, op.getSeen(),
        priority, op.getThreshold(), op.getLast(), state[0], state[1], state[2],
        op.getKindAttr(), op.getScaleAttr(), op.getHideBelowAttr());
    scf::YieldOp::create(b, loc, block.getResults());
  }

  /// y / sum; y is zero where sum is.
  Value quotient(Value sum, Value y) {
    MLIRContext *context = b.getContext();
    SmallVector<AffineMap> maps{
        AffineMap::get(3, 0, {b.getAffineDimExpr(0), b.getAffineDimExpr(1)},
                       context),
        b.getMultiDimIdentityMap(3)};
    SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
    auto divided = linalg::GenericOp::create(
        b, loc, TypeRange{y.getType()}, sum, y, maps, loops,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value nothing =
              arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
          Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
          Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                            args[0], nothing);
          Value divisor = arith::SelectOp::create(b, loc, any, one, args[0]);
          linalg::YieldOp::create(
              b, loc,
              arith::DivFOp::create(b, loc, args[1], divisor).getResult());
        });
    return divided.getResult(0);
  }

  void rewrite() {
    b.setInsertionPoint(op);
    Value last = end();
    Value lowest = scratch(-std::numeric_limits<double>::infinity()),
          nothing = scratch(0), y = fill(op.getY(), 0);
    auto loop = scf::ForOp::create(
        b, loc, index(0), last, index(keysPerBlock),
        ValueRange{lowest, nothing, y},
        [&](OpBuilder &inner, Location, Value from, ValueRange state) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
          keyBlock(from, last, state);
        });
    b.replaceOp(op, quotient(loop.getResult(1), loop.getResult(2)));
  }
};

struct TileKeys : cheems::impl::TileKeysPassBase<TileKeys> {
  using TileKeysPassBase::TileKeysPassBase;

  void runOnOperation() override {
    SmallVector<cheems::DynamicMaskAttentionOp> ops;
    getOperation().walk([&](cheems::DynamicMaskAttentionOp op) {
      if (op->getNumResults()) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (cheems::DynamicMaskAttentionOp op : ops) {
      FailureOr<int64_t> rowSize = cheems::takeSize(op, cheems::kRows, rows),
                         keySize = cheems::takeSize(op, cheems::kKeys, keys);
      if (failed(rowSize) || failed(keySize)) {
        return signalPassFailure();
      }
      int64_t count = RowBlock::shapeOf(op.getQuery())[0], most = count;
      if (ShapedType::isDynamic(count) || count > *rowSize) {
        most = *rowSize;
        scf::SCFTilingOptions options;
        options.setTileSizes({rewriter.getIndexAttr(*rowSize)});
        rewriter.setInsertionPoint(op);
        FailureOr<scf::SCFTilingResult> tiled =
            scf::tileUsingSCF(rewriter, op, options);
        if (failed(tiled)) {
          op.emitOpError("cannot be split over blocks of rows");
          return signalPassFailure();
        }
        rewriter.replaceOp(op, tiled->replacements);
        op = cast<cheems::DynamicMaskAttentionOp>(tiled->tiledOps.front());
      }
      RowBlock{rewriter, op.getLoc(), op, most, *keySize}.rewrite();
    }
  }
};
} // namespace
