// What turns a row of logits into the next token.
#ifndef CHEEMS_RUNTIME_SAMPLER_SAMPLINGOPTIONS_H
#define CHEEMS_RUNTIME_SAMPLER_SAMPLINGOPTIONS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace cheems {

/// Added to a token's logit; -infinity: it is never chosen.
struct LogitBias {
  int32_t token;
  float bias;
};

/// Biases that all copies of them share: a server has a copy for each prompt
/// and each of its choices.
class LogitBiases {
public:
  LogitBiases() = default;
  LogitBiases(std::vector<LogitBias> biases)
      : shared(std::make_shared<std::vector<LogitBias>>(std::move(biases))) {}
  LogitBiases(std::initializer_list<LogitBias> biases)
      : LogitBiases(std::vector<LogitBias>(biases)) {}

  /// Copies made before do not change.
  void add(const LogitBias &bias) {
    if (!shared || shared.use_count() > 1) {
      shared = std::make_shared<std::vector<LogitBias>>(begin(), end());
    }
    shared->push_back(bias);
  }
  bool empty() const { return size() == 0; }
  size_t size() const { return shared ? shared->size() : 0; }
  const LogitBias *begin() const { return shared ? shared->data() : nullptr; }
  const LogitBias *end() const { return begin() + size(); }
  const LogitBias &operator[](size_t index) const { return begin()[index]; }

private:
  std::shared_ptr<std::vector<LogitBias>> shared; ///< null: there are none
};

/// The options apply in this order: mask, logit biases, repeat penalty,
/// frequency and presence penalty, temperature, top-k, top-p, min-p, softmax,
/// draw. Meaning and order are transformers', and llama.cpp's where
/// transformers has no such option.
struct SamplingOptions {
  /// If false, the token with the highest logit after biases and penalties is
  /// taken, and the lowest id of equal ones; temperature, top-k, top-p and
  /// min-p do not matter.
  bool doSample = false;
  /// Tokens are not negative; biases are neither NaN nor +infinity. If a token
  /// has several biases, their sum counts.
  LogitBiases logitBias;
  /// > 0 as a float. A token of the prompt or output has its logit divided by
  /// this, or multiplied if negative; 1 is off.
  double repeatPenalty = 1;
  /// Finite as floats. Such a token's logit loses the former, and the latter
  /// as often as it occurs; 0 is off.
  double presencePenalty = 0, frequencyPenalty = 0;
  /// >= -1. How many of the newest tokens the three penalties look at; -1: all;
  /// 0: none.
  int64_t repeatLastN = -1;
  /// >= 0; 0 is greedy.
  double temperature = 1;
  /// >= 0; tokens below the k-th highest logit go (ties with it stay); 0 is
  /// off.
  int64_t topK = 0;
  /// The value is in [0, 1]; the most probable tokens whose probabilities just
  /// reach this stay; 1 is off, 0 is greedy.
  double topP = 1;
  /// The value is in [0, 1]; tokens less probable than this times the most
  /// probable one go; 0 is off.
  double minP = 0;
  /// The same seed, options and logits give the same tokens.
  uint64_t seed = 0;

  bool greedy() const { return !doSample || temperature == 0 || topP == 0; }
  bool penalises() const {
    return repeatLastN != 0 && (repeatPenalty != 1 || presencePenalty != 0 ||
                                frequencyPenalty != 0);
  }
};

/// What messages call the options: a command line's words or a file's fields.
struct OptionNames {
  const char *repeatPenalty = "repeat penalty";
  const char *temperature = "temperature";
  const char *topK = "top-k";
  const char *topP = "top-p";
  const char *minP = "min-p";
  const char *presencePenalty = "presence penalty";
  const char *frequencyPenalty = "frequency penalty";
  const char *repeatLastN = "repeat-last-n";
  const char *logitBias = "logit bias";
};

/// Throws Error(usage) that names the first option out of range.
void validate(const SamplingOptions &options, const OptionNames &names = {});

} // namespace cheems

#endif
