// Builds the kernels of products.
#include "ProductKernels.h"

using namespace mlir;
using namespace cheems::tile;

ProductBuffers ProductBuffers::alloc(TileBuilder &t, const ProductStrategy &s,
                                     Type element, size_t weights) {
  ProductBuffers buffers;
  buffers.x = t.alloc({s.stages, s.rows, s.depth}, element, /*swizzled=*/true);
  for (size_t i = 0; i < weights; ++i) {
    buffers.weights.push_back(
        t.alloc({s.stages, s.columns, s.depth}, element, /*swizzled=*/true));
  }
  return buffers;
}

namespace {
/// k of one instruction of tensor cores.
constexpr int64_t kInstructionDepth = 16;
/// The least piece that an asynchronous copy moves.
constexpr int64_t kLeastCopy = 4;

/// Buffers of x and of each weight, which are filled ahead of their use.
class Ring {
public:
  Ring(TileBuilder &t, const ProductStrategy &s, const ProductBuffers &buffers,
       const ProductInputs &in, const RowsAndColumns &at)
      : t(t), s(s), buffers(buffers), in(in), at(at) {
    Type element = cast<MemRefType>(in.x.getType()).getElementType();
    aligned = alignmentOf(in.depth, element);
  }

  /// Carries sums over all k. `multiply` adds the products of a stage.
  using Multiply =
      function_ref<SmallVector<Value>(Value stage, ValueRange sums)>;
  SmallVector<Value> run(ValueRange zeros, Multiply multiply) {
    Value steps = t.ceilDiv(t.extent(in.x, 1), s.depth);
    for (int64_t ahead = 0; ahead + 1 < s.stages; ++ahead) {
      fetch(t.index(ahead), t.index(ahead));
    }
    // The stages of this step and of the one that is fetched meanwhile.
    SmallVector<Value> state = {t.index(0), t.index(s.stages - 1)};
    llvm::append_range(state, zeros);
    SmallVector<Value> after = t.loop(
        t.index(0), steps, 1, state, [&](Value step, ValueRange carried) {
          // Behind it, this stage is there, and nobody reads the one before.
          t.waitForAll(s.stages - 2);
          fetch(t.add(step, s.stages - 1), carried[1]);
          SmallVector<Value> next = {following(carried[0]),
                                     following(carried[1])};
          llvm::append_range(next, multiply(carried[0], carried.drop_front(2)));
          return next;
        });
    WaitOp::create(t.b, uint64_t(0));
    return SmallVector<Value>(ArrayRef(after).drop_front(2));
  }

private:
  Value following(Value stage) {
    Value next = t.add(stage, 1);
    Value isPast = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, next,
                                         t.index(s.stages));
    return t.select(isPast, t.index(0), next);
  }

  /// Past the end of k it fetches zeros.
  void fetch(Value step, Value stage) {
    Value k = t.mul(step, s.depth);
    move(in.x, at.row, k, buffers.x, stage, s.rows);
    for (auto [weight, buffer] : llvm::zip_equal(in.weights, buffers.weights)) {
      move(weight, at.column, k, buffer, stage, s.columns);
    }
    t.commit();
  }

  void move(Value source, Value row, Value k, Value buffer, Value stage,
            int64_t rows) {
    Place place{{row, k}, {0, 1}};
    if (aligned >= kLeastCopy) {
      t.copy(source, place, buffer, stage, aligned);
      return;
    }
    // Rows of odd length: element by element, through registers.
    int64_t threads = s.warpsM * s.warpsN * kWarpThreads;
    auto layout = BlockedAttr::get(t.b.getContext(), threads / kWarpThreads,
                                   kWarpThreads, s.depth / kWarpThreads);
    auto element = cast<MemRefType>(source.getType()).getElementType();
    Value tile =
        t.load(t.tileType({rows, s.depth}, element, layout), source, place);
    WriteOp::create(t.b, tile, buffer, stage, t.index(0), t.index(0));
  }

  TileBuilder &t;
  const ProductStrategy &s;
  const ProductBuffers &buffers;
  const ProductInputs &in;
  const RowsAndColumns &at;
  int64_t aligned;
};
} // namespace

static SmallVector<Value> zerosOf(TileBuilder &t, RankedTensorType type,
                                  size_t count) {
  return SmallVector<Value>(count, t.fill(type, 0));
}

void cheems::tile::buildProduct(TileBuilder &t, const ProductStrategy &s,
                                const ProductBuffers &buffers,
                                const ProductInputs &in, Finish finish) {
  MLIRContext *context = t.b.getContext();
  Type element = cast<MemRefType>(in.x.getType()).getElementType();
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, s.warpsM, s.warpsN, 1, 2);
  };
  auto a = t.tileType({s.rows, kInstructionDepth}, element,
                      fragment(FragmentRole::A));
  auto b = t.tileType({s.columns, kInstructionDepth}, element,
                      fragment(FragmentRole::B));
  auto c = t.tileType({s.rows, s.columns}, t.b.getF32Type(),
                      fragment(FragmentRole::C));
  RowsAndColumns at{t.mul(in.rowBlock, s.rows),
                    t.mul(in.columnBlock, s.columns)};
  Ring ring(t, s, buffers, in, at);
  SmallVector<Value> sums = ring.run(
      zerosOf(t, c, in.weights.size()), [&](Value stage, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t k = 0; k < s.depth; k += kInstructionDepth) {
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

void cheems::tile::buildProductF32(TileBuilder &t, const ProductStrategy &s,
                                   const ProductBuffers &buffers,
                                   const ProductInputs &in, Finish finish) {
  // A warp has 4 rows and 8 columns of threads: eight neighbours read eight
  // rows of a buffer, which lie in different banks.
  auto layout =
      BlockedAttr::get(t.b.getContext(), 4 * s.warpsM, 8 * s.warpsN, 1);
  auto c = t.tileType({s.rows, s.columns}, t.b.getF32Type(), layout);
  RowsAndColumns at{t.mul(in.rowBlock, s.rows),
                    t.mul(in.columnBlock, s.columns)};
  Ring ring(t, s, buffers, in, at);
  SmallVector<Value> sums = ring.run(
      zerosOf(t, c, in.weights.size()), [&](Value stage, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (auto [buffer, sum] : llvm::zip_equal(buffers.weights, next)) {
          sum = FmaOp::create(t.b, c, buffers.x, stage, buffer, stage, sum);
        }
        return next;
      });
  finish(sums, at);
}

void cheems::tile::buildProductOfFewRows(TileBuilder &t,
                                         const FewRowsStrategy &s,
                                         const ProductInputs &in,
                                         Finish finish) {
  constexpr int64_t width = 8; // 16 bytes of a row of weights per lane
  MLIRContext *context = t.b.getContext();
  Type element = cast<MemRefType>(in.x.getType()).getElementType();
  auto fragment = [&](FragmentRole role) {
    return FragmentAttr::get(context, role, 1, 1, s.warps,
                             role == FragmentRole::C ? 2 : width);
  };
  auto a = t.tileType({s.columns, s.depth}, element, fragment(FragmentRole::A));
  auto b = t.tileType({s.rows, s.depth}, element, fragment(FragmentRole::B));
  auto c = t.tileType({s.columns, s.rows}, t.b.getF32Type(),
                      fragment(FragmentRole::C));
  int64_t aligned = alignmentOf(in.depth, element);
  RowsAndColumns at{t.mul(in.rowBlock, s.rows),
                    t.mul(in.columnBlock, s.columns),
                    /*across=*/true};
  SmallVector<Value> sums = t.loop(
      t.index(0), t.extent(in.x, 1), s.depth * s.ahead,
      zerosOf(t, c, in.weights.size()), [&](Value from, ValueRange carried) {
        SmallVector<Value> weights, inputs;
        for (int64_t i = 0; i < s.ahead; ++i) {
          Value k = t.add(from, i * s.depth);
          for (Value weight : in.weights) {
            weights.push_back(
                t.load(a, weight, {{at.column, k}, {0, 1}}, aligned));
          }
          inputs.push_back(t.load(b, in.x, {{at.row, k}, {0, 1}}, aligned));
        }
        SmallVector<Value> next(carried);
        for (int64_t i = 0; i < s.ahead; ++i) {
          for (auto [w, sum] : llvm::enumerate(next)) {
            Value weight = weights[size_t(i) * next.size() + w];
            sum = MmaOp::create(t.b, c, weight, inputs[size_t(i)], sum);
          }
        }
        return next;
      });
  auto layout = BlockedAttr::get(context, s.columns,
                                 s.warps * kWarpThreads / s.columns, 1);
  auto whole = t.tileType(c.getShape(), c.getElementType(), layout);
  for (Value &sum : sums) {
    sum = SumPartialsOp::create(t.b, whole, sum, IntegerAttr());
  }
  finish(sums, at);
}
