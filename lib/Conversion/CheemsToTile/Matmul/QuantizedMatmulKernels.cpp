// Builds the kernels of quantized matmuls.
#include "QuantizedMatmulKernels.h"
#include "Builder/RowQuantization.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// k of one instruction of tensor cores.
constexpr int64_t kQuantizedInstructionDepth = 32;
/// 4-bit integers that stand together, their bytes, and how many instructions
/// multiply them.
constexpr int64_t kTogether = 128, kPackedBytes = 64, kParts = 4;
/// The results of cheems_tile.nibbles are so many times the quantized values.
constexpr double kNibbleUnit = 16;

namespace {
/// Types of tiles, and the last steps of the equation of quantized_matmul.
struct QuantizedTiles {
  TileBuilder &t;
  const QuantizedInputs &in;
  /// The dimension of a tile of sums along which columns lie, and the other.
  int64_t columnAxis, rowAxis;
  RowsAndColumns at;
  QuantizedRow row = {}; ///< if the block made it

  Type byte() { return t.b.getI8Type(); }
  RankedTensorType numbersOf(RankedTensorType sums) {
    return t.withElement(sums, t.b.getF32Type());
  }

  /// A number per column of the matrix, from `memory` [N, G] in f32, as a tile
  /// like `like`.
  Value scale(Value memory, Value group, RankedTensorType like, double unit) {
    Type element = cast<MemRefType>(memory.getType()).getElementType();
    auto type = t.sliceType(like, rowAxis);
    Value scale =
        t.load(t.withElement(type, element), memory, {{at.column, group}, {0}});
    if (!element.isF32()) {
      scale = arith::ExtFOp::create(t.b, type, scale);
    }
    if (unit != 1) {
      scale = t.mul(scale, t.fill(type, unit));
    }
    return t.broadcast(scale, like);
  }

  /// total + scale * sum
  Value added(Value sum, Value scale, Value total) {
    Value number = arith::SIToFPOp::create(t.b, total.getType(), sum);
    return t.fma(number, scale, total);
  }

  /// Times the scales of the rows of x.
  Value scaled(Value total) {
    auto type = cast<RankedTensorType>(total.getType());
    RankedTensorType perRow = t.sliceType(type, columnAxis);
    Value zero = t.index(0);
    Value scale = row.scale ? t.read(perRow, row.scale, zero, zero, zero)
                            : t.load(perRow, in.xScales, {{at.row}, {0}});
    return t.mul(total, t.broadcast(scale, type));
  }

  /// K, as a number that LLVM does not know: it would unroll all steps, and
  /// spill registers. A kernel without x has it from the quantized values.
  Value depth() {
    return in.makeRow ? t.mul(t.extent(in.codes[0], 1), 8 / in.bits)
                      : t.extent(in.x, 1);
  }

  void makeRow() {
    if (in.makeRow) {
      row = in.makeRow();
    }
  }

  /// Quantized values of x from `k` on. The row of a buffer is all rows of the
  /// tile.
  Value codes(RankedTensorType type, Value k) {
    if (row.codes) {
      Value zero = t.index(0);
      return t.broadcast(t.read(t.sliceType(type, 0), row.codes, zero, zero, k),
                         type);
    }
    return t.load(type, in.x, {{at.row, k}, {0, 1}},
                  alignmentOf(in.depth, byte()));
  }

  /// Sums over the only group of each weight.
  SmallVector<Value> finished(ValueRange sums) {
    SmallVector<Value> results;
    for (auto [sum, scales] : llvm::zip_equal(sums, in.scales)) {
      auto type = numbersOf(cast<RankedTensorType>(sum.getType()));
      results.push_back(scaled(
          added(sum, scale(scales, t.index(0), type, 1), t.fill(type, 0))));
    }
    return results;
  }

  /// The totals and the products of the 128 k of step `step`.
  /// \param product adds the products of part i of weight w to sums.
  SmallVector<Value>
  addPacked(Value step, ValueRange totals, RankedTensorType sums,
            function_ref<Value(size_t w, int64_t part, Value sum)> product) {
    SmallVector<Value> next(totals);
    int64_t partsOfGroup =
        std::min(in.group / kQuantizedInstructionDepth, kParts);
    Value last = t.index(in.depth / in.group - 1);
    auto type = numbersOf(sums);
    // All weights take a part of x before the next: it then leaves its
    // registers.
    for (int64_t part = 0; part < kParts; part += partsOfGroup) {
      for (auto [w, total] : llvm::enumerate(next)) {
        Value sum = t.fillInteger(sums, 0);
        for (int64_t i = 0; i < partsOfGroup; ++i) {
          sum = product(w, part + i, sum);
        }
        // Past the last group the sums are 0, and add nothing.
        Value group = t.minimum(
            t.add(t.mul(step, kParts / partsOfGroup), part / partsOfGroup),
            last);
        total = added(sum, scale(in.scales[w], group, type, 1 / kNibbleUnit),
                      total);
      }
    }
    return next;
  }
};
} // namespace

static QuantizedTiles quantizedTiles(TileBuilder &t, const QuantizedInputs &in,
                                     int64_t rows, int64_t columns,
                                     bool across) {
  RowsAndColumns at{t.mul(in.rowBlock, rows), t.mul(in.columnBlock, columns),
                    across};
  return across ? QuantizedTiles{t, in, 0, 1, at}
                : QuantizedTiles{t, in, 1, 0, at};
}

static SmallVector<Value> copiesOf(Value zeros, size_t count) {
  return SmallVector<Value>(count, zeros);
}

/// Columns of a tile of scales, `step` for all threads at a time. With one row
/// a tile of sums has 8 rows, and each reads its scale.
static int64_t scaleColumns(int64_t step) {
  constexpr uint64_t rows = 8;
  return int64_t(llvm::alignTo(rows, uint64_t(step)));
}

QuantizedRow QuantizedRow::alloc(TileBuilder &t, RowTileAttr s) {
  int64_t columns = scaleColumns(s.getThreads() * s.getWidth());
  return {
      t.alloc({1, s.getRows(), s.getColumns()}, t.b.getI8Type(),
              /*swizzled=*/false),
      t.alloc({1, s.getRows(), columns}, t.b.getF32Type(), /*swizzled=*/false)};
}

void QuantizedRow::write(TileBuilder &t, Value row) const {
  RowQuantization rows =
      RowQuantization::of(t, RowQuantization::greatest(t, row));
  Value zero = t.index(0);
  t.write(rows.codes(t, row), codes, zero, zero, zero);
  auto type = cast<RankedTensorType>(row.getType());
  auto layout = cast<BlockedAttr>(type.getEncoding());
  int64_t columns = scaleColumns(layout.getColumns() * layout.getWidth());
  Value scales =
      t.broadcast(rows.scale, t.tileType({type.getDimSize(0), columns},
                                         t.b.getF32Type(), layout));
  t.write(scales, scale, zero, zero, zero);
  t.barrier();
}

MatmulBuffers cheems::tile::allocQuantized(TileBuilder &t, MatmulTileAttr s,
                                           int64_t bits, size_t weights) {
  return MatmulBuffers::alloc(t, s, t.b.getI8Type(), weights,
                              s.getDepth() * bits / 8);
}

void cheems::tile::buildQuantizedMatmul(TileBuilder &t, MatmulTileAttr s,
                                        const MatmulBuffers &buffers,
                                        const QuantizedInputs &in,
                                        Finish finish) {
  QuantizedTiles c =
      quantizedTiles(t, in, s.getRows(), s.getColumns(), /*across=*/false);
  MLIRContext *context = t.b.getContext();
  auto fragment = [&](FragmentRole role, int64_t width) {
    return FragmentAttr::get(context, role, s.getWarpsM(), s.getWarpsN(), 1,
                             width);
  };
  auto a = t.tileType({s.getRows(), kQuantizedInstructionDepth}, c.byte(),
                      fragment(FragmentRole::A, 4));
  auto b = t.tileType({s.getColumns(), kQuantizedInstructionDepth}, c.byte(),
                      fragment(FragmentRole::B, 4));
  auto packed = t.tileType({s.getColumns(), kPackedBytes}, c.byte(),
                           fragment(FragmentRole::B, 16));
  auto sums = t.tileType({s.getRows(), s.getColumns()}, t.b.getI32Type(),
                         fragment(FragmentRole::C, 2));

  SmallVector<RingPart> parts = {
      {in.x, c.at.row, buffers.x, alignmentOf(in.depth, c.byte())}};
  int64_t rowBytes = QuantizedMatmulOp::getRowBytes(in.depth, in.bits);
  for (auto [codes, buffer] : llvm::zip_equal(in.codes, buffers.weights)) {
    parts.push_back(
        {codes, c.at.column, buffer, alignmentOf(rowBytes, c.byte())});
  }
  MatmulRing ring(t, s, std::move(parts));
  Value steps = t.ceilDiv(t.extent(in.x, 1), s.getDepth());
  if (!in.isPacked()) {
    finish(c.finished(ring.run(
               steps, copiesOf(t.fillInteger(sums, 0), in.codes.size()),
               [&](Value, Value stage, ValueRange carried) {
                 SmallVector<Value> next(carried);
                 for (int64_t k = 0; k < s.getDepth();
                      k += kQuantizedInstructionDepth) {
                   Value column = t.index(k), row = t.index(0);
                   Value left = t.read(a, buffers.x, stage, row, column);
                   for (auto [buffer, sum] :
                        llvm::zip_equal(buffers.weights, next)) {
                     Value right = t.read(b, buffer, stage, row, column);
                     sum = t.mma(left, right, sum);
                   }
                 }
                 return next;
               })),
           c.at);
    return;
  }
  Value zeros = t.fill(c.numbersOf(sums), 0);
  SmallVector<Value> totals = ring.run(
      steps, copiesOf(zeros, in.codes.size()),
      [&](Value step, Value stage, ValueRange carried) {
        SmallVector<Value> left, right;
        for (int64_t part = 0; part < kParts; ++part) {
          left.push_back(t.read(a, buffers.x, stage, t.index(0),
                                t.index(part * kQuantizedInstructionDepth)));
        }
        for (Value buffer : buffers.weights) {
          right.push_back(
              t.read(packed, buffer, stage, t.index(0), t.index(0)));
        }
        return c.addPacked(
            step, carried, sums, [&](size_t w, int64_t part, Value sum) {
              Value bytes = NibblesOp::create(t.b, b, right[w], uint64_t(part));
              return t.mma(left[size_t(part)], bytes, sum);
            });
      });
  for (Value &total : totals) {
    total = c.scaled(total);
  }
  finish(totals, c.at);
}

/// One group: warps share k, and their sums of integers are added.
static void buildBytesOfFewRows(QuantizedTiles &c, FewRowsTileAttr s,
                                Finish finish) {
  constexpr int64_t width = 16; // bytes of a quantized row per lane
  TileBuilder &t = c.t;
  const QuantizedInputs &in = c.in;
  MLIRContext *context = t.b.getContext();
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, 1, 1, s.getWarps(),
                             role == FragmentRole::C ? 2 : width);
  };
  auto a = t.tileType({s.getColumns(), s.getDepth()}, c.byte(),
                      fragment(FragmentRole::A));
  auto b = t.tileType({s.getRows(), s.getDepth()}, c.byte(),
                      fragment(FragmentRole::B));
  auto sumType = t.tileType({s.getColumns(), s.getRows()}, t.b.getI32Type(),
                            fragment(FragmentRole::C));
  int64_t aligned = alignmentOf(in.depth, c.byte());
  auto loadCodes = [&](Value from) {
    SmallVector<Value> tiles;
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value k = t.add(from, i * s.getDepth());
      for (Value codes : in.codes) {
        tiles.push_back(t.load(a, codes, {{c.at.column, k}, {0, 1}}, aligned));
      }
    }
    return tiles;
  };
  auto multiply = [&](ArrayRef<Value> weights, Value from, ValueRange carried) {
    SmallVector<Value> inputs, next(carried);
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value k = t.add(from, i * s.getDepth());
      inputs.push_back(c.codes(b, k));
    }
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      for (auto [w, sum] : llvm::enumerate(next)) {
        Value weight = weights[size_t(i) * next.size() + w];
        sum = t.mma(weight, inputs[size_t(i)], sum);
      }
    }
    return next;
  };
  // The first quantized values come while earlier kernels end, and while the
  // row is made.
  Value begin = t.index(0);
  SmallVector<Value> first = loadCodes(begin);
  c.makeRow();
  SmallVector<Value> sums = multiply(
      first, begin, copiesOf(t.fillInteger(sumType, 0), in.codes.size()));
  sums = t.loop(t.index(s.getDepth() * s.getAhead()), c.depth(),
                s.getDepth() * s.getAhead(), sums,
                [&](Value from, ValueRange carried) {
                  SmallVector<Value> codes = loadCodes(from);
                  return multiply(codes, from, carried);
                });
  auto layout = BlockedAttr::get(
      context, s.getColumns(), s.getWarps() * kWarpThreads / s.getColumns(), 1);
  auto whole = t.tileType(sumType.getShape(), t.b.getI32Type(), layout);
  for (Value &sum : sums) {
    sum = SumPartialsOp::create(t.b, whole, sum, IntegerAttr());
  }
  finish(c.finished(sums), c.at);
}

/// Several groups, added in order: a warp has all k of its columns.
static void buildPackedOfFewRows(QuantizedTiles &c, FewRowsTileAttr s,
                                 Finish finish) {
  TileBuilder &t = c.t;
  const QuantizedInputs &in = c.in;
  MLIRContext *context = t.b.getContext();
  auto fragment = [&](FragmentRole role, int64_t width) {
    return FragmentAttr::get(context, role, s.getWarps(), 1, 1, width);
  };
  auto packed = t.tileType({s.getColumns(), kPackedBytes}, c.byte(),
                           fragment(FragmentRole::A, 16));
  auto a = t.tileType({s.getColumns(), kQuantizedInstructionDepth}, c.byte(),
                      fragment(FragmentRole::A, 4));
  auto b = t.tileType({s.getRows(), kQuantizedInstructionDepth}, c.byte(),
                      fragment(FragmentRole::B, 4));
  auto sums = t.tileType({s.getColumns(), s.getRows()}, t.b.getI32Type(),
                         fragment(FragmentRole::C, 2));
  Value zeros = t.fill(c.numbersOf(sums), 0);
  auto loadCodes = [&](Value from) {
    SmallVector<Value> tiles;
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value byte = t.mul(t.add(from, i), kPackedBytes);
      for (Value codes : in.codes) {
        tiles.push_back(
            t.load(packed, codes, {{c.at.column, byte}, {0, 1}}, 16));
      }
    }
    return tiles;
  };
  auto multiply = [&](ArrayRef<Value> weights, Value from, ValueRange carried) {
    SmallVector<Value> inputs, next(carried);
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      for (int64_t part = 0; part < kParts; ++part) {
        Value k = t.add(t.mul(t.add(from, i), kTogether),
                        part * kQuantizedInstructionDepth);
        inputs.push_back(c.codes(b, k));
      }
    }
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      next = c.addPacked(
          t.add(from, i), next, sums, [&](size_t w, int64_t part, Value sum) {
            Value bytes = NibblesOp::create(
                t.b, a, weights[size_t(i) * next.size() + w], uint64_t(part));
            return t.mma(bytes, inputs[size_t(i * kParts + part)], sum);
          });
    }
    return next;
  };
  // The first quantized values come while earlier kernels end and while the row
  // is made, and those of a step at the end of the step before: the
  // instructions of a step are many, and are there once.
  size_t count = in.codes.size();
  SmallVector<Value> carried = copiesOf(zeros, count);
  llvm::append_range(carried, loadCodes(t.index(0)));
  c.makeRow();
  carried =
      t.loop(t.index(0), t.ceilDiv(c.depth(), kTogether), s.getAhead(), carried,
             [&](Value from, ValueRange now) {
               SmallVector<Value> codes(now.drop_front(count));
               SmallVector<Value> next =
                   multiply(codes, from, now.take_front(count));
               llvm::append_range(next, loadCodes(t.add(from, s.getAhead())));
               return next;
             });
  carried.truncate(count);
  for (Value &total : carried) {
    total = c.scaled(total);
  }
  finish(carried, c.at);
}

void cheems::tile::buildQuantizedMatmulOfFewRows(TileBuilder &t,
                                                 FewRowsTileAttr s,
                                                 const QuantizedInputs &in,
                                                 Finish finish) {
  QuantizedTiles c =
      quantizedTiles(t, in, s.getRows(), s.getColumns(), /*across=*/true);
  if (in.isPacked()) {
    buildPackedOfFewRows(c, s, finish);
  } else {
    buildBytesOfFewRows(c, s, finish);
  }
}
