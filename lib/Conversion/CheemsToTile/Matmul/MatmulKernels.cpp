// Builds the kernels of matmuls.
#include "MatmulKernels.h"

using namespace mlir;
using namespace cheems::tile;

/// k of one instruction of tensor cores.
constexpr int64_t kInstructionDepth = 16;

/// Tiles of x and of the weights, all of which advance along k together.
static MatmulRing ringOf(TileBuilder &t, MatmulTileAttr s,
                         const MatmulBuffers &buffers, const MatmulInputs &in,
                         const RowsAndColumns &at) {
  Type element = cast<MemRefType>(in.x.getType()).getElementType();
  int64_t aligned = alignmentOf(in.depth, element);
  bool isBulk = s.getCopy() == OperandCopy::Bulk;
  SmallVector<RingPart> parts = {
      {isBulk ? in.xMap : in.x, at.row, buffers.x, aligned}};
  for (auto [weight, buffer] :
       llvm::zip_equal(isBulk ? in.weightMaps : in.weights, buffers.weights)) {
    parts.push_back({weight, at.column, buffer, aligned});
  }
  return {t, s, std::move(parts)};
}

static SmallVector<Value> zerosOf(TileBuilder &t, RankedTensorType type,
                                  size_t count) {
  return SmallVector<Value>(count, t.fill(type, 0));
}

void cheems::tile::buildMatmul(TileBuilder &t, MatmulTileAttr s,
                               const MatmulBuffers &buffers,
                               const MatmulInputs &in, Finish finish) {
  if (s.getUnit() == Unit::Wgmma) {
    return buildMatmulOfWarpgroups(t, s, buffers, in, finish);
  }
  MLIRContext *context = t.b.getContext();
  Type element = cast<MemRefType>(in.x.getType()).getElementType();
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, s.getWarpsM(), s.getWarpsN(), 1, 2);
  };
  auto a = t.tileType({s.getRows(), kInstructionDepth}, element,
                      fragment(FragmentRole::A));
  auto b = t.tileType({s.getColumns(), kInstructionDepth}, element,
                      fragment(FragmentRole::B));
  auto c = t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(),
                      fragment(FragmentRole::C));
  RowsAndColumns at{t.mul(in.rowBlock, s.getRows()),
                    t.mul(in.columnBlock, s.getColumns())};
  MatmulRing ring = ringOf(t, s, buffers, in, at);
  SmallVector<Value> sums = ring.run(
      t.ceilDiv(t.extent(in.x, 1), s.getDepth()),
      zerosOf(t, c, in.weights.size()),
      [&](Value, Value stage, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t k = 0; k < s.getDepth(); k += kInstructionDepth) {
          Value column = t.index(k), row = t.index(0);
          Value left = t.read(a, buffers.x, stage, row, column);
          for (auto [buffer, sum] : llvm::zip_equal(buffers.weights, next)) {
            Value right = t.read(b, buffer, stage, row, column);
            sum = MmaOp::create(t.b, c, left, right, sum);
          }
        }
        return next;
      });
  finish(sums, at);
}

void cheems::tile::buildMatmulOfWarpgroups(TileBuilder &t, MatmulTileAttr s,
                                           const MatmulBuffers &buffers,
                                           const MatmulInputs &in,
                                           Finish finish) {
  auto layout = FragmentAttr::get(t.b.getContext(), FragmentRole::C,
                                  s.getWarpsM(), s.getWarpsN(), 1, 2);
  auto c = t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
  RowsAndColumns at{t.mul(in.rowBlock, s.getRows()),
                    t.mul(in.columnBlock, s.getColumns())};
  MatmulRing ring = ringOf(t, s, buffers, in, at);
  Value steps = t.ceilDiv(t.extent(in.x, 1), s.getDepth());
  SmallVector<Value> zeros = zerosOf(t, c, in.weights.size());
  auto begin = [&](Value, Value stage, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (auto [buffer, sum] : llvm::zip_equal(buffers.weights, next)) {
      sum =
          WarpgroupMmaOp::create(t.b, c, buffers.x, stage, buffer, stage, sum);
    }
    return next;
  };
  finish(s.getCopy() == OperandCopy::Bulk
             ? ring.runFilled(steps, zeros, begin)
             : ring.runWarpgroups(steps, zeros, begin),
         at);
}

void cheems::tile::buildMatmulF32(TileBuilder &t, MatmulTileAttr s,
                                  const MatmulBuffers &buffers,
                                  const MatmulInputs &in, Finish finish) {
  // A warp has 4 rows and 8 columns of threads: eight neighbours read eight
  // rows of a buffer, which lie in different banks.
  auto layout = BlockedAttr::get(t.b.getContext(), 4 * s.getWarpsM(),
                                 8 * s.getWarpsN(), 1);
  auto c = t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
  RowsAndColumns at{t.mul(in.rowBlock, s.getRows()),
                    t.mul(in.columnBlock, s.getColumns())};
  MatmulRing ring = ringOf(t, s, buffers, in, at);
  SmallVector<Value> sums = ring.run(
      t.ceilDiv(t.extent(in.x, 1), s.getDepth()),
      zerosOf(t, c, in.weights.size()),
      [&](Value, Value stage, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (auto [buffer, sum] : llvm::zip_equal(buffers.weights, next)) {
          sum = FmaOp::create(t.b, c, buffers.x, stage, buffer, stage, sum);
        }
        return next;
      });
  finish(sums, at);
}

void cheems::tile::buildMatmulOfFewRows(TileBuilder &t, FewRowsTileAttr s,
                                        const MatmulInputs &in, Finish finish) {
  constexpr int64_t width = 8; // 16 bytes of a row of weights per lane
  MLIRContext *context = t.b.getContext();
  Type element = cast<MemRefType>(in.weights[0].getType()).getElementType();
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, 1, 1, s.getWarps(),
                             role == FragmentRole::C ? 2 : width);
  };
  auto a = t.tileType({s.getColumns(), s.getDepth()}, element,
                      fragment(FragmentRole::A));
  auto b = t.tileType({s.getRows(), s.getDepth()}, element,
                      fragment(FragmentRole::B));
  auto c = t.tileType({s.getColumns(), s.getRows()}, t.b.getF32Type(),
                      fragment(FragmentRole::C));
  int64_t aligned = alignmentOf(in.depth, element);
  RowsAndColumns at{t.mul(in.rowBlock, s.getRows()),
                    t.mul(in.columnBlock, s.getColumns()),
                    /*across=*/true};
  auto loadWeights = [&](Value from) {
    SmallVector<Value> tiles;
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value k = t.add(from, i * s.getDepth());
      for (Value weight : in.weights) {
        tiles.push_back(t.load(a, weight, {{at.column, k}, {0, 1}}, aligned));
      }
    }
    return tiles;
  };
  Value row;
  // The row of a buffer is all rows of the tile.
  auto readRow = [&](Value k) {
    Value zero = t.index(0);
    return t.broadcast(t.read(t.sliceType(b, 0), row, zero, zero, k), b);
  };
  auto loadRows = [&](Value from) {
    SmallVector<Value> tiles;
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value k = t.add(from, i * s.getDepth());
      tiles.push_back(row ? readRow(k)
                          : t.load(b, in.x, {{at.row, k}, {0, 1}}, aligned));
    }
    return tiles;
  };
  auto multiply = [&](ArrayRef<Value> weights, ArrayRef<Value> tiles,
                      ValueRange carried) {
    SmallVector<Value> next(carried);
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      for (auto [w, sum] : llvm::enumerate(next)) {
        Value weight = weights[size_t(i) * next.size() + w];
        sum = MmaOp::create(t.b, c, weight, tiles[size_t(i)], sum);
      }
    }
    return next;
  };
  // The first weights come while earlier kernels end, and while the row is
  // made.
  Value begin = t.index(0);
  SmallVector<Value> first = loadWeights(begin);
  if (in.makeRow) {
    row = in.makeRow();
  }
  SmallVector<Value> sums =
      multiply(first, loadRows(begin), zerosOf(t, c, in.weights.size()));
  sums = t.loop(t.index(s.getDepth() * s.getAhead()), t.extent(in.x, 1),
                s.getDepth() * s.getAhead(), sums,
                [&](Value from, ValueRange carried) {
                  SmallVector<Value> weights = loadWeights(from);
                  return multiply(weights, loadRows(from), carried);
                });
  auto layout = BlockedAttr::get(
      context, s.getColumns(), s.getWarps() * kWarpThreads / s.getColumns(), 1);
  auto whole = t.tileType(c.getShape(), c.getElementType(), layout);
  for (Value &sum : sums) {
    sum = SumPartialsOp::create(t.b, whole, sum, IntegerAttr());
  }
  finish(sums, at);
}
