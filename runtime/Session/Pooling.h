// How the embeddings of a text's rows become one.
#ifndef CHEEMS_RUNTIME_SESSION_POOLING_H
#define CHEEMS_RUNTIME_SESSION_POOLING_H

#include "runtime/Span.h"
#include <vector>

namespace cheems {

/// Their mean, or that of the last row.
enum class Pooling { mean, last };

/// Sums rows that come one by one. Sums are in double.
class EmbeddingSum {
public:
  void add(Span<const float> row) {
    sums.resize(static_cast<size_t>(row.size()));
    size_t i = 0;
    for (float value : row) {
      sums[i++] += static_cast<double>(value);
    }
  }
  /// Returns the mean of so many rows.
  std::vector<float> mean(int64_t rows) const {
    std::vector<float> values;
    values.reserve(sums.size());
    for (double sum : sums) {
      values.push_back(static_cast<float>(sum / static_cast<double>(rows)));
    }
    return values;
  }

private:
  std::vector<double> sums;
};

} // namespace cheems

#endif
