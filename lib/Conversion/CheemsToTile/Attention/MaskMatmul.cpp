// Builds the matmul that makes the mask values of one row.
#include "MaskMatmul.h"
#include "Strategy/Strategy.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static Value inF32(TileBuilder &t, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return type.getElementType().isF32()
             ? tile
             : arith::ExtFOp::create(t.b, t.withElement(type, t.b.getF32Type()),
                                     tile)
                   .getResult();
}

/// The op on a vector with a number per mask value, from `first` on.
static Value apply(TileBuilder &t, const SumsOp &after, Value sums, Value first,
                   Value past) {
  auto like = cast<RankedTensorType>(sums.getType());
  linalg::GenericOp op = after.op;
  SmallVector<Value> arguments;
  for (auto [memory, argument] :
       llvm::zip(after.vectors, op.getBlock()->getArguments())) {
    arguments.push_back(memory ? t.load(t.withElement(like, argument.getType()),
                                        memory, {{first}, {0}, {past}})
                               : sums);
  }
  arguments.push_back(Value()); // what was there before is not read
  return inlineBody(t, op, arguments, like);
}

Value cheems::tile::buildMaskMatmul(TileBuilder &t, const MaskSource &mask,
                                    Value row, Value first, Value past,
                                    int64_t most, int64_t warps) {
  // A warp has its own mask values, or all share one.
  constexpr int64_t width = 4;
  int64_t rows = std::min(
      warps, int64_t(llvm::bit_ceil(uint64_t(std::max<int64_t>(most, 1)))));
  int64_t threads = warps * kWarpThreads / rows, step = threads * width;
  auto layout = BlockedAttr::get(t.b.getContext(), rows, threads, width);
  auto memory = cast<MemRefType>(mask.weights.getType());
  int64_t columns = memory.getDimSize(1);
  auto tile =
      t.tileType({int64_t(llvm::alignTo(uint64_t(most), uint64_t(rows))), step},
                 t.b.getF32Type(), layout);
  Value sums = t.fill(tile, 0);
  SmallVector<Value> all = t.loop(
      t.index(0), t.index(columns), step, sums,
      [&](Value column, ValueRange carried) -> SmallVector<Value> {
        auto aligned = [&](Value source) {
          return alignmentOf(
              columns, cast<MemRefType>(source.getType()).getElementType());
        };
        Value x =
            t.load(t.sliceType(tile, 0), mask.x,
                   {{row, column}, {1}, {t.index(columns)}}, aligned(mask.x));
        if (mask.before) {
          x = inlineBody(t, mask.before, {x, Value()},
                         cast<RankedTensorType>(x.getType()));
        }
        Value weights =
            t.load(t.withElement(tile, memory.getElementType()), mask.weights,
                   {{first, column}, {0, 1}, {past, t.index(columns)}},
                   aligned(mask.weights));
        return {t.fma(t.broadcast(inF32(t, x), tile), inF32(t, weights),
                      carried[0])};
      });
  Value result = t.reduce(Combine::Add, all[0], 1);
  for (const SumsOp &after : mask.after) {
    result = apply(t, after, result, first, past);
  }
  return result;
}
