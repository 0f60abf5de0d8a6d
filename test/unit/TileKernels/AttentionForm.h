// A step of attention: its text, its inputs, and how far off it may be.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_ATTENTIONFORM_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_ATTENTIONFORM_H

#include "Cases.h"
#include "cheems/Reference/Segments.h"

namespace cheems::test {

/// What is compiled: heads of queries, keys, entries and masks, their size.
struct AttentionForm {
  int64_t queries, keys, states, masks, size;
  Number stored;
  bool oneRow;
  MaskKind kind = MaskKind::Bias;
  int64_t keep = 0;               ///< 0: all
  double hideBelow = 0;           ///< of kind threshold
  std::vector<bool> visible = {}; ///< heads of A; empty: masks are given
  int64_t window = 0;             ///< rows that a row sees at most; 0: all

  double scale() const { return 1 / std::sqrt(static_cast<double>(size)); }
  bool isQuantized() const { return stored == Number::I8; }
  /// Whether there are masks. If not, `masks` is the number of heads that store
  /// entries.
  bool isMasked() const { return kind != MaskKind::None; }
  /// Rows have masks of their own.
  bool givesMasks() const { return isMasked() && visible.empty(); }
  /// Rows that no head sees are not stored.
  bool counts() const { return kind == MaskKind::Threshold && visible.empty(); }
  std::string rowsType(int64_t heads) const;
  /// [T, M]
  std::string maskType() const;
  /// Returns the types of all pools, with commas between.
  std::string poolTypes() const;
  /// %keys and so on, with their types.
  std::string poolArguments() const;
  /// The op on %q, %key, %value, %mask and the pools, as %r.
  std::string opText() const;
  /// %r#1 and so on: the pools after it.
  std::string poolResults() const;
};

/// The function @attend of the op alone.
std::string textOf(const AttentionForm &form);

/// A step's inputs and the pools before it.
struct AttentionStep {
  AttentionForm form;
  std::vector<reference::Segment> segments;
  int64_t slots, capacity, layer;
  reference::Tensor query, key, value, mask;
  reference::Tensor keys, values, masks; ///< pools; NaN where nothing is stored
  /// These have no elements unless they exist.
  reference::Tensor positions, keyScales, valueScales, counts;

  int64_t rows() const { return query.shape[0]; }
};

/// \param most rows that a sequence has before the step.
AttentionStep drawnStep(const AttentionForm &form, Random &random,
                        int64_t sequences, int64_t longest, int64_t most);

Array tableOf(const std::vector<reference::Segment> &segments, bool oneRow);

struct AttentionOutcome {
  Array y, keys, values, masks, positions, keyScales, valueScales, counts;
  /// Before a step.
  explicit AttentionOutcome(const AttentionStep &step);
};

std::optional<AttentionOutcome>
run(TileModule &module, const AttentionStep &step,
    const std::vector<reference::Segment> &segments,
    const AttentionOutcome *before = nullptr);

/// The bits of the outputs of some rows.
std::vector<unsigned char> rowsOf(const Array &y, int64_t start,
                                  int64_t length);

/// The pools have what the evaluator stores, bit for bit; a window's entries in
/// any order.
void expectPools(const AttentionStep &step, const AttentionOutcome &got);
/// Outputs are as near as the numbers allow.
/// \param ofScores how far off scores may be because of the query.
/// \param ofResult the relative error of a rounded output.
void expectOutputs(const AttentionStep &step, const AttentionOutcome &got,
                   double ofScores = 0, double ofResult = 0);

} // namespace cheems::test

#endif
