// The kernel of mix_experts: columns of rows, a piece of experts, and what of
// them is an iteration.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_EXPERTS_EXPERTMIXING_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_EXPERTS_EXPERTMIXING_H

#include "KernelBuilder.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems {

struct Mixing : KernelBuilder {
  static constexpr int64_t kLanes = 16;
  /// Experts of a piece. The bits depend on it, and on nothing else here.
  static constexpr int64_t kPiece = 8;

  MixExpertsOp op;
  int64_t size, heads, count; ///< D, H, k
  int64_t sums;               ///< products summed side by side
  int64_t step;               ///< vectors of columns: whole lines of a row
  VectorType lanes;           ///< 16 x f32
  bool deinterleaved;         ///< tables are bf16
  cpu::ExpertsStrategyAttr strategy;

  Mixing(OpBuilder &b, MixExpertsOp op, const VectorUnit &unit);

  /// Makes the loops over rows, over pieces of them, or over groups of rows, as
  /// the strategy says.
  void lower();

private:
  // ExpertColumns.cpp
  Value zeros() { return zeroOf(lanes); }
  /// 16 elements from [at..., d], widened; with a mask, zero where it is not
  /// set.
  Value load(Value buffer, ValueRange at, Value d, Value mask);
  void store(Value value, Value buffer, ValueRange at, Value d, Value mask);
  /// Columns [d, d + 16 vectors) of x, or of a row of a table: each two vectors
  /// of bf16 tables are the even and the odd columns, which a shift and a mask
  /// widen, of x then as well.
  SmallVector<Value> columnsOfX(Value t, Value d, int64_t vectors, Value mask);
  SmallVector<Value> columnsOfRow(Value table, Value row, Value d,
                                  int64_t vectors, Value mask);
  /// The same vectors with their columns in order.
  SmallVector<Value> inOrder(ValueRange vectors);
  bool isDeinterleaved(size_t vectors) const {
    return deinterleaved && vectors % 2 == 0;
  }
  /// Columns in steps of `most` vectors, then of whole lines, then one vector
  /// by one, then what is left, under a mask in a vector that ends where the
  /// row does: body(first column, vectors, mask, state).
  SmallVector<Value> columns(
      int64_t most, ValueRange init,
      function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)> body);
  SmallVector<Value>
  columns(ValueRange init,
          function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)>
              body) {
    return columns(step, init, body);
  }
  /// Asks for the lines of `rows` that columns [d, d + columns) begin in.
  void fetch(Value table, ValueRange rows, Value d, int64_t columns);
  void fetchScales(ValueRange rows);
  /// Asks for all of the rows of both tables.
  void fetchAll(ValueRange rows);
  /// The sums of the vectors' lanes, one lane per vector: halves of what is
  /// left of each are added until it is one lane.
  Value addLanes(SmallVector<Value> vectors);

  // ExpertPiece.cpp
  /// A softmax over a head's scores: its highest, and the sum of the powers.
  struct Softmax {
    Value highest, total;
  };
  using Write = function_ref<void(Value sum, Value d, Value mask)>;
  Value lowest(VectorType type);
  Value expert(Value t, Value h, Value i);
  SmallVector<Value> experts(Value t, Value h, Value first, int64_t n);
  /// x[t] . down[e] of the experts in `rows`, a lane each and maybe more
  /// after, t one for all or one each; meanwhile the lines of `next` are asked
  /// for.
  Value hits(ValueRange tokens, ValueRange rows, ValueRange next);
  /// Lanes times the scales of `rows` in `down` or `up`, where tables have
  /// scales.
  Value scaled(Value values, bool up, ValueRange rows);
  /// Scores of the experts from i on; -infinity past the last.
  Value scores(Value t, Value h, Value i, int64_t width);
  Value power(Value score, Value highest);
  Softmax softmax(Value t, Value h);
  /// The weights of the experts from `first` on, of their hits.
  Value weights(Value t, Value h, Value first, Value hits,
                const Softmax &softmax);
  /// `n` experts of a head from `first` on: `write` gets the sum of their
  /// weighted rows, 16 columns at a time. `after` is the row whose experts are
  /// read next, or null.
  void piece(Value t, Value h, Value first, int64_t n, const Softmax &softmax,
             Value after, Write write);

  // ExpertGroups.cpp
  /// Rows whose experts are read in the order of their ids, and the lists of
  /// that. A pair is ((t - from) * H + h) * k + i.
  struct Group {
    Value from, rows, pairs; ///< first row; how many rows and pairs
    Value start;             ///< the index of an expert's next pair
    Value expert, pair;      ///< by index; in the end the pair's piece
    Value weight;            ///< by pair: its product, then its weight
    Value share;             ///< by index: the weight
    Value sum;               ///< by piece: a strip of columns
  };
  /// A list's element as an index.
  Value number(Value list, Value i);
  void setNumber(Value list, Value i, Value number);
  SmallVector<Value> numbers(Value list, Value first, int64_t n);
  void eachPair(const Group &group,
                function_ref<void(Value pair, Value expert)> body);
  void sortPairs(const Group &group);
  void multiplyPairs(const Group &group);
  void weighPairs(const Group &group);
  void placeWeights(const Group &group);
  void addPairs(const Group &group);
  /// Groups of `most` rows, the last one of what is left.
  void mixGroups(Value rows, int64_t most);

  // ExpertMixing.cpp
  int64_t full() const { return count / kPiece; }
  int64_t rest() const { return count % kPiece; }
  int64_t pieces() const { return full() + (rest() ? 1 : 0); }
  void parallel(ArrayRef<OpFoldResult> counts,
                function_ref<void(ValueRange)> body);
  void addTo(Value t, Value sum, Value d, Value mask);
  /// All of a row's experts, a head after the other.
  void row(Value t, Value after);
  void mixRows(Value rows);
  /// Rows that are on their own, each by one thread.
  void mixAlone(Value rows);
  /// A piece of a row that is on its own: its rows are asked for first.
  void pieceAlone(Value t, Value h, Value first, int64_t n, Write write);
  void mixPieces(Value rows);
  /// Adds a row's pieces to y, in order.
  void addPieces(Value partial, Value t, int64_t all);
  /// The row count of the step, no less than the rows of x.
  Value mostRows();
};

} // namespace cheems

#endif
