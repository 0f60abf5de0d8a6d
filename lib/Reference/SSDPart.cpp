// y = out(ssd(x(x), softplus(dt(x)), A, rotary(b(x)), rotary(c(x)), D)).
#include "ModelLayers.h"
#include "cheems/Reference/SSD.h"
#include <algorithm>
#include <cmath>

namespace cheems::reference {

/// y, chunk after chunk with rounded factors.
static Tensor roundedChunks(const SSDInputs &inputs, Tensor state,
                            const Rounding &rounding) {
  Tensor y(inputs.x.shape);
  auto at = y.data.begin();
  int64_t rows = inputs.x.shape[0], step = rounding.prefill;
  for (int64_t from = 0, count = 0; from < rows; from += count) {
    int64_t end = step ? std::min((from / step + 1) * step, rows) : rows;
    count = std::min(rounding.chunk, end - from);
    SSDInputs part = inputs;
    for (Tensor *x : {&part.x, &part.step, &part.b, &part.c}) {
      *x = x->rows(from, count);
    }
    SSDResult next = ssdChunk(part, std::move(state), true);
    at = std::copy(next.y.data.begin(), next.y.data.end(), at);
    state = std::move(next.state);
  }
  return y;
}

Tensor ssdPart(const Weights &weights, const SSD &tensors, const Tensor &x,
               const Rows &rows) {
  int64_t count = x.shape[0], states = tensors.stateSize;
  auto rotated = [&](const Projection &projection) {
    Tensor heads = linear(x, weights.exact(projection))
                       .reshaped({count, tensors.groups, states});
    return tensors.rotary ? rotary(heads, rows.table(*tensors.rotary)) : heads;
  };
  SSDInputs inputs;
  inputs.x = linear(x, weights.exact(tensors.x))
                 .reshaped({count, tensors.heads, tensors.headSize});
  inputs.step = linear(x, weights.exact(tensors.step));
  for (double &step : inputs.step.data) {
    step = softplus(step);
  }
  inputs.a = weights.load(tensors.a);
  for (double &a : inputs.a.data) {
    a = tensors.logarithm ? -std::exp(a) : a;
  }
  inputs.b = rotated(tensors.b);
  inputs.c = rotated(tensors.c);
  if (tensors.skip) {
    inputs.skip = weights.load(*tensors.skip);
  }
  Tensor before({tensors.heads, states, tensors.headSize});
  Tensor y = weights.rounding.chunk
                 ? roundedChunks(inputs, before, weights.rounding)
                 : ssd(inputs, before).y;
  return linear(y.reshaped({count, tensors.heads * tensors.headSize}),
                weights.load(tensors.output));
}

} // namespace cheems::reference
