// cheems_tile.fma: each element is one chain of fused multiply-adds, k
// ascending. Four k are read at once where rows allow it.
#include "Patterns.h"
#include "SharedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

constexpr int64_t kFloatBytes = 4;

namespace {
struct Product {
  ThreadBuilder &t;
  SharedTile a, b;
  Value row, column; ///< of the thread's first element
  SmallVector<SmallVector<int64_t>> indices;

  /// `width` numbers from k on, of rows that are `axis` of the indices.
  std::map<int64_t, SmallVector<Value>>
  rows(SharedTile &buffer, Value first, size_t axis, Value k, int64_t width) {
    std::map<int64_t, SmallVector<Value>> numbers;
    for (const auto &place : indices) {
      auto [at, isNew] = numbers.try_emplace(place[axis]);
      if (isNew) {
        Value pointer =
            buffer.pointer({first, t.mul(k, kFloatBytes), place[axis], 0, {}});
        at->second = loadShared(t, pointer, t.b.getF32Type(), width);
      }
    }
    return numbers;
  }

  /// Adds the products of `width` k.
  SmallVector<Value> add(SmallVector<Value> sums, Value k, int64_t width) {
    auto left = rows(a, row, 0, k, width);
    auto right = rows(b, column, 1, k, width);
    for (int64_t next = 0; next < width; ++next) {
      for (auto [sum, place] : llvm::zip_equal(sums, indices)) {
        sum = LLVM::FMAOp::create(t.b, t.loc, left[place[0]][size_t(next)],
                                  right[place[1]][size_t(next)], sum);
      }
    }
    return sums;
  }
};

struct LowerFma : OpConversionPattern<FmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getC().getType();
    BufferType a = op.getA().getType(), b = op.getB().getType();
    SmallVector<Value> place = t.place(tile);
    Product product{t,
                    SharedTile(t, a, adaptor.getA(), adaptor.getStageA()),
                    SharedTile(t, b, adaptor.getB(), adaptor.getStageB()),
                    place[0],
                    place[1],
                    layoutOf(tile).getElements(tile.getShape())};
    // Rows of a multiple of 16 bytes: four numbers at once.
    int64_t depth = a.getColumns();
    int64_t width = depth % 4 == 0 ? 4 : depth % 2 == 0 ? 2 : 1;
    auto loop = scf::ForOp::create(
        rewriter, op.getLoc(), t.i32(0), t.i32(depth), t.i32(width),
        adaptor.getC(),
        [&](OpBuilder &, Location loc, Value k, ValueRange carried) {
          SmallVector<Value> sums =
              product.add(t.elements(carried[0]), k, width);
          scf::YieldOp::create(rewriter, loc, t.vector(sums));
        });
    rewriter.replaceOp(op, loop);
    return success();
  }
};
} // namespace

void tile::populateFmaPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns) {
  patterns.add<LowerFma>(types, patterns.getContext());
}
