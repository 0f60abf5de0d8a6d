// mask = exp(A * softplus(dt)), one value per key and mask head.
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/Linear.h"
#include <cmath>

namespace cheems::reference {

Tensor dynamicMask(const Tensor &dt, const Tensor &a) {
  int64_t keys = dt.shape[0], heads = dt.shape[1];
  assert(dt.rank() == 2 && a.rank() == 1 && a.shape[0] == heads);
  Tensor mask({heads, keys});
  for (int64_t m = 0; m < heads; ++m) {
    for (int64_t n = 0; n < keys; ++n) {
      mask(m, n) = std::exp(a(m) * softplus(dt(n, m)));
    }
  }
  return mask;
}

} // namespace cheems::reference
