// cheems_tile.reduce: own elements, then lanes, then warps, in the order that
// its op specifies. Integers have no order: those of a whole warp are one
// instruction (redux.sync).
#include "Patterns.h"
#include "SharedTile.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

constexpr int64_t kWordBytes = 4;

namespace {
struct Reduction {
  ThreadBuilder &t;
  ReduceOp op;

  RankedTensorType tile() { return op.getTile().getType(); }
  RankedTensorType result() { return op.getResult().getType(); }

  Value combine(Value a, Value c) {
    bool adds = op.getCombine() == Combine::Add;
    if (a.getType().isF32()) {
      return adds ? arith::AddFOp::create(t.b, t.loc, a, c).getResult()
                  : arith::MaximumFOp::create(t.b, t.loc, a, c).getResult();
    }
    return adds ? arith::AddIOp::create(t.b, t.loc, a, c).getResult()
                : arith::MaxSIOp::create(t.b, t.loc, a, c).getResult();
  }

  /// One number per element of the result: the thread's own, ascending along
  /// the axis.
  SmallVector<Value> own(Value vector) {
    auto axis = size_t(op.getAxis());
    auto indices = layoutOf(tile()).getElements(tile().getShape());
    SmallVector<Value> elements = t.elements(vector);
    SmallVector<Value> numbers;
    for (const auto &kept :
         layoutOf(result()).getElements(result().getShape())) {
      SmallVector<std::pair<int64_t, Value>> along;
      for (auto [place, element] : llvm::zip_equal(indices, elements)) {
        if (place[1 - axis] == kept[0]) {
          along.push_back({place[axis], element});
        }
      }
      llvm::sort(along, llvm::less_first());
      Value number = along.front().second;
      for (const auto &[place, element] : llvm::drop_begin(along)) {
        number = combine(number, element);
      }
      numbers.push_back(number);
    }
    return numbers;
  }

  void acrossLanes(MutableArrayRef<Value> numbers, int64_t bits) {
    Value all = t.i32(-1), clamp = t.i32(kWarpThreads - 1);
    bool isWarp = (bits & (kWarpThreads - 1)) == kWarpThreads - 1;
    if (isWarp && numbers.front().getType().isInteger()) {
      auto kind = op.getCombine() == Combine::Add ? NVVM::ReduxKind::ADD
                                                  : NVVM::ReduxKind::MAX;
      for (Value &number : numbers) {
        number = NVVM::ReduxOp::create(t.b, t.loc, number.getType(), number,
                                       kind, all);
      }
      return;
    }
    for (int64_t bit = 1; bit < kWarpThreads; bit *= 2) {
      if ((bits & bit) == 0) {
        continue;
      }
      for (Value &number : numbers) {
        Value other = NVVM::ShflOp::create(t.b, t.loc, number.getType(), all,
                                           number, t.i32(bit), clamp,
                                           NVVM::ShflKind::bfly, UnitAttr());
        number = combine(number, other);
      }
    }
  }

  /// Scratch has a row of all numbers of the result for each warp.
  void acrossWarps(MutableArrayRef<Value> numbers, int64_t bits) {
    int64_t warpBits = bits / kWarpThreads;
    if (warpBits == 0) {
      return;
    }
    int64_t row = result().getNumElements() * kWordBytes;
    auto indices = layoutOf(result()).getElements(result().getShape());
    Value thread = t.thread();
    Value warp = t.shiftRight(thread, 5);
    Value begin = t.add(t.mul(t.place(result())[0], kWordBytes),
                        int64_t(*op.getScratch()));
    int64_t lanes = bits & (kWarpThreads - 1);
    t.barrier();
    Value writes = lanes == 0 ? Value() : t.isZero(t.bitAnd(thread, lanes));
    Value written = t.shared(t.add(begin, t.mul(warp, row)));
    storeSharedIf(t, writes, [&] {
      for (auto [place, number] : llvm::zip_equal(indices, numbers)) {
        storeShared(t, t.offset(written, place[0] * kWordBytes), number);
      }
    });
    t.barrier();
    Value read = t.shared(t.add(begin, t.mul(t.bitAnd(warp, ~warpBits), row)));
    for (auto [place, number] : llvm::zip_equal(indices, numbers)) {
      number = {};
      // Subsets of the bits, ascending.
      int64_t other = 0;
      do {
        Value pointer = t.offset(read, place[0] * kWordBytes + other * row);
        Value loaded =
            loadShared(t, pointer, result().getElementType(), 1).front();
        number = number ? combine(number, loaded) : loaded;
        other = (other - warpBits) & warpBits;
      } while (other != 0);
    }
  }
};

struct LowerReduce : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    Reduction reduction{t, op};
    SmallVector<Value> numbers = reduction.own(adaptor.getTile());
    int64_t bits =
        layoutOf(op.getTile().getType()).getThreadBits(int64_t(op.getAxis()));
    reduction.acrossLanes(numbers, bits);
    reduction.acrossWarps(numbers, bits);
    rewriter.replaceOp(op, t.vector(numbers));
    return success();
  }
};
} // namespace

void tile::populateReducePatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerReduce>(types, patterns.getContext());
}
