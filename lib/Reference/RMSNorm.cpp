// y = x / sqrt(mean(x^2) + epsilon) * weight, row by row.
#include "cheems/Reference/RMSNorm.h"
#include <cmath>

namespace cheems::reference {

Tensor rmsNorm(const Tensor &x, const Tensor &weight, double epsilon) {
  size_t dim = weight.data.size();
  assert(weight.rank() == 1 && x.rank() >= 1 &&
         x.shape.back() == weight.shape[0]);
  Tensor y(x.shape);
  for (size_t row = 0; row < x.data.size(); row += dim) {
    double squares = 0.0;
    for (size_t d = 0; d < dim; ++d) {
      squares += x.data[row + d] * x.data[row + d];
    }
    double scale =
        1.0 / std::sqrt(squares / static_cast<double>(dim) + epsilon);
    for (size_t d = 0; d < dim; ++d) {
      y.data[row + d] = x.data[row + d] * scale * weight.data[d];
    }
  }
  return y;
}

} // namespace cheems::reference
