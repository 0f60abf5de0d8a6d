// A step of state-space duality: its text, its inputs, and how far off it may
// be.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_SSDFORM_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_SSDFORM_H

#include "Cases.h"
#include "cheems/Reference/Segments.h"

namespace cheems::test {

/// What a prompt's matmuls multiply.
enum class Factors { F32, Pairs, BF16 };

/// What is compiled.
struct SSDForm {
  int64_t heads, groups, states, size;
  bool skip;
  Factors factors; ///< that the op allows
  bool oneRow;
  bool roundsOutput = false; ///< of a prompt
  /// A row alone is never rounded.
  Factors used() const { return oneRow ? Factors::F32 : factors; }
  /// Returns the type of x, b and c.
  Number inputs() const {
    return used() == Factors::BF16 ? Number::BF16 : Number::F32;
  }
};

/// The function @ssd of the op alone.
std::string textOf(const SSDForm &form);

/// A step's inputs and the pool before it.
struct SSDStep {
  SSDForm form;
  std::vector<reference::Segment> segments;
  int64_t layer;
  reference::SSDInputs inputs;
  reference::Tensor pool; ///< NaN where a sequence has no state yet

  int64_t rows() const { return inputs.x.shape[0]; }
};

SSDStep drawnStep(const SSDForm &form, Random &random, int64_t sequences,
                  int64_t longest);

struct SSDOutcome {
  Array y, pool;
  /// Before a step.
  explicit SSDOutcome(const SSDStep &step);
};

std::optional<SSDOutcome> run(TileModule &module, const SSDStep &step,
                              const std::vector<reference::Segment> &segments,
                              const SSDOutcome *before = nullptr);

/// Outputs and states are as near as the numbers allow.
/// \param ofResult the relative error of a rounded output.
void expectNear(const SSDStep &step, const SSDOutcome &got,
                double ofResult = 0);

} // namespace cheems::test

#endif
