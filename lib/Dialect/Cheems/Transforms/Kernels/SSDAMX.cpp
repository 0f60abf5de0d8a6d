// The products of an SSD chunk on AMX tiles, factors rounded to bf16 and sums
// of f32: 32 rows by 32 columns of sums at once, which are four tiles, by two
// tiles of either factor. What is not there of the last tiles is zero where it
// would be summed, and anything where it is a row of its own.
//
// A right factor lies in pairs along what is summed over, a left one in rows,
// SSDAMXPack.cpp.
#include "SSD.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kTile = 16; ///< rows, and columns of f32
constexpr int64_t kPair = 32; ///< rows and columns of sums at once, and the k
                              ///< of a block
} // namespace

SSDProductsAMX::SSDProductsAMX(SSDKernel &kernel)
    : k(kernel), b(kernel.b), loc(kernel.loc),
      states(llvm::alignTo(kernel.stateSize, kPair)),
      columns(llvm::alignTo(kernel.headSize, kPair)) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  outputGates = k.allocate({k.padded, states}, bf16);
  inputGates = k.allocate({states / 2, 2 * k.padded}, bf16);
  turnedGates = k.allocate({states, k.padded}, bf16);
  products = k.allocate({k.padded, k.padded}, f32);
  weights = k.allocate({k.padded, k.padded}, bf16);
  inputs = k.allocate({k.padded / 2, 2 * columns}, bf16);
  lasting = k.allocate({k.padded / 2, 2 * columns}, bf16);
  state = k.allocate({states / 2, 2 * columns}, bf16);
  finished = k.allocate({kPair, columns}, f32);
  others = k.allocate({kPair, columns}, f32);
  within = k.allocate({SSDKernel::kBlock}, f32);
}

void SSDProductsAMX::group(const SSDRows &rows, Value g) {
  roundGates(rows, g);
  turnGates(rows, g);
  multiplyGates(rows);
}

void SSDProductsAMX::head(const SSDRows &rows, Value h, Value) {
  weigh(rows);
  packInputs(rows, h);
  packState(h);
  output(rows, h);
  carry(rows, h);
}

SmallVector<Value> SSDProductsAMX::multiply(Value left, Value row, Value right,
                                            Value column, Value blocks) {
  auto sums = amx::TileType::get({kTile, kTile}, b.getF32Type());
  auto factor = amx::TileType::get({kTile, kPair}, b.getBF16Type());
  // Each is a register of its own: copies of one zero would go through memory.
  SmallVector<Value> inits;
  for (int64_t s = 0; s < 4; ++s) {
    inits.push_back(amx::TileZeroOp::create(b, loc, sums));
  }
  Value across = k.plus(column, column);
  return llvm::to_vector(
      k.fold(k.zero, blocks, inits, [&](Value i, ValueRange before) {
        Value from = arith::MulIOp::create(b, loc, i, k.index(kPair));
        Value pair = arith::MulIOp::create(b, loc, i, k.index(kTile));
        SmallVector<Value> after, rights;
        for (int64_t t = 0; t < 2; ++t) {
          Value rowTile = amx::TileLoadOp::create(
              b, loc, factor, left, ValueRange{k.plus(row, t * kTile), from});
          for (int64_t s = 0; s < 2; ++s) {
            if (t == 0) {
              rights.push_back(amx::TileLoadOp::create(
                  b, loc, factor, right,
                  ValueRange{pair, k.plus(across, s * kPair)}));
            }
            after.push_back(amx::TileMulFOp::create(
                b, loc, sums, rowTile, rights[s], before[2 * t + s]));
          }
        }
        return after;
      }));
}

void SSDProductsAMX::finish(ValueRange sums, Value buffer, Value row,
                            Value column) {
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t s = 0; s < 2; ++s) {
      amx::TileStoreOp::create(
          b, loc, buffer,
          ValueRange{k.plus(row, t * kTile), k.plus(column, s * kTile)},
          sums[2 * t + s]);
    }
  }
}

void SSDProductsAMX::eachFinished(
    Value rows, llvm::function_ref<void(Value, Value, VectorType)> body) {
  k.each(k.zero, rows, 1, [&](Value r) {
    k.columns(kTile, [&](Value p, VectorType type) { body(r, p, type); });
  });
}

/// products[t, u] for u <= t, and others of the same tiles.
void SSDProductsAMX::multiplyGates(const SSDRows &rows) {
  k.each(k.zero, rows.count, kPair, [&](Value t) {
    k.each(k.zero, k.plus(t, 1), kPair, [&](Value u) {
      finish(multiply(outputGates, t, inputGates, u, k.index(states / kPair)),
             products, t, u);
    });
  });
}

/// weights[t, u] for u <= t, zeros for later u of the same block of 32.
void SSDProductsAMX::weigh(const SSDRows &rows) {
  constexpr int64_t block = SSDKernel::kBlock;
  VectorType type = k.vector(block), wide = type.clone(b.getF64Type());
  auto narrow = VectorType::get({block}, b.getBF16Type());
  auto put = [&](Value values, Value t, Value u) {
    k.store(round(values), weights, {t, u});
  };
  auto half = [&](Value first, bool odd) {
    k.blockDecays(first);
    Value last = arith::MaxUIOp::create(b, loc, first, k.one);
    Value until = k.read(k.logarithm, k.minus(last, k.one));
    Value l = k.load(wide, k.logarithm, first);
    k.store(k.decay(arith::SubFOp::create(b, loc, l, k.spread(wide, until))),
            within, k.zero);
    Value steps = k.load(type, k.steps, first);
    Value end =
        arith::MinUIOp::create(b, loc, k.plus(first, block), rows.count);
    k.each(first, end, 1, [&](Value t) {
      Value r = k.minus(t, first);
      Value decay = k.spread(type, k.read(within, r));
      k.each(k.zero, first, block, [&](Value u) {
        Value factor = k.times(decay, k.load(type, k.near, u));
        put(k.times(k.load(type, products, {t, u}), factor), t, u);
      });
      Value power = arith::SubFOp::create(
          b, loc, k.spread(wide, k.read(k.logarithm, t)), l);
      Value factor = k.times(k.decay(power), steps);
      Value seen = vector::CreateMaskOp::create(
          b, loc, VectorType::get({block}, b.getI1Type()), k.plus(r, 1));
      Value weight = k.times(k.load(type, products, {t, first}), factor);
      put(arith::SelectOp::create(b, loc, seen, weight, k.none(type)), t,
          first);
      if (!odd) {
        k.store(k.none(narrow), weights, {t, k.plus(first, block)});
      }
    });
  };
  k.each(k.zero, rows.count, 2 * block, [&](Value t) {
    half(t, false);
    half(k.plus(t, block), true);
  });
}

void SSDProductsAMX::output(const SSDRows &rows, Value h) {
  k.each(k.zero, rows.count, kPair, [&](Value t) {
    Value blocks = arith::DivUIOp::create(b, loc, t, k.index(kPair));
    // All tiles of the rows first: y is written by whole rows.
    k.each(k.zero, k.index(columns), kPair, [&](Value p) {
      finish(multiply(outputGates, t, state, p, k.index(states / kPair)),
             finished, k.zero, p);
      finish(multiply(weights, t, inputs, p, k.plus(blocks, 1)), others, k.zero,
             p);
    });
    Value count =
        arith::MinUIOp::create(b, loc, k.minus(rows.count, t), k.index(kPair));
    eachFinished(count, [&](Value r, Value p, VectorType type) {
      Value at = k.plus(t, r), row = k.plus(rows.first, at);
      Value y = k.fused(k.read(k.fromStart, at), k.load(type, finished, {r, p}),
                        k.load(type, others, {r, p}));
      if (k.op.getSkip()) {
        y = k.fused(k.read(k.op.getSkip(), h),
                    k.load(type, k.op.getX(), {row, h, p}), y);
      }
      k.store(y, k.op.getY(), {row, h, p});
    });
  });
}

/// The state after the chunk.
void SSDProductsAMX::carry(const SSDRows &rows, Value h) {
  Value whole = k.read(k.fromStart, k.minus(rows.count, k.one));
  Value blocks = arith::CeilDivUIOp::create(b, loc, rows.count, k.index(kPair));
  k.each(k.zero, k.index(k.stateSize), kPair, [&](Value n) {
    k.each(k.zero, k.index(columns), kPair, [&](Value p) {
      finish(multiply(turnedGates, n, lasting, p, blocks), finished, k.zero, p);
    });
    Value count = arith::MinUIOp::create(
        b, loc, k.minus(k.index(k.stateSize), n), k.index(kPair));
    eachFinished(count, [&](Value r, Value p, VectorType type) {
      Value at = k.plus(n, r);
      Value old = k.load(type, k.op.getState(), {h, at, p});
      Value added = k.load(type, finished, {r, p});
      k.store(k.fused(whole, old, added), k.op.getState(), {h, at, p});
    });
  });
}
