// The matmuls of an SSD chunk on AMX tiles. Factors are rounded to bf16, and
// sums are f32. Sums of 32 rows by 32 columns are made at once: four tiles,
// from two tiles of either factor. If the last tiles are not full, what is
// missing is zero where it would be summed. Missing rows and columns of the
// result may hold anything.
//
// A right factor is stored in pairs along what is summed, a left factor in rows
// (SSDAMXPack.cpp).
#include "SSD.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace cheems;

namespace {
constexpr int64_t kTile = 16; ///< rows, and columns of f32
constexpr int64_t kPair = 32; ///< rows and columns of sums at once, and the k
                              ///< of a block
} // namespace

SSDMatmulsAMX::SSDMatmulsAMX(SSDKernel &kernel)
    : k(kernel), b(kernel.b), loc(kernel.loc),
      states(llvm::alignTo(kernel.stateSize, kPair)),
      columns(llvm::alignTo(kernel.headSize, kPair)) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  outputGates = k.allocate({k.padded, states}, bf16);
  decayedGates = k.allocate({kPair, states}, bf16);
  inputGates = k.allocate({states / 2, 2 * k.padded}, bf16);
  transposedGates = k.allocate({states, k.padded}, bf16);
  products = k.allocate({k.padded, k.padded}, f32);
  weights = k.allocate({k.padded, k.padded}, bf16);
  inputs = k.allocate({k.padded / 2, 2 * columns}, bf16);
  lasting = k.allocate({k.padded / 2, 2 * columns}, bf16);
  state = k.allocate({states / 2, 2 * columns}, bf16);
  tileSums = k.allocate({kPair, columns}, f32);
  within = k.allocate({SSDKernel::kBlock}, f32);
}

void SSDMatmulsAMX::group(const SSDRows &rows, Value g) {
  k.each(k.zero, rows.count, 1, [&](Value t) {
    roundGates(k.add(rows.first, t), g, outputGates, t, Value());
  });
  transposeGates(rows, g);
  multiplyGates(rows);
}

void SSDMatmulsAMX::head(const SSDRows &rows, Value h, Value g) {
  packInputs(rows, h);
  weigh(rows, h);
  carry(rows, h);
  output(rows, h, g);
}

SmallVector<Value> SSDMatmulsAMX::zeros() {
  auto sums = amx::TileType::get({kTile, kTile}, b.getF32Type());
  // Each is a register of its own: copies of one zero would go through memory.
  SmallVector<Value> result;
  for (int64_t s = 0; s < 4; ++s) {
    result.push_back(amx::TileZeroOp::create(b, loc, sums));
  }
  return result;
}

SmallVector<Value> SSDMatmulsAMX::multiply(ValueRange sums, Value left,
                                           Value row, Value right, Value column,
                                           Value blocks) {
  auto sum = amx::TileType::get({kTile, kTile}, b.getF32Type());
  auto factor = amx::TileType::get({kTile, kPair}, b.getBF16Type());
  Value across = k.add(column, column);
  return k.loop(k.zero, blocks, 1, sums, [&](Value i, ValueRange before) {
    Value from = arith::MulIOp::create(b, loc, i, k.index(kPair));
    Value pair = arith::MulIOp::create(b, loc, i, k.index(kTile));
    SmallVector<Value> after, rights;
    for (int64_t t = 0; t < 2; ++t) {
      Value rowTile = amx::TileLoadOp::create(
          b, loc, factor, left, ValueRange{k.add(row, t * kTile), from});
      for (int64_t s = 0; s < 2; ++s) {
        if (t == 0) {
          rights.push_back(amx::TileLoadOp::create(
              b, loc, factor, right,
              ValueRange{pair, k.add(across, s * kPair)}));
        }
        after.push_back(amx::TileMulFOp::create(b, loc, sum, rowTile, rights[s],
                                                before[2 * t + s]));
      }
    }
    return after;
  });
}

void SSDMatmulsAMX::storeRows(ValueRange sums, Value buffer, Value row,
                              Value column) {
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t s = 0; s < 2; ++s) {
      amx::TileStoreOp::create(
          b, loc, buffer,
          ValueRange{k.add(row, t * kTile), k.add(column, s * kTile)},
          sums[2 * t + s]);
    }
  }
}

/// products[t, u] for u <= t, and others of the same tiles.
void SSDMatmulsAMX::multiplyGates(const SSDRows &rows) {
  k.each(k.zero, rows.count, kPair, [&](Value t) {
    k.each(k.zero, k.add(t, 1), kPair, [&](Value u) {
      storeRows(multiply(zeros(), outputGates, t, inputGates, u,
                         k.index(states / kPair)),
                products, t, u);
    });
  });
}

/// weights[t, u] for u <= t, zeros for later u of the same block of 32. A row's
/// own weight holds the skip, too.
void SSDMatmulsAMX::weigh(const SSDRows &rows, Value h) {
  constexpr int64_t block = SSDKernel::kBlock;
  VectorType type = k.vectorOf(block), wide = type.clone(b.getF64Type());
  Value lanes = vector::StepOp::create(
      b, loc, VectorType::get({block}, b.getIndexType()));
  Value skip =
      k.op.getSkip() ? k.spread(type, k.read(k.op.getSkip(), h)) : Value();
  auto half = [&](Value pair, bool odd) {
    Value first = k.add(pair, odd ? block : 0);
    k.blockDecays(first);
    Value last = arith::MaxUIOp::create(b, loc, first, k.one);
    Value until = k.read(k.logarithm, k.sub(last, k.one));
    Value l = k.load(wide, k.logarithm, first);
    k.store(k.decay(arith::SubFOp::create(b, loc, l, k.spread(wide, until))),
            within, k.zero);
    Value steps = k.load(type, k.steps, first);
    Value end = arith::MinUIOp::create(b, loc, k.add(first, block), rows.count);
    k.each(first, end, 1, [&](Value t) {
      k.fetch(k.op.getY(), {k.add(rows.first, t), h, k.zero}, k.headSize,
              /*isWrite=*/true);
      Value r = k.sub(t, first);
      Value decay = k.spread(type, k.read(within, r));
      auto weight = [&](Value u, Value factor) {
        return k.mul(k.load(type, products, {t, u}), factor);
      };
      auto earlier = [&](Value u) {
        return weight(u, k.mul(decay, k.load(type, k.near, u)));
      };
      k.each(k.zero, pair, 2 * block, [&](Value u) {
        k.store(round(earlier(u), earlier(k.add(u, block))), weights, {t, u});
      });
      Value power = arith::SubFOp::create(
          b, loc, k.spread(wide, k.read(k.logarithm, t)), l);
      Value own = weight(first, k.mul(k.decay(power), steps));
      Value row = k.spread(cast<VectorType>(lanes.getType()), r);
      auto where = [&](arith::CmpIPredicate is, Value that, Value otherwise) {
        Value mask = arith::CmpIOp::create(b, loc, is, lanes, row);
        return arith::SelectOp::create(b, loc, mask, that, otherwise);
      };
      if (skip) {
        own = where(arith::CmpIPredicate::eq,
                    arith::AddFOp::create(b, loc, own, skip), own);
      }
      own = where(arith::CmpIPredicate::ule, own, k.zeroOf(type));
      k.store(odd ? round(earlier(pair), own) : round(own, k.zeroOf(type)),
              weights, {t, pair});
    });
  };
  k.each(k.zero, rows.count, 2 * block, [&](Value t) {
    half(t, false);
    half(t, true);
  });
}

/// The state after the chunk; that before it goes to `state`, so that it is
/// read and written once.
void SSDMatmulsAMX::carry(const SSDRows &rows, Value h) {
  Value whole = k.read(k.fromStart, k.sub(rows.count, k.one));
  Value blocks = arith::CeilDivUIOp::create(b, loc, rows.count, k.index(kPair));
  k.each(k.zero, k.index(states), kPair, [&](Value n) {
    k.each(k.zero, k.index(columns), kPair, [&](Value p) {
      storeRows(multiply(zeros(), transposedGates, n, lasting, p, blocks),
                tileSums, k.zero, p);
    });
    packAndUpdateState(rows, h, n, whole);
  });
}

void SSDMatmulsAMX::output(const SSDRows &rows, Value h, Value g) {
  auto part = [&](Value t, Value buffer, Value row) {
    Value there =
        arith::MinUIOp::create(b, loc, k.sub(rows.count, t), k.index(kPair));
    k.each(k.zero, there, 1, [&](Value r) {
      Value at = k.add(t, r);
      roundGates(k.add(rows.first, at), g, decayedGates, r,
                 k.read(k.fromStart, at));
    });
    Value blocks = arith::DivUIOp::create(b, loc, t, k.index(kPair));
    k.each(k.zero, k.index(columns), kPair, [&](Value p) {
      // The gates last: they were stored right before.
      SmallVector<Value> sums =
          multiply(zeros(), weights, t, inputs, p, k.add(blocks, 1));
      storeRows(multiply(sums, decayedGates, k.zero, state, p,
                         k.index(states / kPair)),
                buffer, row, p);
    });
    return there;
  };
  Value from = k.zero;
  if (k.headSize == columns) {
    // The head's rows, as tiles take them.
    auto type = cast<MemRefType>(k.op.getY().getType());
    SmallVector<OpFoldResult> offsets{rows.first, h, b.getIndexAttr(0)},
        sizes{rows.count, b.getIndexAttr(1), b.getIndexAttr(k.headSize)},
        strides(3, b.getIndexAttr(1));
    Value y = memref::SubViewOp::create(
        b, loc,
        memref::SubViewOp::inferRankReducedResultType(
            {ShapedType::kDynamic, k.headSize}, type, offsets, sizes, strides),
        k.op.getY(), offsets, sizes, strides);
    from = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, rows.count, k.index(kPair)),
        k.index(kPair));
    k.each(k.zero, from, kPair, [&](Value t) { part(t, y, t); });
  }
  k.each(from, rows.count, kPair, [&](Value t) {
    Value there = part(t, tileSums, k.zero);
    k.each(k.zero, there, 1, [&](Value r) {
      Value at = k.add(rows.first, k.add(t, r));
      k.columns(kTile, [&](Value p, VectorType type) {
        k.store(k.load(type, tileSums, {r, p}), k.op.getY(), {at, h, p});
      });
    });
  });
}
