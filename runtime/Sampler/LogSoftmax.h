// Logarithms of the probabilities that a row of logits stands for.
#ifndef CHEEMS_RUNTIME_SAMPLER_LOGSOFTMAX_H
#define CHEEMS_RUNTIME_SAMPLER_LOGSOFTMAX_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems {

/// A softmax that is never written down: log p[i] = logits[i] - offset, for
/// `vocabulary` logits. In double.
struct LogSoftmax {
  LogSoftmax(const float *logits, int64_t vocabulary);
  double operator[](int64_t token) const { return logits[token] - offset; }
  /// The most probable tokens, the first of equals first; all where there are
  /// fewer.
  std::vector<int32_t> top(size_t count) const;

  const float *logits;
  int64_t vocabulary;
  double offset; ///< log of the sum of exp(logits)
  int64_t best;  ///< the first of the largest logits
};

} // namespace cheems

#endif
