// What turns a row of logits into the next token.
#ifndef CHEEMS_RUNTIME_SAMPLER_SAMPLINGOPTIONS_H
#define CHEEMS_RUNTIME_SAMPLER_SAMPLINGOPTIONS_H

#include <cstdint>

namespace cheems {

/// Order and meaning are transformers': repeat penalty, temperature, top-k,
/// top-p, min-p, softmax, draw.
struct SamplingOptions {
  /// false: the highest logit after the repeat penalty, ties to the lowest id;
  /// the fields below it do not matter.
  bool doSample = false;
  /// > 0 as a float. A token of the prompt or output has its logit divided by
  /// this, or multiplied if negative; 1 is off.
  double repeatPenalty = 1;
  /// >= 0; 0 is greedy.
  double temperature = 1;
  /// >= 0; tokens below the k-th highest logit go (ties with it stay); 0 is
  /// off.
  int64_t topK = 0;
  /// In (0, 1]; the most probable tokens whose probabilities just reach this
  /// stay; 1 is off.
  double topP = 1;
  /// In [0, 1]; tokens less probable than this times the most probable one go;
  /// 0 is off.
  double minP = 0;
  /// The same seed, options and logits give the same tokens.
  uint64_t seed = 0;

  bool greedy() const { return !doSample || temperature == 0; }
};

/// What messages call the options: a command line's words or a file's fields.
struct OptionNames {
  const char *repeatPenalty = "repeat penalty";
  const char *temperature = "temperature";
  const char *topK = "top-k";
  const char *topP = "top-p";
  const char *minP = "min-p";
};

/// Throws Error(usage) that names the first option out of range.
void validate(const SamplingOptions &options, const OptionNames &names = {});

} // namespace cheems

#endif
