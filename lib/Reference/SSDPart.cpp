// y = out(ssd(x(x), softplus(dt(x)), A, rotary(b(x)), rotary(c(x)), D)).
#include "ModelLayers.h"
#include "cheems/Reference/SSD.h"
#include <cmath>

namespace cheems::reference {

Tensor ssdPart(const Checkpoint &checkpoint, const SSDTensors &tensors,
               const Tensor &x, const Rows &rows) {
  const ModelConfig &config = checkpoint.config();
  int64_t count = x.shape[0], states = config.ssdStateSize;
  auto turned = [&](const Projection &projection) {
    return rotary(linear(x, load(checkpoint, projection))
                      .reshaped({count, tensors.groups, states}),
                  rows.state);
  };
  SSDInputs inputs;
  inputs.x = linear(x, load(checkpoint, tensors.x))
                 .reshaped({count, config.heads, config.headDim});
  inputs.step = linear(x, load(checkpoint, tensors.step));
  for (double &step : inputs.step.data) {
    step = softplus(step);
  }
  inputs.a = load(checkpoint, tensors.a);
  for (double &a : inputs.a.data) {
    a = tensors.logarithm ? -std::exp(a) : a;
  }
  inputs.b = turned(tensors.b);
  inputs.c = turned(tensors.c);
  if (tensors.skip) {
    inputs.skip = load(checkpoint, *tensors.skip);
  }
  Tensor y = ssd(inputs, Tensor({config.heads, states, config.headDim})).y;
  return linear(y.reshaped({count, config.heads * config.headDim}),
                load(checkpoint, tensors.output));
}

} // namespace cheems::reference
