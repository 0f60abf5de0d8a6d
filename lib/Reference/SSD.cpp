// State-space duality: the recurrence, and the same as matmuls.
#include "cheems/Reference/SSD.h"
#include "cheems/Reference/Linear.h"
#include <cmath>

namespace cheems::reference {

namespace {
struct Extents {
  int64_t rows, heads, headSize, groups, stateSize;

  Extents(const SSDInputs &inputs, const Tensor &state)
      : rows(inputs.x.shape[0]), heads(inputs.x.shape[1]),
        headSize(inputs.x.shape[2]), groups(inputs.b.shape[1]),
        stateSize(inputs.b.shape[2]) {
    assert(heads % groups == 0);
    assert(inputs.step.shape[0] == rows && inputs.step.shape[1] == heads);
    assert(inputs.a.shape[0] == heads);
    assert(inputs.b.shape[0] == rows && inputs.c.shape == inputs.b.shape);
    assert(!inputs.skip || inputs.skip->shape[0] == heads);
    assert(state.shape[0] == heads && state.shape[1] == stateSize &&
           state.shape[2] == headSize);
    (void)state;
  }
  int64_t group(int64_t head) const { return head / (heads / groups); }
};
} // namespace

SSDResult ssd(const SSDInputs &inputs, Tensor state) {
  Extents extents(inputs, state);
  const auto &[x, step, a, b, c, skip] = inputs;
  Tensor y(x.shape);
  for (int64_t t = 0; t < extents.rows; ++t) {
    for (int64_t h = 0; h < extents.heads; ++h) {
      int64_t g = extents.group(h);
      double decay = std::exp(a(h) * step(t, h));
      for (int64_t p = 0; p < extents.headSize; ++p) {
        double sum = skip ? (*skip)(h)*x(t, h, p) : 0.0;
        for (int64_t n = 0; n < extents.stateSize; ++n) {
          state(h, n, p) =
              decay * state(h, n, p) + step(t, h) * b(t, g, n) * x(t, h, p);
          sum += c(t, g, n) * state(h, n, p);
        }
        y(t, h, p) = sum;
      }
    }
  }
  return {std::move(y), std::move(state)};
}

SSDResult ssdChunk(const SSDInputs &inputs, Tensor state, bool roundsFactors) {
  Extents extents(inputs, state);
  bool rounds = roundsFactors && extents.rows > 1;
  auto factor = [&](double value) { return rounds ? bf16(value) : value; };
  auto factors = [&](const Tensor &values) {
    return rounds ? bf16(values) : values;
  };
  const Tensor &step = inputs.step, &a = inputs.a;
  const std::optional<Tensor> &skip = inputs.skip;
  Tensor x = factors(inputs.x), b = factors(inputs.b), c = factors(inputs.c);
  Tensor y(x.shape), before = factors(state), after = std::move(state);
  for (int64_t h = 0; h < extents.heads && extents.rows > 0; ++h) {
    int64_t g = extents.group(h);
    // logarithm of the decay from before the first row up to a row
    std::vector<double> l(extents.rows);
    double sum = 0.0;
    for (int64_t t = 0; t < extents.rows; ++t) {
      l[t] = sum += a(h) * step(t, h);
    }
    auto decayBetween = [&](int64_t u, int64_t t) {
      return std::exp(l[t] - l[u]);
    };

    Tensor weights({extents.rows, extents.rows});
    for (int64_t t = 0; t < extents.rows; ++t) {
      for (int64_t u = 0; u <= t; ++u) {
        double product = 0.0;
        for (int64_t n = 0; n < extents.stateSize; ++n) {
          product += c(t, g, n) * b(u, g, n);
        }
        double own = skip && t == u ? (*skip)(h) : 0.0;
        weights(t, u) = factor(decayBetween(u, t) * step(u, h) * product + own);
      }
    }

    int64_t last = extents.rows - 1;
    // c and x as they meet the state
    Tensor reading({extents.rows, extents.stateSize});
    Tensor writing({extents.rows, extents.headSize});
    for (int64_t t = 0; t < extents.rows; ++t) {
      for (int64_t n = 0; n < extents.stateSize; ++n) {
        reading(t, n) = factor(std::exp(l[t]) * inputs.c(t, g, n));
      }
      double weight = decayBetween(t, last) * step(t, h);
      for (int64_t p = 0; p < extents.headSize; ++p) {
        writing(t, p) = factor(weight * inputs.x(t, h, p));
      }
    }
    for (int64_t p = 0; p < extents.headSize; ++p) {
      for (int64_t t = 0; t < extents.rows; ++t) {
        double carried = 0.0, within = 0.0;
        for (int64_t n = 0; n < extents.stateSize; ++n) {
          carried += reading(t, n) * before(h, n, p);
        }
        for (int64_t u = 0; u <= t; ++u) {
          within += weights(t, u) * x(u, h, p);
        }
        y(t, h, p) = carried + within;
      }
      for (int64_t n = 0; n < extents.stateSize; ++n) {
        double added = 0.0;
        for (int64_t u = 0; u < extents.rows; ++u) {
          added += b(u, g, n) * writing(u, p);
        }
        after(h, n, p) = std::exp(l[last]) * after(h, n, p) + added;
      }
    }
  }
  return {std::move(y), std::move(after)};
}

} // namespace cheems::reference
