// What a checkpoint folder means, after config.json and the tensor names have
// been reconciled.
#ifndef CHEEMS_IMPORT_MODELCONFIG_H
#define CHEEMS_IMPORT_MODELCONFIG_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

enum class Activation { SiLU, GELU /* erf form */, ReLU };

/// Rotary embedding: angle(position, i) = position * theta^(-2i/dim). With
/// `dynamic`, once a sequence of length L passes `trainedPositions`, theta
/// grows by ((factor*L/trainedPositions) - (factor-1))^(dim/(dim-2)).
struct RotaryConfig {
  double theta = 10000.0;
  bool dynamic = false;
  double factor = 1.0;
  int64_t trainedPositions = 0;
};

/// Names of a projection's tensors as they stand in the checkpoint; weight is
/// [out, in].
struct Projection {
  std::string weight;
  std::optional<std::string> bias;
};

/// A Doge decoder layer: x = r1*x + attention(norm1(x)); x = r2*x +
/// mlp(norm2(x)).
struct LayerTensors {
  std::string attentionNorm, attentionResidual, mlpNorm,
      mlpResidual; // each [hidden]
  Projection query, key, value,
      maskStep /* dt_proj: [mask heads, kv heads * head_dim] */, output;
  std::string maskA;                             // A: [mask heads]
  std::optional<std::string> queryNorm, keyNorm; // [head_dim]
  std::optional<Projection> gate;                // absent: plain MLP
  Projection up, down;
};

struct ModelConfig {
  std::string modelType;
  int64_t vocabulary = 0, hidden = 0, intermediate = 0, layers = 0;
  int64_t heads = 0, keyValueHeads = 0, headDim = 0;
  int64_t maskHeads = 0; ///< heads of A: equal to keyValueHeads or to heads
  int64_t maxPositions = 0;
  double normEpsilon = 1e-6;
  Activation activation = Activation::SiLU;
  RotaryConfig rotary;
  std::optional<int64_t> keepWindow; ///< absent: every causal key stays visible
  std::string embedding, finalNorm;  ///< tensor names
  std::optional<Projection> head; ///< absent: the embedding is the head (tied)
  std::vector<LayerTensors> layer;
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;
};

} // namespace cheems

#endif
