// What the kernels of ssd_chunk share: shapes, scratch, small builders, and a
// head's decays.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_SSD_SSD_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_SSD_SSD_H

#include "KernelBuilder.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Rows [first, first + count) of the op's rows; with one row `count` is not
/// read.
struct SSDRows {
  Value first, count;
};

struct SSDKernel : KernelBuilder {
  /// Rows whose decays to each other take an exponential per element. Between
  /// rows that are farther apart, a decay is a product of two.
  static constexpr int64_t kBlock = 16;
  static constexpr int64_t kLeast = 8; ///< columns that are not split further

  cpu::SSDChunkOp op;
  VectorUnit unit;
  int64_t heads, groups, stateSize, headSize;
  int64_t most;   ///< rows of a chunk
  int64_t padded; ///< the same in whole pairs of blocks
  int64_t
      rowExtent; ///< of a row's values where a tile may begin before the end
  Value zero, one;
  /// These belong to a head, [rowExtent]: logarithm of the decay from before
  /// the chunk up to a row (f64), that decay, step, decay from a row to the
  /// last times step.
  Value logarithm, fromStart, steps, toEnd;
  Value near; ///< [rowExtent]: decay from a row to a block of later ones, times
              ///< step

  SSDKernel(OpBuilder &b, cpu::SSDChunkOp op, const VectorUnit &unit,
            int64_t most);

  Value read(Value buffer, ValueRange at) {
    return memref::LoadOp::create(b, loc, buffer, at);
  }
  void write(Value value, Value buffer, ValueRange at) {
    memref::StoreOp::create(b, loc, value, buffer, at);
  }
  Value load(VectorType type, Value buffer, ValueRange at) {
    return vector::LoadOp::create(b, loc, type, buffer, at);
  }
  void store(Value value, Value buffer, ValueRange at) {
    vector::StoreOp::create(b, loc, value, buffer, at);
  }
  /// sum + scalar * row
  Value fused(Value scalar, Value row, Value sum) {
    return vector::FMAOp::create(
        b, loc, spread(cast<VectorType>(row.getType()), scalar), row, sum);
  }
  Value allocate(ArrayRef<int64_t> shape, Type element) {
    return memref::AllocOp::create(b, loc, MemRefType::get(shape, element));
  }
  /// Has `count` columns of a row come nearer: rows are pages apart, which the
  /// processor does not foresee. A row may lie after the last one.
  void fetch(Value buffer, ArrayRef<Value> at, int64_t count,
             bool isWrite = false);
  /// The row of x from which the head after `h` reads, and that head: of the
  /// next chunk, after the last one.
  std::pair<Value, Value> nextHead(const SSDRows &rows, Value h);
  /// Head `h`'s share of row `row` of the next chunk's c and b, which lie there
  /// group after group.
  void fetchGates(const SSDRows &rows, Value h, Value row);
  /// Returns where row `row` of the chunk is in the op's operands; past the
  /// last one, the last one.
  Value clamped(const SSDRows &rows, Value row) {
    Value last = sub(rows.count, one);
    return add(rows.first, arith::MinUIOp::create(b, loc, row, last));
  }
  /// A loop over [from, to), four steps at a time where there are as many:
  /// body(i, offset, sums) is about i + offset. `from` is a multiple of four.
  SmallVector<Value> loopFours(
      Value from, Value to, ValueRange inits,
      llvm::function_ref<SmallVector<Value>(Value, int64_t, ValueRange)> body);
  /// body(first, vector) for all columns of the head: whole tiles, then halves
  /// of them, then the few that are left.
  void columns(int64_t most, llvm::function_ref<void(Value, VectorType)> body);

  /// Exponential of f64 logarithms; only here are they rounded to f32.
  Value decay(Value logarithms);

  /// Room for a head's decays.
  void allocateDecays();
  /// A head's decays over the rows.
  void decays(const SSDRows &rows, Value h);
  /// What the rows of the block at `t` have in common, for `near`.
  void blockDecays(Value t);
};

/// One row, the recurrence: a single pass over the state.
void emitSSDRow(SSDKernel &kernel, Value t, Value h, Value g);

/// Chunks as matmuls: of f32 on register tiles.
class SSDMatmulsFMA {
public:
  explicit SSDMatmulsFMA(SSDKernel &kernel);
  /// What the heads of group `g` share.
  void group(const SSDRows &rows, Value g);
  /// y and the state of head `h`, whose decays are there.
  void head(const SSDRows &rows, Value h, Value g);

private:
  SSDKernel &k;
  OpBuilder &b;
  Location loc;
  int64_t height;                  ///< rows of a tile
  int64_t width;                   ///< columns of a tile
  int64_t stateHeight, stateWidth; ///< the same, of the state's tiles
  int64_t pitch;                   ///< of a row of outputGates
  Value outputGates;               ///< c transposed [N, padded], row after row
  Value products; ///< of b and c, [padded, padded]: row u, column t
  Value weights;  ///< the same, decayed
  Value lasting;  ///< x decayed to the last row: [padded, P], likewise

  /// Column `column` of row i + offset of such scratch. What offsets add is a
  /// constant of an address, and no instruction.
  Value flat(Value i, int64_t offset, int64_t pitch, Value column);
  void transposeGates(const SSDRows &rows, Value g);
  void multiplyGates(const SSDRows &rows, Value g);
  void weigh(const SSDRows &rows);
  void decayInputs(const SSDRows &rows, Value h);
  void output(const SSDRows &rows, Value h, Value p, VectorType type);
  void carry(const SSDRows &rows, Value h, Value g, Value p, VectorType type);
};

/// The same with factors rounded to bf16, on tiles. What y and the state begin
/// with is where their tiles' sums begin: neither is gone over afterwards.
class SSDMatmulsAMX {
public:
  explicit SSDMatmulsAMX(SSDKernel &kernel);
  void group(const SSDRows &rows, Value g);
  void head(const SSDRows &rows, Value h, Value g);

private:
  SSDKernel &k;
  OpBuilder &b;
  Location loc;
  int64_t states, columns; ///< N and P in whole pairs of tiles
  Value outputGates;       ///< c, [padded, states]
  Value decayedGates;      ///< c decayed from before the chunk: [32, states]
  Value inputGates;        ///< b in pairs along N: [states / 2, 2 * padded]
  Value transposedGates;   ///< b transposed: [states, padded]
  Value products;          ///< c * b^T, f32 [padded, padded]
  Value weights;           ///< the same, decayed: [padded, padded]
  Value inputs, lasting;   ///< x, x decayed to the last row, in pairs along the
                           ///< rows: [padded / 2, 2 * columns]
  Value state;             ///< before the chunk, in pairs along N
  Value tileSums;          ///< [32, columns] f32, of tiles
  Value within;            ///< [16]: decay from before a block to its rows

  Value load(Value buffer, ArrayRef<Value> at, Value column, int64_t there);
  void store(Value values, Value buffer, ArrayRef<Value> at, Value column,
             int64_t there);
  Value round(Value low, Value high);
  Value pairs(Value even, Value odd);
  /// body(column, how many columns there are) for `step` columns at a time up
  /// to `rowExtent`, of which `extent` are there.
  void blocks(int64_t extent, int64_t rowExtent, int64_t step,
              llvm::function_ref<void(Value, int64_t)> body);
  /// Adds to sums of 32 rows by 32 columns the products of rows of `left` from
  /// `row` on with columns of `right` from `column` on, over the k of `blocks`
  /// blocks of 32.
  SmallVector<Value> multiply(ValueRange sums, Value left, Value row,
                              Value right, Value column, Value blocks);
  SmallVector<Value> zeros();
  void storeRows(ValueRange sums, Value buffer, Value row, Value column);
  /// Row `from` of c, times `decay` where there is one, is row `to` of `gates`.
  void roundGates(Value from, Value g, Value gates, Value to, Value decay);
  void multiplyGates(const SSDRows &rows);
  void weigh(const SSDRows &rows, Value h);
  void transposeGates(const SSDRows &rows, Value g);
  void packInputs(const SSDRows &rows, Value h);
  void packAndUpdateState(const SSDRows &rows, Value h, Value n, Value whole);
  void carry(const SSDRows &rows, Value h);
  void output(const SSDRows &rows, Value h, Value g);
};

} // namespace cheems

#endif
