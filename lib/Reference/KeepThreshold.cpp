// The W-th best causal key of every query, found by sorting.
#include "cheems/Reference/KeepThreshold.h"
#include <algorithm>
#include <functional>
#include <limits>

namespace cheems::reference {

bool KeepThreshold::keeps(int64_t head, int64_t query, double keyMask,
                          int64_t keyPosition) const {
  double worst = mask(head, query);
  return keyMask > worst ||
         (keyMask == worst &&
          keyPosition >= position[head * mask.shape[1] + query]);
}

KeepThreshold keepThreshold(const Tensor &mask,
                            llvm::ArrayRef<int64_t> keyPositions,
                            llvm::ArrayRef<int64_t> queryPositions,
                            int64_t window) {
  int64_t heads = mask.shape[0], keys = mask.shape[1];
  int64_t queries = static_cast<int64_t>(queryPositions.size());
  assert(static_cast<int64_t>(keyPositions.size()) == keys && window >= 1);
  KeepThreshold result{Tensor({heads, queries}), {}};
  for (int64_t m = 0; m < heads; ++m) {
    for (int64_t t = 0; t < queries; ++t) {
      std::vector<std::pair<double, int64_t>> candidates;
      for (int64_t n = 0; n < keys; ++n) {
        if (keyPositions[n] <= queryPositions[t]) {
          candidates.emplace_back(mask(m, n), keyPositions[n]);
        }
      }
      std::sort(candidates.begin(), candidates.end(), std::greater<>());
      bool all = static_cast<int64_t>(candidates.size()) <= window;
      result.mask(m, t) = all ? -std::numeric_limits<double>::infinity()
                              : candidates[window - 1].first;
      result.position.push_back(all ? -1 : candidates[window - 1].second);
    }
  }
  return result;
}

} // namespace cheems::reference
