// Root mean square normalisation, one row at a time, in 16 lanes. Squares are
// summed four vectors at a time. The last lanes of a row are masked.
#include "KernelBuilder.h"

using namespace mlir;
using namespace cheems;

namespace {
constexpr int64_t kLanes = 16;
constexpr int64_t kBlock =
    4 * kLanes; ///< chains that hide an addition's latency

struct Norm : KernelBuilder {
  RmsNormOp op;
  VectorType lanes;
  Value zero, size;

  Value load(Value buffer, ValueRange indices, Value inside) {
    return vector::MaskedLoadOp::create(b, loc, lanes, buffer, indices, inside,
                                        zeroOf(lanes));
  }
  Value inside(Value from) {
    return KernelBuilder::inside(kLanes, sub(size, from));
  }
  static SmallVector<Value> at(ValueRange row, Value column) {
    SmallVector<Value> indices(row);
    indices.push_back(column);
    return indices;
  }

  void normalise(ValueRange row) {
    auto wide = vectorOf(kBlock);
    Value whole =
        sub(size, arith::RemUIOp::create(b, loc, size, index(kBlock)));
    auto addSquare = [&](Value x, ValueRange sum) -> SmallVector<Value> {
      return {vector::FMAOp::create(b, loc, x, x, sum[0])};
    };
    Value blocks =
        loop(zero, whole, kBlock, zeroOf(wide), [&](Value i, ValueRange sum) {
          return addSquare(
              vector::LoadOp::create(b, loc, wide, op.getX(), at(row, i)), sum);
        })[0];
    Value sums;
    for (int64_t from = 0; from < kBlock; from += kLanes) {
      Value part = vector::ExtractStridedSliceOp::create(
          b, loc, blocks, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{kLanes},
          ArrayRef<int64_t>{1});
      sums = sums ? add(sums, part) : part;
    }
    Value squares =
        loop(whole, size, kLanes, sums, [&](Value i, ValueRange sum) {
          return addSquare(load(op.getX(), at(row, i), inside(i)), sum);
        })[0];
    auto fast = arith::FastMathFlags::reassoc;
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                            squares, fast);
    Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    count = arith::SIToFPOp::create(b, loc, b.getF32Type(), count);
    Value mean = add(arith::DivFOp::create(b, loc, sum, count),
                     f32(op.getEpsilon().convertToDouble()));
    Value inverse = arith::DivFOp::create(b, loc, f32(1),
                                          math::SqrtOp::create(b, loc, mean));
    Value scale = spread(lanes, inverse);
    each(zero, size, kLanes, [&](Value i) {
      Value mask = inside(i);
      Value x = mul(load(op.getX(), at(row, i), mask), scale);
      Value y = mul(x, load(op.getWeight(), i, mask));
      vector::MaskedStoreOp::create(b, loc, op.getY(), at(row, i), mask, y);
    });
  }
};
} // namespace

LogicalResult cheems::lowerNorm(RmsNormOp op, const VectorUnit & /*unit*/,
                                RewriterBase &rewriter) {
  Location loc = op.getLoc();
  int64_t rank = cast<MemRefType>(op.getX().getType()).getRank();
  KernelBuilder k{rewriter, loc};
  Norm norm{{rewriter, loc},
            op,
            k.vectorOf(kLanes),
            k.index(0),
            k.extent(op.getX(), rank - 1)};
  SmallVector<Value> lower(rank - 1, norm.zero), upper,
      steps(rank - 1, k.index(1));
  for (int64_t i = 0; i + 1 < rank; ++i) {
    upper.push_back(k.extent(op.getX(), i));
  }
  scf::buildLoopNest(
      rewriter, loc, lower, upper, steps,
      [&](OpBuilder &, Location, ValueRange row) { norm.normalise(row); });
  return success();
}
