// What is computed with tiles, each as a whole: what a thread holds of it
// changes no number, but for the order of sums.
#include "Elements.h"
#include "Handlers.h"
#include "TileMatmul.h"
#include <cmath>
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

static void mma(tile::MmaOp op, Frame &f) {
  const Tensor &a = f.read(op.getA()), &b = f.read(op.getB()),
               &c = f.read(op.getC());
  if (!f.failed()) {
    f.set(op.getResult(), product(a, b, c));
  }
}

static double combined(tile::Combine combine, double a, double b) {
  if (combine == tile::Combine::Add) {
    return a + b;
  }
  return std::isnan(a) || std::isnan(b)
             ? std::numeric_limits<double>::quiet_NaN()
             : std::max(a, b);
}

/// result[i] = combine over j of tile[i, j], or over i of tile[i, j] as
/// result[j].
static void reduce(tile::ReduceOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile());
  if (f.failed()) {
    return;
  }
  auto axis = size_t(op.getAxis());
  Tensor result(ArrayRef<int64_t>(tile.shape[1 - axis]));
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[axis]; ++j) {
      double element = axis == 1 ? tile(i, j) : tile(j, i);
      result(i) =
          j == 0 ? element : combined(op.getCombine(), result(i), element);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = sum over k <= j of tile[i, k].
static void prefixSum(tile::PrefixSumOp op, Frame &f) {
  Tensor result = f.read(op.getTile());
  if (f.failed()) {
    return;
  }
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 1; j < result.shape[1]; ++j) {
      result(i, j) += result(i, j - 1);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = vector[i], or vector[j] where the rows are gone.
static void broadcast(tile::BroadcastOp op, Frame &f) {
  const Tensor &vector = f.read(op.getVector());
  auto slice = cast<tile::SliceAttr>(op.getVector().getType().getEncoding());
  Tensor result(op.getResult().getType().getShape());
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 0; j < result.shape[1]; ++j) {
      result(i, j) = vector(slice.getAxis() == 1 ? i : j);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = i with axis 0, and j with axis 1.
static void indices(tile::IndicesOp op, Frame &f) {
  Tensor result(op.getResult().getType().getShape());
  size_t place = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    result.data[place++] = double(index[size_t(op.getAxis())]);
    return true;
  });
  f.set(op.getResult(), std::move(result));
}

/// 16 times the quantized values of a part.
static void nibbles(tile::NibblesOp op, Frame &f) {
  const Tensor &packed = f.read(op.getPacked());
  if (f.failed()) {
    return;
  }
  auto part = static_cast<int64_t>(op.getPart());
  Tensor result({packed.shape[0], packed.shape[1] / 2});
  for (int64_t m = 0; m < packed.shape[0]; ++m) {
    for (int64_t k = 0; k < result.shape[1]; ++k) {
      int64_t byte = k / 32 * 64 + k / 4 % 4 * 16 + 4 * part + k % 4;
      auto bits = static_cast<uint8_t>(static_cast<int64_t>(packed(m, byte)));
      uint8_t half = k / 16 % 2 ? bits & 0xf0 : bits << 4;
      result(m, k) = static_cast<int8_t>(half);
    }
  }
  f.set(op.getResult(), std::move(result));
}

void addTileCompute(Handlers &handlers) {
  handlers.add<tile::MmaOp>(mma);
  handlers.add<tile::NibblesOp>(nibbles);
  handlers.add<tile::FmaOp>(multiplyStages<tile::FmaOp>);
  handlers.add<tile::ReduceOp>(reduce);
  handlers.add<tile::PrefixSumOp>(prefixSum);
  handlers.add<tile::BroadcastOp>(broadcast);
  handlers.add<tile::IndicesOp>(indices);
  // The sums of warps are whole here already.
  handlers.add<tile::SumPartialsOp>([](tile::SumPartialsOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getPartials()));
  });
  handlers.add<tile::ConvertLayoutOp>([](tile::ConvertLayoutOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getTile()));
  });
}

} // namespace cheems::interpreter
