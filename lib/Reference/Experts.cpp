// Retrieval by product keys, and the sum of what the retrieved experts give.
#include "cheems/Reference/Experts.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {
namespace {

struct Scored {
  double score;
  int64_t index;
};

/// Score descending, then index ascending; NaN below every number.
bool better(const Scored &a, const Scored &b) {
  if (std::isnan(a.score) != std::isnan(b.score)) {
    return std::isnan(b.score);
  }
  return a.score > b.score || (!(a.score < b.score) && a.index < b.index);
}

std::vector<Scored> best(std::vector<Scored> candidates, int64_t count) {
  std::sort(candidates.begin(), candidates.end(), better);
  candidates.resize(std::min(candidates.size(),
                             static_cast<size_t>(std::max<int64_t>(count, 0))));
  return candidates;
}

std::vector<Scored> half(const Tensor &scores, int64_t t, int64_t which,
                         int64_t h) {
  std::vector<Scored> keys;
  keys.reserve(scores.shape[3]);
  for (int64_t i = 0; i < scores.shape[3]; ++i) {
    keys.push_back({scores(t, which, h, i), i});
  }
  return keys;
}

std::vector<Scored> sums(const std::vector<Scored> &rows,
                         const std::vector<Scored> &columns, int64_t keys,
                         bool round) {
  std::vector<Scored> pairs;
  for (const Scored &row : rows) {
    for (const Scored &column : columns) {
      double sum = row.score + column.score;
      pairs.push_back({round ? static_cast<float>(sum) : sum,
                       row.index * keys + column.index});
    }
  }
  return pairs;
}

} // namespace

Retrieval retrieveExperts(const Tensor &scores, int64_t k, bool roundSums,
                          RetrievalOrder order) {
  int64_t rows = scores.shape[0], heads = scores.shape[2],
          keys = scores.shape[3];
  assert(scores.rank() == 4 && scores.shape[1] == 2 && k >= 1 &&
         k <= keys * keys);
  Retrieval result{Tensor({rows, heads, k}), {}};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<Scored> pairs =
          best(sums(best(half(scores, t, 0, h), k),
                    best(half(scores, t, 1, h), k), keys, roundSums),
               k);
      if (order == RetrievalOrder::Ascending) {
        std::sort(
            pairs.begin(), pairs.end(),
            [](const Scored &a, const Scored &b) { return a.index < b.index; });
      }
      for (int64_t i = 0; i < k; ++i) {
        result.score(t, h, i) = pairs[i].score;
        result.expert.push_back(pairs[i].index);
      }
    }
  }
  return result;
}

std::vector<double> retrievalMargins(const Tensor &scores, int64_t k) {
  int64_t keys = scores.shape[3];
  std::vector<double> margins(scores.shape[0],
                              std::numeric_limits<double>::infinity());
  if (k == keys * keys) {
    return margins;
  }
  for (int64_t t = 0; t < scores.shape[0]; ++t) {
    for (int64_t h = 0; h < scores.shape[2]; ++h) {
      std::vector<Scored> pairs =
          best(sums(half(scores, t, 0, h), half(scores, t, 1, h), keys, false),
               k + 1);
      margins[t] = std::min(margins[t], pairs[k - 1].score - pairs[k].score);
    }
  }
  return margins;
}

Retrieval followExperts(const Tensor &scores, std::vector<int64_t> experts,
                        int64_t k, bool roundSums) {
  int64_t rows = scores.shape[0], heads = scores.shape[2],
          keys = scores.shape[3];
  Retrieval result{Tensor({rows, heads, k}), std::move(experts)};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < k; ++i) {
        int64_t expert = result.expert[(t * heads + h) * k + i];
        double sum =
            scores(t, 0, h, expert / keys) + scores(t, 1, h, expert % keys);
        result.score(t, h, i) = roundSums ? static_cast<float>(sum) : sum;
      }
    }
  }
  return result;
}

Tensor retrievalLosses(const Tensor &scores,
                       const std::vector<int64_t> &experts, int64_t k) {
  int64_t rows = scores.shape[0], heads = scores.shape[2],
          keys = scores.shape[3];
  Tensor losses({rows, heads});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      auto first = experts.begin() + (t * heads + h) * k;
      double taken = std::numeric_limits<double>::infinity(), left = -taken;
      for (const Scored &pair :
           sums(half(scores, t, 0, h), half(scores, t, 1, h), keys, false)) {
        if (std::find(first, first + k, pair.index) != first + k) {
          taken = std::min(taken, pair.score);
        } else {
          left = std::max(left, pair.score);
        }
      }
      losses(t, h) = std::max(left - taken, 0.0);
    }
  }
  return losses;
}

Tensor mixExperts(const Tensor &x, const Retrieval &retrieval,
                  const QuantizedWeights &down, const QuantizedWeights &up,
                  ScorePlacement placement, Activation activation) {
  int64_t rows = x.shape[0], size = x.shape[1];
  int64_t heads = retrieval.score.shape[1], k = retrieval.score.shape[2];
  Tensor y({rows, size});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      double highest = -std::numeric_limits<double>::infinity(), total = 0.0;
      for (int64_t i = 0; i < k; ++i) {
        highest = std::max(highest, retrieval.score(t, h, i));
      }
      for (int64_t i = 0; i < k; ++i) {
        total += std::exp(retrieval.score(t, h, i) - highest);
      }
      for (int64_t i = 0; i < k; ++i) {
        int64_t e = retrieval.expert[(t * heads + h) * k + i];
        double score = retrieval.score(t, h, i), sum = 0.0;
        for (int64_t d = 0; d < size; ++d) {
          sum += x(t, d) * down.codes(e, d);
        }
        double hit = down.scales(e, 0) * sum;
        double weight =
            placement == ScorePlacement::Inner
                ? activate(hit * score, activation)
                : activate(hit, activation) * std::exp(score - highest) / total;
        for (int64_t d = 0; d < size; ++d) {
          y(t, d) += weight * up.scales(e, 0) * up.codes(e, d);
        }
      }
    }
  }
  return y;
}

Tensor mixExperts(const Tensor &x, const Retrieval &retrieval,
                  const Tensor &down, const Tensor &up,
                  ScorePlacement placement, Activation activation) {
  Tensor ones({down.shape[0], 1}, std::vector<double>(down.shape[0], 1.0));
  return mixExperts(x, retrieval, QuantizedWeights{down, ones},
                    QuantizedWeights{up, ones}, placement, activation);
}

} // namespace cheems::reference
