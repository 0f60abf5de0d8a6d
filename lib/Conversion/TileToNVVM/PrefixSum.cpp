// cheems_tile.prefix_sum: a thread's own neighbours, then lanes, then warps.
// Sums of integers are the same in any order.
#include "Patterns.h"
#include "SharedTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

constexpr int64_t kSumBytes = 4;

namespace {
/// A thread has a run of neighbours in each row and in each part of it: parts
/// are as wide as all threads of a row have together.
struct PrefixSums {
  ThreadBuilder &t;
  PrefixSumOp op;
  RankedTensorType tile;
  BlockedAttr layout;
  int64_t rows, parts; ///< of a thread
  SmallVector<Value> elements;
  SmallVector<Value> before; ///< of each run: what stands before it in its part

  PrefixSums(ThreadBuilder &t, PrefixSumOp op, Value vector)
      : t(t), op(op), tile(op.getTile().getType()),
        layout(cast<BlockedAttr>(tile.getEncoding())),
        rows(tile.getDimSize(0) / layout.getRows()),
        parts(tile.getDimSize(1) / (layout.getColumns() * layout.getWidth())),
        elements(t.elements(vector)) {}

  Value add(Value a, Value c) {
    return arith::AddIOp::create(t.b, t.loc, a, c);
  }
  MutableArrayRef<Value> run(int64_t number) {
    auto width = size_t(layout.getWidth());
    return MutableArrayRef<Value>(elements).slice(size_t(number) * width,
                                                  width);
  }

  Value vector() {
    for (int64_t number = 0; number < rows * parts; ++number) {
      MutableArrayRef<Value> own = run(number);
      for (size_t at = 1; at < own.size(); ++at) {
        own[at] = add(own[at - 1], own[at]);
      }
      before.push_back(acrossLanes(own.back()));
    }
    acrossParts(acrossWarps());
    for (int64_t number = 0; number < rows * parts; ++number) {
      for (Value &element : run(number)) {
        element = add(element, before[size_t(number)]);
      }
    }
    return t.vector(elements);
  }

private:
  int64_t lanes() const { return std::min(layout.getColumns(), kWarpThreads); }
  int64_t warps() const { return layout.getColumns() / lanes(); }
  /// A thread's number among those of its row and warp.
  Value lane() { return t.bitAnd(t.thread(), lanes() - 1); }

  /// What lanes before this one have.
  Value acrossLanes(Value own) {
    Value all = t.i32(-1), sum = own;
    // Lanes of other rows have nothing to do with it: the first lane that may
    // be asked is in the upper bits.
    Value segment = t.i32((kWarpThreads - lanes()) << 8);
    for (int64_t apart = 1; apart < lanes(); apart *= 2) {
      Value other = NVVM::ShflOp::create(t.b, t.loc, sum.getType(), all, sum,
                                         t.i32(apart), segment,
                                         NVVM::ShflKind::up, UnitAttr());
      Value isThere = arith::CmpIOp::create(
          t.b, t.loc, arith::CmpIPredicate::uge, lane(), t.i32(apart));
      sum = arith::SelectOp::create(t.b, t.loc, isThere, add(sum, other), sum);
    }
    return arith::SubIOp::create(t.b, t.loc, sum, own);
  }

  /// Adds what warps before this one have in the row. Returns what all warps
  /// have in each run's part.
  SmallVector<Value> acrossWarps() {
    SmallVector<Value> sums;
    for (int64_t number = 0; number < rows * parts; ++number) {
      sums.push_back(add(run(number).back(), before[size_t(number)]));
    }
    if (warps() == 1) {
      return parts == 1 ? sums : ofLastLane(sums);
    }
    // A row of scratch per run of a row of threads, with a number per warp.
    int64_t row = warps() * kSumBytes;
    Value thread = t.thread();
    Value inRow = t.bitAnd(t.shiftRight(thread, 5), warps() - 1);
    Value begin = t.add(t.mul(t.place(tile)[0], rows * parts * row),
                        int64_t(*op.getScratch()));
    t.barrier();
    Value isLast = t.isZero(t.add(lane(), -(lanes() - 1)));
    Value written = t.shared(t.add(begin, t.mul(inRow, kSumBytes)));
    storeSharedIf(t, isLast, [&] {
      for (auto [number, sum] : llvm::enumerate(sums)) {
        storeShared(t, t.offset(written, int64_t(number) * row), sum);
      }
    });
    t.barrier();
    Value read = t.shared(begin);
    for (auto [number, sum] : llvm::enumerate(sums)) {
      sum = {};
      Value earlier = t.i32(0);
      for (int64_t warp = 0; warp < warps(); ++warp) {
        Value pointer =
            t.offset(read, int64_t(number) * row + warp * kSumBytes);
        Value loaded = loadShared(t, pointer, tile.getElementType(), 1).front();
        Value isEarlier = t.less(t.i32(warp), inRow);
        earlier = add(earlier, arith::SelectOp::create(t.b, t.loc, isEarlier,
                                                       loaded, t.i32(0)));
        sum = sum ? add(sum, loaded) : loaded;
      }
      before[number] = add(before[number], earlier);
    }
    return sums;
  }

  SmallVector<Value> ofLastLane(ArrayRef<Value> sums) {
    SmallVector<Value> last;
    for (Value sum : sums) {
      last.push_back(NVVM::ShflOp::create(
          t.b, t.loc, sum.getType(), t.i32(-1), sum, t.i32(lanes() - 1),
          t.i32(((kWarpThreads - lanes()) << 8) | (kWarpThreads - 1)),
          NVVM::ShflKind::idx, UnitAttr()));
    }
    return last;
  }

  /// Adds what parts before have.
  void acrossParts(ArrayRef<Value> sums) {
    for (int64_t row = 0; row < rows; ++row) {
      Value carried;
      for (int64_t part = 0; part < parts; ++part) {
        auto number = size_t(row * parts + part);
        if (carried) {
          before[number] = add(before[number], carried);
        }
        carried = carried ? add(carried, sums[number]) : sums[number];
      }
    }
  }
};

struct LowerPrefixSum : OpConversionPattern<PrefixSumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PrefixSumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    rewriter.replaceOp(op, PrefixSums(t, op, adaptor.getTile()).vector());
    return success();
  }
};
} // namespace

void tile::populatePrefixSumPatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerPrefixSum>(types, patterns.getContext());
}
