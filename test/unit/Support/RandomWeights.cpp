// Draws a random checkpoint's weights, scaled so that logits have a standard
// deviation near 1.
#include "test/unit/Support/RandomDraws.h"
#include <cmath>
#include <cstring>

namespace cheems::test {
namespace {

void append(std::string &bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Rounds to nearest, ties to even.
uint32_t toBF16(float value) {
  uint32_t bits = bitsOf(value);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// Rounds to nearest, ties to even, subnormals included; values beyond the
/// largest half are not drawn.
uint32_t toF16(float value) {
  uint32_t sign = (bitsOf(value) >> 16) & 0x8000;
  double magnitude = std::abs(static_cast<double>(value));
  int exponent = -14;
  while (exponent < 15 && std::ldexp(magnitude, -exponent) >= 2.0) {
    ++exponent;
  }
  // in units of the last place, 1024 of them a power of two; a carry runs into
  // the exponent by itself
  double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  return sign | static_cast<uint32_t>(units + 1024.0 * (exponent + 14));
}

class Weights {
public:
  explicit Weights(const RandomCheckpoint &checkpoint)
      : c(checkpoint), random(checkpoint.seed ^ 0x3e1645) {}
  void model();

  std::vector<RandomTensor> tensors;

private:
  template <typename Draw>
  void add(const std::string &name, const std::vector<int64_t> &shape,
           Draw draw);
  /// Rows that keep the scale of what they are multiplied with.
  void matrix(const std::string &name, int64_t out, int64_t in) {
    double scale = 1.0 / std::sqrt(static_cast<double>(in));
    add(name, {out, in}, [&] { return scale * random.normal(); });
  }
  void projection(const std::string &name, int64_t out, int64_t in, bool bias);
  void aroundOne(const std::string &name, int64_t size) {
    add(name, {size}, [&] { return 1.0 + 0.1 * random.normal(); });
  }
  void attention(const std::string &prefix);
  void ssd(const std::string &prefix);
  void experts(const std::string &prefix);
  void layer(int64_t i);

  const RandomCheckpoint &c;
  Random random;
};

template <typename Draw>
void Weights::add(const std::string &name, const std::vector<int64_t> &shape,
                  Draw draw) {
  using Stored = RandomCheckpoint::Stored;
  Stored stored = c.stored == Stored::Mixed
                      ? random.pick({Stored::F32, Stored::BF16, Stored::F16})
                      : c.stored;
  RandomTensor tensor{name,
                      stored == Stored::F32    ? "F32"
                      : stored == Stored::BF16 ? "BF16"
                                               : "F16",
                      shape,
                      {}};
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(draw());
    switch (stored) {
    case Stored::BF16:
      append(tensor.bytes, toBF16(value), 2);
      break;
    case Stored::F16:
      append(tensor.bytes, toF16(value), 2);
      break;
    default:
      append(tensor.bytes, bitsOf(value), 4);
    }
  }
  tensors.push_back(std::move(tensor));
}

void Weights::projection(const std::string &name, int64_t out, int64_t in,
                         bool bias) {
  matrix(name + ".weight", out, in);
  if (bias) {
    add(name + ".bias", {out}, [&] { return 0.1 * random.normal(); });
  }
}

void Weights::attention(const std::string &prefix) {
  int64_t queries = c.heads * c.headDim, keys = c.keyValueHeads * c.headDim;
  projection(prefix + "q_proj", queries, c.hidden, c.attentionBias);
  projection(prefix + "k_proj", keys, c.hidden, c.attentionBias);
  projection(prefix + "v_proj", keys, c.hidden, c.attentionBias);
  if (c.plain.empty()) {
    projection(prefix + "dt_proj", c.maskHeads(), keys, c.attentionBias);
  }
  projection(prefix + "o_proj", c.hidden, queries, c.attentionBias);
  if (c.plain.empty()) {
    add(prefix + "A", {c.maskHeads()},
        [&] { return 2.0 * random.uniform() - 1.5; });
  }
  if (c.queryKeyNorms) {
    aroundOne(prefix + "q_norm.weight", c.headDim);
    aroundOne(prefix + "k_norm.weight", c.headDim);
  }
}

void Weights::ssd(const std::string &prefix) {
  using Decay = RandomCheckpoint::Decay;
  int64_t inner = c.heads * c.headDim, states = c.groups * c.stateSize;
  projection(prefix + "c_proj", states, c.hidden, c.attentionBias);
  projection(prefix + "b_proj", states, c.hidden, c.attentionBias);
  projection(prefix + "x_proj", inner, c.hidden, c.attentionBias);
  projection(prefix + "dt_proj", c.heads, c.hidden, c.attentionBias);
  projection(prefix + "out_proj", c.hidden, inner, c.attentionBias);
  add(prefix + (c.decay == Decay::Logarithm ? "A_log" : "A"), {c.heads}, [&] {
    double u = random.uniform();
    return c.decay == Decay::Logarithm  ? u - 1.0
           : c.decay == Decay::Negative ? -0.02 - u
                                        : 0.01 * u;
  });
  if (c.skip) {
    aroundOne(prefix + "D", c.heads);
  }
}

void Weights::experts(const std::string &prefix) {
  if (c.authorNames) {
    int64_t n = c.retrievalSize / 2;
    double scale = 1.0 / std::sqrt(static_cast<double>(n));
    projection(prefix + "queries", 2 * c.expertHeads * n, c.hidden, c.mlpBias);
    add(prefix + "keys", {c.expertHeads, c.keyCount, 2, n},
        [&] { return scale * random.normal(); });
  } else {
    projection(prefix + "router_gate", 2 * c.keyCount, c.hidden, c.mlpBias);
  }
  matrix(prefix + "down_embed.weight", c.experts, c.hidden);
  matrix(prefix + "up_embed.weight", c.experts, c.hidden);
}

void Weights::layer(int64_t i) {
  auto name = [&](const char *cheems, const char *author,
                  const char *transformers) {
    return "model.layers." + std::to_string(i) + "." +
           (c.cheems        ? cheems
            : c.authorNames ? author
                            : transformers);
  };
  aroundOne(name("pre_sequence_layernorm.weight", "pre_layernorm.weight",
                 "input_layernorm.weight"),
            c.hidden);
  if (c.plain.empty()) {
    aroundOne(name("post_sequence_residual.weight", "pre_residual.weight",
                   "input_residual"),
              c.hidden);
  }
  if (c.isAttention(i)) {
    attention(name("attn.", "self_attn.", "self_attn."));
  } else {
    ssd(name("ssd.", "", ""));
  }
  aroundOne(name("pre_state_layernorm.weight", "post_layernorm.weight",
                 "post_attention_layernorm.weight"),
            c.hidden);
  if (c.plain.empty()) {
    aroundOne(name("post_state_residual.weight", "post_residual.weight",
                   "post_attention_residual"),
              c.hidden);
  }
  std::string mlp = name("feed_forward.", "feed_forward.", "mlp.");
  if (c.gated) {
    projection(mlp + "gate_proj", c.intermediate, c.hidden, c.mlpBias);
  }
  projection(mlp + "up_proj", c.intermediate, c.hidden, c.mlpBias);
  projection(mlp + "down_proj", c.hidden, c.intermediate, c.mlpBias);
  if (c.hasExperts(i)) {
    experts(mlp);
  }
}

void Weights::model() {
  matrix(c.authorNames ? "model.word_embed.weight"
                       : "model.embed_tokens.weight",
         c.vocabulary, c.hidden);
  for (int64_t i = 0; i < c.layers; ++i) {
    layer(i);
  }
  aroundOne(c.authorNames ? "model.final_layernorm.weight"
                          : "model.norm.weight",
            c.hidden);
  if (!c.tied) {
    projection("lm_head", c.vocabulary, c.hidden, false);
  }
}

} // namespace

void appendF32(std::string &bytes, double value) {
  append(bytes, bitsOf(static_cast<float>(value)), 4);
}

std::vector<RandomTensor> drawTensors(const RandomCheckpoint &checkpoint) {
  Weights weights(checkpoint);
  weights.model();
  return std::move(weights.tensors);
}

} // namespace cheems::test
