// The entries of kind threshold: a key that every head hides is left out.
#include "cheems/Reference/AppendVisible.h"

namespace cheems::reference {

std::vector<int64_t> appendVisible(const Tensor &key, const Tensor &value,
                                   const Tensor &mask, double hideBelow,
                                   int64_t count, StoredEntries &stored) {
  int64_t rows = key.shape[0], size = key.shape[1], heads = mask.shape[1];
  std::vector<int64_t> seen;
  for (int64_t t = 0; t < rows; ++t) {
    int64_t viewers = 0;
    for (int64_t m = 0; m < heads; ++m) {
      viewers += mask(t, m) >= hideBelow;
    }
    if (viewers > 0) {
      for (int64_t p = 0; p < size; ++p) {
        stored.keys(0, count, p) = key(t, p);
        stored.values(0, count, p) = value(t, p);
      }
      for (int64_t m = 0; m < heads; ++m) {
        stored.mask(m, count) = mask(t, m);
      }
      ++count;
    }
    seen.push_back(count);
  }
  return seen;
}

} // namespace cheems::reference
