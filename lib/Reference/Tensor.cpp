// Widens stored tensors for the evaluators.
#include "cheems/Reference/Tensor.h"
#include "cheems/Import/SafeTensors.h"

namespace cheems::reference {

Tensor Tensor::from(const TensorView &view) {
  Tensor result(view.shape);
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] = view.at(static_cast<int64_t>(i));
  }
  return result;
}

} // namespace cheems::reference
