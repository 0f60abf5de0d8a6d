#include "runtime/Sampler/LogSoftmax.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cheems {

LogSoftmax::LogSoftmax(const float *logits, int64_t vocabulary)
    : logits(logits), vocabulary(vocabulary),
      best(std::max_element(logits, logits + vocabulary) - logits) {
  double sum = 0;
  for (int64_t i = 0; i < vocabulary; ++i) {
    sum += std::exp(double(logits[i]) - double(logits[best]));
  }
  offset = logits[best] + std::log(sum);
}

std::vector<int32_t> LogSoftmax::top(size_t count) const {
  std::vector<int32_t> tokens(static_cast<size_t>(vocabulary));
  std::iota(tokens.begin(), tokens.end(), 0);
  count = std::min(count, tokens.size());
  auto end = tokens.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(
      tokens.begin(), end, tokens.end(), [&](int32_t a, int32_t b) {
        return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
      });
  tokens.resize(count);
  return tokens;
}

} // namespace cheems
