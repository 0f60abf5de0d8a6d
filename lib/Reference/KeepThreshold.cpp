// The W-th best causal key of every query, found by sorting.
#include "cheems/Reference/KeepThreshold.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {

/// Every position is below it.
constexpr int64_t kPastPositions = int64_t(1) << 31;

/// (mask, position) of the keys of head m that a query at `position` may see,
/// best first. NaN comes after all others, as -infinity past all positions.
static std::vector<std::pair<double, int64_t>>
ranked(const Tensor &mask, int64_t m, llvm::ArrayRef<int64_t> keyPositions,
       int64_t position) {
  std::vector<std::pair<double, int64_t>> candidates;
  for (int64_t n = 0; n < mask.shape[1]; ++n) {
    if (keyPositions[n] <= position) {
      if (std::isnan(mask(m, n))) {
        candidates.emplace_back(-std::numeric_limits<double>::infinity(),
                                kPastPositions + keyPositions[n]);
      } else {
        candidates.emplace_back(mask(m, n), keyPositions[n]);
      }
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto &one, const auto &other) {
              return one.first != other.first ? one.first > other.first
                                              : one.second < other.second;
            });
  return candidates;
}

bool KeepThreshold::keeps(int64_t head, int64_t query, double keyMask,
                          int64_t keyPosition) const {
  double worst = mask(head, query), own = static_cast<float>(keyMask);
  return own > worst ||
         (own == worst && keyPosition <= last[head * mask.shape[1] + query]);
}

KeepThreshold keepThreshold(const Tensor &mask,
                            llvm::ArrayRef<int64_t> keyPositions,
                            llvm::ArrayRef<int64_t> queryPositions,
                            int64_t window) {
  int64_t heads = mask.shape[0];
  int64_t queries = static_cast<int64_t>(queryPositions.size());
  assert(static_cast<int64_t>(keyPositions.size()) == mask.shape[1] &&
         window >= 1);
  Tensor ranks = mask;
  for (double &rank : ranks.data) {
    rank = static_cast<float>(rank);
  }
  KeepThreshold result{Tensor({heads, queries}), {}};
  for (int64_t m = 0; m < heads; ++m) {
    for (int64_t t = 0; t < queries; ++t) {
      auto candidates = ranked(ranks, m, keyPositions, queryPositions[t]);
      bool all = static_cast<int64_t>(candidates.size()) <= window ||
                 candidates[window - 1].second >= kPastPositions;
      result.mask(m, t) = all ? -std::numeric_limits<double>::infinity()
                              : candidates[window - 1].first + 0.0; // not -0
      result.last.push_back(all ? kPastPositions - 1
                                : candidates[window - 1].second);
    }
  }
  return result;
}

std::vector<double> keepMargins(const Tensor &mask,
                                llvm::ArrayRef<int64_t> keyPositions,
                                llvm::ArrayRef<int64_t> queryPositions,
                                int64_t window, bool exactTies) {
  std::vector<double> margins(queryPositions.size(),
                              std::numeric_limits<double>::infinity());
  for (int64_t m = 0; m < mask.shape[0]; ++m) {
    for (size_t t = 0; t < margins.size(); ++t) {
      auto candidates = ranked(mask, m, keyPositions, queryPositions[t]);
      if (static_cast<int64_t>(candidates.size()) <= window) {
        continue;
      }
      double kept = candidates[window - 1].first,
             dropped = candidates[window].first;
      if (kept > dropped || !exactTies) {
        margins[t] = std::min(margins[t], kept - dropped);
        continue;
      }
      for (const auto &candidate : candidates) {
        if (candidate.first != kept) {
          margins[t] = std::min(margins[t], std::abs(candidate.first - kept));
        }
      }
    }
  }
  return margins;
}

} // namespace cheems::reference
