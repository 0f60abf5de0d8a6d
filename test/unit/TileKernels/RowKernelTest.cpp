// Kernels that have a row per warp, on rows and columns that tiles do not
// divide.
#include "Cases.h"
#include "cheems/Reference/RMSNorm.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

constexpr const char *text = R"(
#tile = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #tile>
#columns = #cheems_tile.slice<axis = 0, of = #tile>
cheems_tile.kernel @copy(%x: memref<?x?xf32>, %y: memref<?x?xf32>) warps(4) {
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %bx = cheems_tile.block_id x
  %by = cheems_tile.block_id y
  %row = arith.muli %by, %c4 : index
  %column = arith.muli %bx, %c64 : index
  %t = cheems_tile.load %x[%row, %column] dims [0, 1] : memref<?x?xf32> -> tensor<4x64xf32, #tile>
  cheems_tile.store %t, %y[%row, %column] dims [0, 1] : tensor<4x64xf32, #tile>, memref<?x?xf32>
  cheems_tile.return
}
func.func @copy_all(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %r = memref.dim %x, %c0 : memref<?x?xf32>
  %c = memref.dim %x, %c1 : memref<?x?xf32>
  %gy = arith.ceildivui %r, %c4 : index
  %gx = arith.ceildivui %c, %c64 : index
  cheems_tile.launch @copy grid[%gx, %gy, %c1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}
cheems_tile.kernel @norm(%x: memref<?x?xf32>, %w: memref<?xf32>, %epsilon: f32, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %c4 : index
  %t = cheems_tile.load %x[%row, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<4x256xf32, #tile>
  %q = arith.mulf %t, %t : tensor<4x256xf32, #tile>
  %s = cheems_tile.reduce add %q axis 1 : tensor<4x256xf32, #tile> -> tensor<4xf32, #rows>
  %d = memref.dim %x, %c1 : memref<?x?xf32>
  %i = arith.index_cast %d : index to i32
  %f = arith.sitofp %i : i32 to f32
  %n = tensor.splat %f : tensor<4xf32, #rows>
  %m = arith.divf %s, %n : tensor<4xf32, #rows>
  %e = tensor.splat %epsilon : tensor<4xf32, #rows>
  %p = arith.addf %m, %e : tensor<4xf32, #rows>
  %r = math.rsqrt %p : tensor<4xf32, #rows>
  %rb = cheems_tile.broadcast %r : tensor<4xf32, #rows> -> tensor<4x256xf32, #tile>
  %v = cheems_tile.load %w[%c0] dims [0] : memref<?xf32> -> tensor<256xf32, #columns>
  %wb = cheems_tile.broadcast %v : tensor<256xf32, #columns> -> tensor<4x256xf32, #tile>
  %o = arith.mulf %t, %rb : tensor<4x256xf32, #tile>
  %a = arith.mulf %o, %wb : tensor<4x256xf32, #tile>
  cheems_tile.store %a, %y[%row, %c0] dims [0, 1] : tensor<4x256xf32, #tile>, memref<?x?xf32>
  cheems_tile.return
}
func.func @norm_all(%x: memref<?x?xf32>, %w: memref<?xf32>, %epsilon: f32) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = memref.dim %x, %c0 : memref<?x?xf32>
  %c = memref.dim %x, %c1 : memref<?x?xf32>
  %g = arith.ceildivui %r, %c4 : index
  %y = memref.alloc(%r, %c) : memref<?x?xf32>
  cheems_tile.launch @norm grid[%g, %c1, %c1] ins(%x, %w, %epsilon : memref<?x?xf32>, memref<?xf32>, f32) outs(%y : memref<?x?xf32>)
  return %y : memref<?x?xf32>
}
)";

class RowKernelTest : public testing::Test {
protected:
  static TileModule *module() {
    static auto compiled = TileModule::compile(text);
    return compiled.get();
  }
};

TEST_F(RowKernelTest, CopiesAreTheSameBits) {
  ASSERT_NE(module(), nullptr);
  forEachCase([](uint64_t number) {
    Random random(number);
    llvm::SmallVector<int64_t, 2> shape{random.between(0, 40),
                                        random.between(1, 300)};
    Array x(Number::F32, random.tensor(shape, -1, 1)), y(Number::F32, shape);
    if (module()->call("copy_all", {&x, &y})) {
      EXPECT_EQ(x.bytes(), y.bytes());
    }
  });
}

TEST_F(RowKernelTest, NormsAgreeWithTheEvaluator) {
  ASSERT_NE(module(), nullptr);
  forEachCase([](uint64_t number) {
    Random random(1000 + number);
    int64_t rows = random.once(4) ? 1 : random.between(1, 40),
            size = random.between(1, 256);
    double scale = std::exp2(static_cast<double>(random.between(-12, 12)));
    Tensor values = random.tensor({rows, size}, -scale, scale),
           weight = random.tensor({size}, -2, 2);
    auto epsilon = static_cast<float>(random.once(2) ? 1e-6 : 1e-5);
    Array x(Number::F32, values), w(Number::F32, weight);
    auto y = module()->call("norm_all", {&x, &w, epsilon});
    if (y) {
      // A sum of squares, half of whose error the root has, the root and five
      // operations.
      double bound = (static_cast<double>(size) / 2 + 8) * kF32 + kApproximate;
      EXPECT_TRUE(within(
          (*y)[0], cheems::reference::rmsNorm(values, weight, epsilon), bound));
    }
  });
}

} // namespace
