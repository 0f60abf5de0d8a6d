// Chooses the next token from a row of logits; one sampler per sequence.
#ifndef CHEEMS_RUNTIME_SAMPLER_SAMPLER_H
#define CHEEMS_RUNTIME_SAMPLER_SAMPLER_H

#include "runtime/Sampler/SamplingOptions.h"
#include "runtime/TopLogits.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cheems {

/// Says where a sampler's random sequence is.
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

  /// Tells the penalties about tokens of the sequence: the prompt's, then each
  /// one chosen. Ids are not negative; ids outside the vocabulary have no
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

  /// Begins the random sequence of a seed.
  void reseed(uint64_t seed);

  /// The random sequence and the accepted tokens, as bytes.
  std::string state() const;
  /// What `state` gave, of any sampler. Throws Error for bytes that are
  /// damaged, and changes nothing then.
  void setState(std::string_view bytes);

  /// The next token, in [0, vocabulary). Does not accept it. Where there is a
  /// `mask`, only tokens whose bit is 1: bit token % 32 of word token / 32.
  /// Throws Error if a logit is NaN or +infinity, or no token can be chosen.
  /// Allocates only until the vocabulary's size has been seen.
  int32_t sample(const float *logits, size_t vocabulary,
                 const uint32_t *mask = nullptr);

  /// What `sample` chooses from the whole row, if its best logits tell: nothing
  /// where they do not, and for a row that `sample` throws for. The random
  /// sequence goes on only where a token is chosen.
  std::optional<int32_t> sample(const TopLogits &best);

  /// Says how many of the logits suffice for `sample`, without the whole row;
  /// 0: of none.
  size_t enough() const;

  /// Probabilities [vocabulary] that `sample` draws from; one-hot when greedy.
  /// Leaves the random sequence as it is.
  std::vector<float> distribution(const float *logits, size_t vocabulary);

private:
  struct Candidate {
    int32_t token;
    double logit; ///< then, after `filter`, its weight: exp(logit - highest)
  };

  /// Whether the best logits are not those of what is chosen from.
  bool changesOrder() const {
    return !settings.logitBias.empty() || !counts.empty();
  }
  bool decides(const TopLogits &best) const;
  void score(const float *logits, size_t vocabulary, const uint32_t *mask);
  void penalise();
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
  std::deque<int32_t> history; ///< accepted tokens that penalties look at
  std::unordered_map<int32_t, int32_t> counts; ///< how often each is there
  std::vector<float> scores; ///< logits after biases and penalties
  std::vector<Candidate> candidates;
};

/// What transformers' processors make of `logits` [vocabulary] after `history`
/// (prompt and output): probabilities that sum to 1.
std::vector<float> filteredDistribution(const SamplingOptions &options,
                                        const std::vector<float> &logits,
                                        const std::vector<int32_t> &history);

} // namespace cheems

#endif
