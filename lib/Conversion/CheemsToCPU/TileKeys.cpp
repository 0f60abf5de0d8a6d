// cheems-tile-keys: attention in blocks of rows, and of keys in splits.
#include "cheems/Conversion/CheemsToCPU/AttentionSplits.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "cheems/abi.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include <limits>

namespace cheems {
#define GEN_PASS_DEF_TILEKEYSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// One block of rows.
struct RowBlock : cheems::BaseBuilder<RowBlock> {
  RewriterBase &b;
  Location loc;
  cheems::cpu::DynamicMaskAttentionOp op;
  int64_t mostRows, keysPerBlock;

  RowBlock(RewriterBase &b, cheems::cpu::DynamicMaskAttentionOp op,
           int64_t mostRows, int64_t keysPerBlock)
      : b(b), loc(op.getLoc()), op(op), mostRows(mostRows),
        keysPerBlock(keysPerBlock) {}
  Location location() { return loc; }

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  }

  /// The query's first `rank` extents, cut from static scratch, which may stand
  /// in a parallel loop. No tensor.empty: CSE would merge the scratch of
  /// maximum and sum.
  Value scratch(size_t rank) {
    SmallVector<int64_t> shape(shapeOf(op.getQuery()).take_front(rank));
    shape[0] = mostRows;
    Value all = bufferization::AllocTensorOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), ValueRange());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, op.getQuery());
    sizes.resize(rank);
    return slice(all, SmallVector<OpFoldResult>(rank, attr(0)), sizes);
  }

  Value fill(Value tensor, double value) {
    return linalg::FillOp::create(b, loc, f32(value), tensor).getResult(0);
  }

  /// Returns where the block of entries from `from` on is stored: with a window
  /// in a ring, in which a block is in one piece.
  Value placeOf(Value from) {
    if (!op.getWindow()) {
      return from;
    }
    Value ring = tensor::DimOp::create(b, loc, op.getKeys(), index(1));
    return arith::RemUIOp::create(b, loc, from, ring);
  }

  /// Entries [from, from + count) of [X, C] or [X, C, P].
  Value entries(Value of, Value from, OpFoldResult count) {
    SmallVector<OpFoldResult> offsets, sizes;
    for (auto [i, extent] : llvm::enumerate(shapeOf(of))) {
      offsets.push_back(i == 1 ? OpFoldResult(from) : attr(0));
      sizes.push_back(i == 1 ? count : attr(extent));
    }
    return slice(of, offsets, sizes);
  }

  /// One past the last entry that a row of the block sees: rows see ever more.
  Value end() {
    Value rows = tensor::DimOp::create(b, loc, op.getQuery(), index(0));
    if (!op.getSeen()) {
      return add(op.getFirst(), rows);
    }
    Value final = sub(rows, index(1));
    Value seen = tensor::ExtractOp::create(b, loc, op.getSeen(), final);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), seen);
  }

  /// The block of entries in which the first row's window begins. Blocks are
  /// those of the whole sequence, so that a row has the same ones whatever
  /// stands before it.
  Value begin() {
    if (!op.getWindow()) {
      return index(0);
    }
    Value window = index(static_cast<int64_t>(*op.getWindow())),
          seen = add(op.getFirst(), 1),
          passed = sub(arith::MaxUIOp::create(b, loc, seen, window), window),
          size = index(keysPerBlock);
    return mul(arith::DivUIOp::create(b, loc, passed, size), keysPerBlock);
  }

  /// Maximum, sum and values before anything is seen.
  SmallVector<Value> fresh(ValueRange state) {
    return {fill(state[0], -std::numeric_limits<double>::infinity()),
            fill(state[1], 0), fill(state[2], 0)};
  }

  SmallVector<Value> merge(ValueRange later, ValueRange state) {
    auto merged = cheems::cpu::MergeAttentionOp::create(
        b, loc, state.getTypes(), later[0], later[1], later[2], state[0],
        state[1], state[2]);
    return merged.getResults();
  }

  /// `yes` where the condition holds, else `otherwise` as it is.
  SmallVector<Value> where(Value condition, ValueRange otherwise,
                           llvm::function_ref<SmallVector<Value>()> yes) {
    auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, yes());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise);
    return branch.getResults();
  }

  /// `state` with entries [from, from + keysPerBlock) or up to `end`.
  SmallVector<Value> block(Value from, Value end, ValueRange state) {
    AffineExpr start = b.getAffineDimExpr(0), last = b.getAffineDimExpr(1);
    auto map = AffineMap::get(
        2, 0, {b.getAffineConstantExpr(keysPerBlock), last - start},
        b.getContext());
    OpFoldResult count =
        affine::makeComposedFoldedAffineMin(b, loc, map, {from, end});
    Value place = placeOf(from), position;
    if (op.getPosition()) {
      position = entries(op.getPosition(), place, count);
    }
    Value keyScales, valueScales;
    if (op.getKeyScales()) {
      keyScales = entries(op.getKeyScales(), place, count);
      valueScales = entries(op.getValueScales(), place, count);
    }
    auto online = cheems::cpu::OnlineAttentionOp::create(
        b, loc, state.getTypes(), op.getQuery(),
        entries(op.getKeys(), place, count),
        entries(op.getValues(), place, count),
        op.getMask() ? entries(op.getMask(), place, count) : Value(),
        op.getFirst(), from, op.getSeen(), position, op.getThreshold(),
        op.getLast(), keyScales, valueScales, state[0], state[1], state[2],
        op.getKindAttr(), op.getScaleAttr(), op.getHideBelowAttr(),
        op.getAllowBf16Attr(), op.getWindowAttr());
    return online.getResults();
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
          Value zeroF32 =
              arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
          Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
          Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                            args[0], zeroF32);
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
    // The state of the current split is in the destination; of those before it,
    // in scratch that is touched only once there is a second split.
    SmallVector<Value> state = fresh({scratch(2), scratch(2), op.getY()});
    Value lowest = scratch(2);
    state.push_back(fill(lowest, -std::numeric_limits<double>::infinity()));
    state.append({scratch(2), scratch(3)});
    auto loop = scf::ForOp::create(
        b, loc, begin(), last, index(keysPerBlock), state,
        [&](OpBuilder &inner, Location, Value from, ValueRange state) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
          Value later = cheems::AttentionSplits(b, loc).beginsLater(
              arith::DivUIOp::create(b, loc, from, index(keysPerBlock)));
          SmallVector<Value> next = where(later, state, [&] {
            ValueRange done = state.take_front(3);
            SmallVector<Value> before = merge(done, state.drop_front(3)),
                               both = fresh(done);
            both.append(before);
            return both;
          });
          SmallVector<Value> now =
              block(from, last, ValueRange(next).take_front(3));
          now.append(next.begin() + 3, next.end());
          scf::YieldOp::create(b, loc, now);
        });
    // Where there was no split before, this changes nothing. No branch around
    // it: bufferisation would not see that the result is where the destination
    // is.
    ValueRange done = loop.getResults();
    SmallVector<Value> all = merge(done.drop_front(3), done.take_front(3));
    b.replaceOp(op, quotient(all[1], all[2]));
  }
};

struct TileKeys : cheems::impl::TileKeysPassBase<TileKeys> {
  using TileKeysPassBase::TileKeysPassBase;

  void runOnOperation() override {
    SmallVector<cheems::cpu::DynamicMaskAttentionOp> ops;
    getOperation().walk([&](cheems::cpu::DynamicMaskAttentionOp op) {
      if (op->getNumResults()) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (cheems::cpu::DynamicMaskAttentionOp op : ops) {
      auto strategy =
          cheems::cpu::takeStrategy<cheems::cpu::AttentionStrategyAttr>(op);
      if (!strategy) {
        continue;
      }
      int64_t rowSize = strategy.getRows(), keySize = strategy.getKeys();
      if (op.getWindow() && CHEEMS_RING_UNIT % keySize != 0) {
        op.emitOpError("needs blocks of entries that divide ")
            << CHEEMS_RING_UNIT << ", or one has two pieces of a ring";
        return signalPassFailure();
      }
      int64_t count = RowBlock::shapeOf(op.getQuery())[0], most = count;
      if (ShapedType::isDynamic(count) || count > rowSize) {
        most = rowSize;
        scf::SCFTilingOptions options;
        options.setTileSizes({rewriter.getIndexAttr(rowSize)});
        rewriter.setInsertionPoint(op);
        FailureOr<scf::SCFTilingResult> tiled =
            scf::tileUsingSCF(rewriter, op, options);
        if (failed(tiled)) {
          op.emitOpError("cannot be split over blocks of rows");
          return signalPassFailure();
        }
        rewriter.replaceOp(op, tiled->replacements);
        op = cast<cheems::cpu::DynamicMaskAttentionOp>(tiled->tiledOps.front());
      }
      RowBlock(rewriter, op, most, keySize).rewrite();
    }
  }
};
} // namespace
