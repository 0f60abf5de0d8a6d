// The running softmax, one row and head at a time.
#include "cheems/Reference/OnlineAttention.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {

/// The maximum of no scores; one of +infinity is a score's.
static constexpr double nothingSeen = -std::numeric_limits<double>::infinity();

RunningSoftmax RunningSoftmax::none(int64_t rows, int64_t heads, int64_t size) {
  RunningSoftmax state{Tensor({rows, heads}), Tensor({rows, heads}),
                       Tensor({rows, heads, size})};
  std::fill(state.maximum.data.begin(), state.maximum.data.end(), nothingSeen);
  return state;
}

Tensor RunningSoftmax::result() const {
  Tensor quotient(y.shape);
  for (int64_t t = 0; t < y.shape[0]; ++t) {
    for (int64_t h = 0; h < y.shape[1]; ++h) {
      for (int64_t p = 0; p < y.shape[2]; ++p) {
        quotient(t, h, p) = sum(t, h) == 0 ? 0 : y(t, h, p) / sum(t, h);
      }
    }
  }
  return quotient;
}

void onlineAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                     const Tensor *mask, MaskKind kind, double scale,
                     const std::function<bool(int64_t, int64_t, int64_t)> &sees,
                     RunningSoftmax &state) {
  int64_t rows = q.shape[0], heads = q.shape[1], size = q.shape[2];
  int64_t headsPerKey = heads / k.shape[0],
          headsPerMask = heads / (mask ? *mask : k).shape[0];
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      int64_t g = h / headsPerKey, m = h / headsPerMask;
      std::vector<std::pair<int64_t, double>> scores;
      double maximum = state.maximum(t, h);
      for (int64_t j = 0; j < k.shape[1]; ++j) {
        if (!sees(t, m, j)) {
          continue;
        }
        double score = 0;
        for (int64_t p = 0; p < size; ++p) {
          score += q(t, h, p) * k(g, j, p);
        }
        score *= scale;
        if (kind == MaskKind::Bias) {
          score += (*mask)(m, j);
        }
        scores.emplace_back(j, score);
        maximum = std::max(maximum, score);
      }
      if (scores.empty()) {
        continue;
      }
      double shrink = std::exp(state.maximum(t, h) - maximum);
      state.maximum(t, h) = maximum;
      state.sum(t, h) *= shrink;
      for (int64_t p = 0; p < size; ++p) {
        state.y(t, h, p) *= shrink;
      }
      for (auto [j, score] : scores) {
        double e = std::exp(score - maximum);
        state.sum(t, h) += e;
        double weight = kind == MaskKind::Scale ? e * (*mask)(m, j) : e;
        for (int64_t p = 0; p < size; ++p) {
          state.y(t, h, p) += weight * v(g, j, p);
        }
      }
    }
  }
}

void mergeAttention(const RunningSoftmax &later, RunningSoftmax &state) {
  for (int64_t t = 0; t < state.y.shape[0]; ++t) {
    for (int64_t h = 0; h < state.y.shape[1]; ++h) {
      double before = state.maximum(t, h), added = later.maximum(t, h),
             maximum = std::max(before, added);
      // A side that saw nothing has no sums and leaves the other's as they are.
      if (added == nothingSeen) {
        continue;
      }
      auto total = [&](double sum, double more) {
        return before == nothingSeen ? more
                                     : std::exp(before - maximum) * sum +
                                           std::exp(added - maximum) * more;
      };
      state.sum(t, h) = total(state.sum(t, h), later.sum(t, h));
      for (int64_t p = 0; p < state.y.shape[2]; ++p) {
        state.y(t, h, p) = total(state.y(t, h, p), later.y(t, h, p));
      }
      state.maximum(t, h) = maximum;
    }
  }
}

} // namespace cheems::reference
