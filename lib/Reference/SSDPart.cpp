// y = out(ssd(x(x), softplus(dt(x)), A, rotary(b(x)), rotary(c(x)), D)).
#include "ModelLayers.h"
#include "cheems/Reference/SSD.h"
#include <cmath>

namespace cheems::reference {

Tensor ssdPart(const Weights &weights, const SSDTensors &tensors,
               const Tensor &x, const Rows &rows) {
  const ModelConfig &config = weights.config();
  int64_t count = x.shape[0], states = config.ssdStateSize;
  auto turned = [&](const Projection &projection) {
    return rotary(linear(x, weights.load(projection))
                      .reshaped({count, tensors.groups, states}),
                  rows.state);
  };
  SSDInputs inputs;
  inputs.x = linear(x, weights.load(tensors.x))
                 .reshaped({count, config.heads, config.headDim});
  inputs.step = linear(x, weights.load(tensors.step));
  for (double &step : inputs.step.data) {
    step = softplus(step);
  }
  inputs.a = weights.load(tensors.a);
  for (double &a : inputs.a.data) {
    a = tensors.logarithm ? -std::exp(a) : a;
  }
  inputs.b = turned(tensors.b);
  inputs.c = turned(tensors.c);
  if (tensors.skip) {
    inputs.skip = weights.load(*tensors.skip);
  }
  Tensor y = ssd(inputs, Tensor({config.heads, states, config.headDim})).y;
  return linear(y.reshaped({count, config.heads * config.headDim}),
                weights.load(tensors.output));
}

} // namespace cheems::reference
