// Root mean square normalisation, a row at a time in 16 lanes, whose squares
// are summed four vectors at a time; the last lanes of a row are masked.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kLanes = 16;
constexpr int64_t kBlock =
    4 * kLanes; ///< chains that hide an addition's latency

struct Norm {
  OpBuilder &b;
  Location loc;
  RmsNormOp op;
  VectorType lanes;
  Value zero, step, size;

  Value load(Value buffer, ValueRange indices, Value inside) {
    Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(lanes));
    return vector::MaskedLoadOp::create(b, loc, lanes, buffer, indices, inside,
                                        nothing);
  }
  Value inside(Value from) {
    Value left = arith::SubIOp::create(b, loc, size, from);
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({kLanes}, b.getI1Type()), left);
  }
  static SmallVector<Value> at(ValueRange row, Value column) {
    SmallVector<Value> indices(row);
    indices.push_back(column);
    return indices;
  }

  void normalise(ValueRange row) {
    auto wide = VectorType::get({kBlock}, b.getF32Type());
    Value block = arith::ConstantIndexOp::create(b, loc, kBlock);
    Value whole = arith::SubIOp::create(
        b, loc, size, arith::RemUIOp::create(b, loc, size, block));
    auto blocks = scf::ForOp::create(
        b, loc, zero, whole, block,
        ValueRange{
            arith::ConstantOp::create(b, loc, b.getZeroAttr(wide)).getResult()},
        [&](OpBuilder &, Location, Value i, ValueRange sum) {
          Value x = vector::LoadOp::create(b, loc, wide, op.getX(), at(row, i));
          scf::YieldOp::create(
              b, loc, vector::FMAOp::create(b, loc, x, x, sum[0]).getResult());
        });
    Value sums;
    for (int64_t from = 0; from < kBlock; from += kLanes) {
      Value part = vector::ExtractStridedSliceOp::create(
          b, loc, blocks.getResult(0), ArrayRef<int64_t>{from},
          ArrayRef<int64_t>{kLanes}, ArrayRef<int64_t>{1});
      sums =
          sums ? arith::AddFOp::create(b, loc, sums, part).getResult() : part;
    }
    auto squares = scf::ForOp::create(
        b, loc, whole, size, step, sums,
        [&](OpBuilder &, Location, Value i, ValueRange sum) {
          Value x = load(op.getX(), at(row, i), inside(i));
          scf::YieldOp::create(
              b, loc, vector::FMAOp::create(b, loc, x, x, sum[0]).getResult());
        });
    auto fast = arith::FastMathFlags::reassoc;
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                            squares.getResult(0), fast);
    Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    count = arith::SIToFPOp::create(b, loc, b.getF32Type(), count);
    Value epsilon = arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(op.getEpsilon().convertToDouble()));
    Value mean = arith::AddFOp::create(
        b, loc, arith::DivFOp::create(b, loc, sum, count), epsilon);
    Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    Value inverse =
        arith::DivFOp::create(b, loc, one, math::SqrtOp::create(b, loc, mean));
    Value scale = vector::BroadcastOp::create(b, loc, lanes, inverse);
    scf::ForOp::create(
        b, loc, zero, size, step, ValueRange{},
        [&](OpBuilder &, Location, Value i, ValueRange) {
          Value mask = inside(i);
          Value x = arith::MulFOp::create(
              b, loc, load(op.getX(), at(row, i), mask), scale);
          Value y =
              arith::MulFOp::create(b, loc, x, load(op.getWeight(), i, mask));
          vector::MaskedStoreOp::create(b, loc, op.getY(), at(row, i), mask, y);
          scf::YieldOp::create(b, loc);
        });
  }
};
} // namespace

LogicalResult cheems::lowerNorm(RmsNormOp op, const VectorUnit & /*unit*/,
                                RewriterBase &rewriter) {
  Location loc = op.getLoc();
  int64_t rank = cast<MemRefType>(op.getX().getType()).getRank();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto extent = [&](int64_t i) -> Value {
    return memref::DimOp::create(rewriter, loc, op.getX(), index(i));
  };
  Norm norm{rewriter,
            loc,
            op,
            VectorType::get({kLanes}, rewriter.getF32Type()),
            index(0),
            index(kLanes),
            extent(rank - 1)};
  SmallVector<Value> lower(rank - 1, norm.zero), upper,
      steps(rank - 1, index(1));
  for (int64_t i = 0; i + 1 < rank; ++i) {
    upper.push_back(extent(i));
  }
  scf::buildLoopNest(
      rewriter, loc, lower, upper, steps,
      [&](OpBuilder &, Location, ValueRange row) { norm.normalise(row); });
  return success();
}
