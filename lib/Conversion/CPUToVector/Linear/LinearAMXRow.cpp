// Matmuls of a single row in the order of tiles, by fused multiply-adds.
//
// tdpbf16ps sums its 32 k in two chains of fused multiply-adds, one of the even
// k and one of the odd k. Then it adds both to the sum so far. This code does
// the same, so a row alone has the bits that tiles give it among others. The
// instruction also takes denormals for zeros and makes none. Here MXCSR does
// that. The weights are read as vectors: with one row, the time is that of
// reading memory, and loads of tiles are slower.
#include "LinearFMA.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kPairs = 16; ///< of k in a block

struct SingleRow {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  FMATile tile;
  Value row;

  SingleRow(LinearKernel &kernel, Value row)
      : k(kernel), b(kernel.b), loc(kernel.loc), tile(kernel), row(row) {}

  /// Adds a block of `count` pairs from `first` on to `sums`.
  void add(ArrayRef<FMATile::Stream> streams, Value first, int64_t count,
           MutableArrayRef<Value> sums) {
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    SmallVector<Value> inits(2 * streams.size(), zeros);
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(count), k.one, inits,
        [&](OpBuilder &, Location, Value i, ValueRange before) {
          SmallVector<Value> chains(before);
          Value pair = arith::AddIOp::create(b, loc, first, i);
          Value from = arith::MulIOp::create(b, loc, pair, k.index(2));
          SmallVector<Value, 2> inputs;
          for (int64_t half = 0; half < 2; ++half) {
            Value scalar =
                memref::LoadOp::create(b, loc, row, k.add(from, half));
            inputs.push_back(
                vector::BroadcastOp::create(b, loc, k.column, scalar));
          }
          for (auto [s, stream] : llvm::enumerate(streams)) {
            SmallVector<Value> columns = tile.load(stream, pair);
            for (int64_t half = 0; half < 2; ++half) {
              Value &chain = chains[2 * s + half];
              chain = vector::FMAOp::create(b, loc, inputs[half], columns[half],
                                            chain);
            }
          }
          scf::YieldOp::create(b, loc, chains);
        });
    for (auto [s, sum] : llvm::enumerate(sums)) {
      Value even = loop.getResult(2 * s), odd = loop.getResult(2 * s + 1);
      if (count < kPairs) {
        // What fills up a tile's last block makes a zero positive.
        even = arith::AddFOp::create(b, loc, even, zeros);
        odd = arith::AddFOp::create(b, loc, odd, zeros);
      }
      Value both = arith::AddFOp::create(b, loc, even, odd);
      sum = arith::AddFOp::create(b, loc, sum, both);
    }
  }

  SmallVector<Value> multiply(ArrayRef<FMATile::Stream> streams) {
    int64_t pairs = k.size / 2, blocks = pairs / kPairs;
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    SmallVector<Value> sums(streams.size(), zeros);
    if (blocks) {
      auto loop = scf::ForOp::create(
          b, loc, k.zero, k.index(blocks * kPairs), k.index(kPairs), sums,
          [&](OpBuilder &, Location, Value first, ValueRange before) {
            SmallVector<Value> after(before);
            add(streams, first, kPairs, after);
            scf::YieldOp::create(b, loc, after);
          });
      sums.assign(loop.result_begin(), loop.result_end());
    }
    if (pairs % kPairs) {
      add(streams, k.index(blocks * kPairs), pairs % kPairs, sums);
    }
    return sums;
  }

  void run() {
    int64_t matrices = k.weights.size(), width = kStreams / matrices;
    width = std::min(width, k.panelCount().value_or(width));
    Value panelSums = memref::AllocOp::create(
        b, loc, MemRefType::get({width, matrices, k.kColumns}, b.getF32Type()));
    k.each(k.zero, k.panels, width, [&](Value n) {
      SmallVector<FMATile::Stream> streams;
      for (Value panel : k.panelsFrom(n, width)) {
        for (int64_t weight = 0; weight < matrices; ++weight) {
          streams.push_back({weight, panel, {}});
        }
      }
      for (auto [s, sum] : llvm::enumerate(multiply(streams))) {
        vector::StoreOp::create(
            b, loc, sum, panelSums,
            ValueRange{k.index(s / matrices), k.index(s % matrices), k.zero});
      }
      Value left = arith::SubIOp::create(b, loc, k.panels, n);
      Value count = arith::MinUIOp::create(b, loc, left, k.index(width));
      k.each(k.zero, count, 1, [&](Value p) {
        SmallVector<Value> sums;
        for (int64_t weight = 0; weight < matrices; ++weight) {
          sums.push_back(
              vector::LoadOp::create(b, loc, k.column, panelSums,
                                     ValueRange{p, k.index(weight), k.zero}));
        }
        k.store(k.zero, arith::AddIOp::create(b, loc, n, p), sums);
      });
    });
  }
};
} // namespace

void cheems::lowerLinearAMXRow(LinearKernel &kernel, Value row) {
  SingleRow(kernel, row).run();
}
