// How far a compiled model may be from its evaluation.
//
// Evaluation rounds what the artefact rounds, so what is left is f32's error,
// and numbers near the middle of two that f32 takes the other way. Those are
// known one by one: where a row differs by more than f32's error, some of them
// must explain it, all other numbers staying as they are.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_AGREEMENT_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_AGREEMENT_H

#include "cheems/Reference/Model.h"
#include "cheems/Reference/TieWatch.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include <string>

namespace cheems::test {

/// What logits may differ by, in their standard deviation: f32's error.
double bound(const ModelDescription &model, int64_t length);

struct Sequence {
  std::vector<int64_t> ids;
  reference::Tensor logits;
  int64_t firm = 0; ///< rows whose keys and experts f32 cannot change
  std::vector<int64_t> turned = {}; ///< ties that go the other way
};

/// One checkpoint under one rounding.
class Evaluator {
public:
  Evaluator(const Checkpoint &checkpoint, reference::Rounding rounding)
      : checkpoint(checkpoint), rounding(rounding) {}

  Sequence evaluate(std::vector<int64_t> ids,
                    std::vector<int64_t> turned = {}) const;

  /// Draws some sequences and returns the first with nearly all rows firm, or
  /// the one with the most: where masks or scores are nearly equal, f32 may
  /// take another key or expert, and be right too. `tokens` is how many
  /// different ones are drawn from; 0: that is drawn, too.
  Sequence draw(Random &random, int64_t length, int64_t tokens = 0) const;

  struct Agreement {
    double error = 0.0;   ///< the largest, in standard deviations
    double allowed = 1.0; ///< there
    int64_t ties = 0;     ///< numbers near one, where they were asked for
    std::vector<int64_t> turned = {}; ///< of them those that went the other way
    bool holds() const { return error <= allowed; } // false of a NaN
  };
  /// Compares the firm rows of sequence `b` of the artefact's logits.
  Agreement compare(const reference::Tensor &got, int64_t b,
                    const Sequence &want) const;

  /// Roundings that one artefact made the other way, read off what it stored.
  struct Turned {
    std::vector<int64_t> roundings; ///< as a TieWatch counts them
    double farthest = 0.0;          ///< from its tie, as in NearTie
    std::string unexplained; ///< names the first number that is not at a tie
  };
  /// Whether keys and values are all that is rounded.
  bool roundsEntriesOnly() const;
  /// Holds keys and values of an artefact, as ModelEvaluation::entries, against
  /// those evaluated, which must be all that is rounded: any that differs must
  /// be near a tie, and beside it.
  Turned turnedEntries(const std::vector<int64_t> &ids,
                       const std::vector<reference::Tensor> &stored) const;

private:
  double boundOf(const Sequence &sequence) const;
  std::vector<double> boundsOfRows(const Sequence &sequence) const;
  bool roundsPairsOfRows() const;
  size_t affordableTrials(int64_t length) const;
  /// Logits with some roundings the other way, and those that are near a tie.
  std::pair<reference::Tensor, std::vector<reference::NearTie>>
  turn(const Sequence &sequence, std::vector<int64_t> others) const;
  Agreement withTies(const reference::Tensor &got, int64_t b,
                     const Sequence &want,
                     std::vector<reference::NearTie> ties) const;
  Agreement amongTies(const reference::Tensor &got, int64_t b,
                      const Sequence &want,
                      const std::vector<reference::NearTie> &ties) const;

  const Checkpoint &checkpoint;
  reference::Rounding rounding;
};

} // namespace cheems::test

#endif
