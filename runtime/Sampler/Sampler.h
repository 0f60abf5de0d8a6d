// Chooses the next token from a row of logits; one sampler per sequence.
#ifndef CHEEMS_RUNTIME_SAMPLER_SAMPLER_H
#define CHEEMS_RUNTIME_SAMPLER_SAMPLER_H

#include "runtime/Sampler/SamplingOptions.h"
#include "runtime/Sampler/TopLogits.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cheems {

/// Where a sampler's random sequence is.
struct RandomState {
  uint64_t seed = 0; ///< it began with
  std::string state; ///< as std::mt19937_64 spells it; none: at its beginning
  /// Whether `state` can be read.
  bool sound() const;
};

class Sampler {
public:
  /// Throws Error(usage) if an option is out of range.
  explicit Sampler(const SamplingOptions &options);

  const SamplingOptions &options() const { return settings; }

  /// Tells the repeat penalty about tokens of the sequence: the prompt's, then
  /// each one chosen. Ids are not negative; ids outside the vocabulary have no
  /// effect.
  void accept(const int32_t *tokens, size_t count);
  void accept(int32_t token) { accept(&token, 1); }
  /// Forgets the accepted tokens (the conversation was rolled back); the random
  /// sequence goes on.
  void forget();

  /// To go on where another sampler stopped.
  RandomState randomState() const;
  /// Throws Error for a state that is not sound.
  void setRandomState(const RandomState &random);

  /// The next token, in [0, vocabulary). Does not accept it. Throws Error if a
  /// logit is NaN or +infinity, or all are -infinity. Allocates only until the
  /// vocabulary's size has been seen.
  int32_t sample(const float *logits, size_t vocabulary);

  /// What `sample` chooses from the whole row, if its best logits tell: nothing
  /// where they do not, and for a row that `sample` throws for. The random
  /// sequence goes on only where a token is chosen.
  std::optional<int32_t> sample(const TopLogits &best);

  /// Of how many logits `sample` may choose without the whole row; 0: of none.
  size_t enough() const;

  /// Probabilities [vocabulary] that `sample` draws from; one-hot when greedy.
  /// Leaves the random sequence as it is.
  std::vector<float> distribution(const float *logits, size_t vocabulary);

private:
  struct Candidate {
    int32_t token;
    double logit; ///< then, after `filter`, its weight: exp(logit - highest)
  };

  bool decides(const TopLogits &best) const;
  void penalise(const float *logits, size_t vocabulary);
  int32_t argmax() const;
  void takeScores();
  void sortByToken();
  void filter(float highest);
  int32_t draw();
  void keepTopK();
  void keepTopP();
  double nextUniform();

  SamplingOptions settings;
  std::mt19937_64 generator;
  std::vector<int32_t> accepted; ///< distinct
  std::vector<bool> isAccepted;  ///< by token id
  std::vector<float> scores;     ///< logits after the repeat penalty
  std::vector<Candidate> candidates;
};

/// What transformers' processors make of `logits` [vocabulary] after `history`
/// (prompt and output): probabilities that sum to 1.
std::vector<float> filteredDistribution(const SamplingOptions &options,
                                        const std::vector<float> &logits,
                                        const std::vector<int32_t> &history);

} // namespace cheems

#endif
