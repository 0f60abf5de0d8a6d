// What a block does with the experts of a row and head, part by part.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTKERNELS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTKERNELS_H

#include "Builder/TileBuilder.h"
#include "Strategy/Strategy.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

namespace cheems::tile {

/// A row of numbers per row of a tile: scores as their bits, so that no bit of
/// them is lost, and what they are of.
struct ScoredList {
  Value bits, ids; ///< i32 tiles of one type
};

/// Extents of a retrieval: K keys per half, of which `kept` are in pairs, and k
/// experts.
struct RetrievalForm {
  int64_t keys, experts;
  bool ascending;
  int64_t kept() const { return std::min(keys, experts); }
};

/// scores[t, half, h, n] = sum over d of queries[t, half, h, d] * keys[half, h,
/// d, n].
bool isMatmulWithKeys(linalg::GenericOp op);

/// sums + the product of a query and a key for each d, ascending: a number per
/// row, and one per column or element of the tile. `most` of the d at most, or
/// a part of them that divides all, are loaded before the first one is
/// multiplied.
Value addMatmulsWithKeys(TileBuilder &t, int64_t depth, int64_t most,
                         Value sums, function_ref<Value(Value d)> query,
                         function_ref<Value(Value d)> key);

/// The tile of a block's rows.
RankedTensorType tileOf(TileBuilder &t, RowTileAttr s, Type element);

/// The half that a row of a tile has.
Value halfOf(TileBuilder &t, RankedTensorType like);

/// Bits of scores, of both halves in turn along the rows of `type`.
using ScoreBits = function_ref<Value(TileBuilder &t, RankedTensorType type)>;
/// From memory [T, 2, H, K].
Value loadScores(TileBuilder &t, RankedTensorType type, Value scores, Value row,
                 Value head);

/// The scores of a row and head in shared memory, by f32.
struct ScoreBuffer {
  Value buffer;
  static ScoreBuffer alloc(TileBuilder &t, ExpertsStrategyAttr s);
  /// Computes them from memory: `queries` [T, 2, H, d], `keys` [2, H, d, K].
  void compute(TileBuilder &t, ExpertsStrategyAttr s, Value queries, Value keys,
               Value row, Value head) const;
  Value bits(TileBuilder &t, RankedTensorType type) const;
};

/// Shared memory of a retrieval.
struct RetrievalBuffers {
  Value keys; ///< bits and ids of both halves' best
  /// Bits and ids of the best pairs; null if all pairs are ranked at once.
  Value best;
  static RetrievalBuffers alloc(TileBuilder &t, ExpertsStrategyAttr s,
                                const RetrievalForm &form);
};

/// How many pairs of keys `s.getPairs()` has.
int64_t rankedPairs(const RetrievalForm &form);
/// The experts of a row and head, in order, in each row of `s.getPairs()`.
ScoredList retrieve(TileBuilder &t, ExpertsStrategyAttr s,
                    const RetrievalForm &form, const RetrievalBuffers &buffers,
                    ScoreBits scores);

/// What the experts of a row add up to.
struct Mixing {
  ExpertsStrategyAttr s;
  int64_t experts, columns;
  ScorePlacement placement;
  Activation activation;
  Value x, down, up; ///< memory [T, D], [E, D], [E, D]
  /// Memory [E] or [E, 1], of quantized tables; null of others.
  Value downScales, upScales;
  Value buffer = {};                ///< ids and factors of a head's experts
  Value downRing = {}, upRing = {}; ///< rows that were prefetched
  Value row = {}, input = {};

  void allocate(TileBuilder &t);
  /// Loads the row of x.
  void begin(TileBuilder &t, Value row);
  /// Sums with those of a head; each thread has those of its experts.
  Value add(TileBuilder &t, Value sums, const ScoredList &list);
  /// No sums yet.
  Value zero(TileBuilder &t);
  /// Stores the sum of all of them into a row of memory [T, D].
  void store(TileBuilder &t, Value sums, Value target);

private:
  /// What threads hold of a step's experts, one per row of `s.getTables()`.
  struct Rows {
    Value down, up;
  };

  RankedTensorType tableType(TileBuilder &t, Type element);
  int64_t aligned() const;
  int64_t steps() const;
  /// A stage of the buffer for each expert of a step.
  Value ofStep(TileBuilder &t, Value step, int64_t stage);
  /// Begins to copy the rows of a step.
  void fetch(TileBuilder &t, Value step);
  void fetchFirst(TileBuilder &t);
  Rows rowsOf(TileBuilder &t, Value step, Value id);
  Value addStep(TileBuilder &t, Value step, Value sums);
};

} // namespace cheems::tile

#endif
