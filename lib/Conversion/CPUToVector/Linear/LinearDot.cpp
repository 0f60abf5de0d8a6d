// Matmuls by vdpbf16ps: a tile of rows by panels of 16 columns stays in
// registers, while the loop takes one pair of k after the other.
//
// Every output element is one chain of vdpbf16ps over ascending pairs, in every
// shape of tile. So a row's result does not depend on the other rows of a step.
// The instruction takes denormals for zeros and rounds to nearest.
#include "LinearPack.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace cheems;

namespace {
/// Rows of a tile, and columns of sums beside each other. With many rows, sums
/// take most of the registers. With few rows, there are enough chains to hide
/// the latency of the instruction.
struct Shape {
  int64_t rows, streams;
};
constexpr Shape kMany{14, 2};
constexpr Shape kFew[] = {{4, 4}, {2, 8}, {1, 8}};

struct Dots {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  LinearPack pack;
  VectorType pairs; ///< 16 pairs of bf16

  explicit Dots(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc), pack(kernel),
        pairs(VectorType::get({2 * kernel.kColumns}, b.getBF16Type())) {}

  /// `height` rows packed from `at` on, which are x's from m on, with `width`
  /// panels from n.
  void tile(Value packed, Value at, Value m, int64_t height, Value n,
            int64_t width) {
    int64_t matrices = k.weights.size(), streams = width * matrices;
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    SmallVector<Value> inits(height * streams, zeros);
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(k.size / 2), k.one, inits,
        [&](OpBuilder &, Location, Value i, ValueRange before) {
          SmallVector<Value> sums(before), weights;
          for (int64_t s = 0; s < streams; ++s) {
            weights.push_back(vector::LoadOp::create(
                b, loc, pairs, k.weights[s % matrices],
                ValueRange{k.add(n, s / matrices), i, k.zero}));
          }
          Value from = arith::MulIOp::create(b, loc, i, k.index(2));
          for (int64_t r = 0; r < height; ++r) {
            Value input = spread(packed, k.add(at, r), from);
            for (int64_t s = 0; s < streams; ++s) {
              Value &sum = sums[r * streams + s];
              sum =
                  x86vector::DotBF16Op::create(b, loc, sum, weights[s], input);
            }
          }
          scf::YieldOp::create(b, loc, sums);
        });
    for (int64_t r = 0; r < height; ++r) {
      for (int64_t p = 0; p < width; ++p) {
        k.store(k.add(m, r), k.add(n, p),
                loop.getResults().slice(r * streams + p * matrices, matrices));
      }
    }
  }

  /// The pair of a row from column `from` on, 16 times.
  Value spread(Value packed, Value row, Value from) {
    Type word = b.getI32Type();
    Value pair =
        vector::LoadOp::create(b, loc, VectorType::get({2}, b.getBF16Type()),
                               packed, ValueRange{row, from});
    Value both =
        vector::BitCastOp::create(b, loc, VectorType::get({1}, word), pair);
    Value one = vector::ExtractOp::create(b, loc, both, 0);
    Value all = vector::BroadcastOp::create(
        b, loc, VectorType::get({k.kColumns}, word), one);
    return vector::BitCastOp::create(b, loc, pairs, all);
  }

  /// Rows [from, to) of x, packed from `at` on, with all panels: a tile of
  /// panels meets all rows before the next one is read.
  void multiply(Value packed, Value at, Value from, Value to,
                ArrayRef<Shape> shapes) {
    int64_t matrices = k.weights.size();
    Value start = from;
    for (const Shape &shape : shapes) {
      Value count = arith::SubIOp::create(b, loc, to, start);
      Value rest = arith::RemUIOp::create(b, loc, count, k.index(shape.rows));
      Value end = arith::SubIOp::create(b, loc, to, rest);
      int64_t width = std::max<int64_t>(shape.streams / matrices, 1);
      int64_t all = cast<MemRefType>(k.weights[0].getType()).getDimSize(0);
      if (!ShapedType::isDynamic(all)) {
        width = std::min(width, all);
      }
      Value left = arith::RemUIOp::create(b, loc, k.panels, k.index(width));
      Value full = arith::SubIOp::create(b, loc, k.panels, left);
      auto pass = [&](Value low, Value high, int64_t panels) {
        k.each(low, high, panels, [&](Value n) {
          k.each(start, end, shape.rows, [&](Value m) {
            Value place = arith::AddIOp::create(
                b, loc, arith::SubIOp::create(b, loc, m, from), at);
            tile(packed, place, m, shape.rows, n, panels);
          });
        });
      };
      pass(k.zero, full, width);
      if (width > 1) {
        pass(full, k.panels, 1);
      }
      start = end;
    }
  }

  void run() {
    SmallVector<Shape> all{kMany};
    all.append(std::begin(kFew), std::end(kFew));
    if (pack.packBefore()) {
      multiply(pack.blocks, k.zero, k.zero, pack.whole, all);
      multiply(pack.rest, k.zero, pack.whole, k.rows, kFew);
      return;
    }
    k.each(k.zero, k.rows, LinearPack::kRows, [&](Value m) {
      Value end =
          arith::MinUIOp::create(b, loc, k.add(m, LinearPack::kRows), k.rows);
      pack.packHere(m, end);
      multiply(pack.rest, k.zero, m, end, kFew);
    });
  }
};
} // namespace

LogicalResult cheems::lowerLinearDot(LinearKernel &kernel) {
  Dots(kernel).run();
  return success();
}
