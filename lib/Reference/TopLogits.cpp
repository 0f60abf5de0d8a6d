// The best logits of a row, by sorting their columns.
#include "cheems/Reference/TopLogits.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cheems::reference {

/// NaN where a logit is NaN or +infinity.
static double logSumExp(const double *row, int64_t size) {
  double greatest = *std::max_element(row, row + size), sum = 0;
  if (greatest == -std::numeric_limits<double>::infinity() &&
      std::none_of(row, row + size, [](double x) { return std::isnan(x); })) {
    return greatest;
  }
  for (int64_t v = 0; v < size; ++v) {
    sum += std::exp(row[v] - greatest);
  }
  return greatest + std::log(sum);
}

TopLogits topLogits(const Tensor &logits, int64_t count) {
  int64_t rows = logits.shape[0], size = logits.shape[1];
  TopLogits result{Tensor({rows, count}), Tensor({rows, count}),
                   Tensor({rows})};
  std::vector<int64_t> columns(static_cast<size_t>(size));
  for (int64_t r = 0; r < rows; ++r) {
    std::iota(columns.begin(), columns.end(), 0);
    std::partial_sort(columns.begin(), columns.begin() + count, columns.end(),
                      [&](int64_t a, int64_t b) {
                        return logits(r, a) != logits(r, b)
                                   ? logits(r, a) > logits(r, b)
                                   : a < b;
                      });
    for (int64_t i = 0; i < count; ++i) {
      int64_t column = columns[static_cast<size_t>(i)];
      result.values(r, i) = logits(r, column);
      result.tokens(r, i) = static_cast<double>(column);
    }
    result.logSumExp(r) = logSumExp(logits.data.data() + r * size, size);
  }
  return result;
}

} // namespace cheems::reference
