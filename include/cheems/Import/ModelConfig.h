// What a checkpoint folder means, after config.json and the tensor names have
// been reconciled.
#ifndef CHEEMS_IMPORT_MODELCONFIG_H
#define CHEEMS_IMPORT_MODELCONFIG_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

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

/// Dynamic mask attention of a layer. Query head h reads key/value head
/// h / (heads / keyValueHeads).
struct AttentionTensors {
  Projection query, key, value,
      maskStep /* dt_proj: [mask heads, kv heads * head_dim] */, output;
  std::string maskA;                             // A: [mask heads]
  std::optional<std::string> queryNorm, keyNorm; // [head_dim]
  /// Kind threshold at 1.0 hides a head with A < 0 entirely and one with A >= 0
  /// not at all; then this tells which heads of A see anything, [mask heads].
  /// Empty where masks have to be computed.
  std::vector<bool> visibleHeads;
};

/// State-space duality of a layer; head h reads group h / (heads / groups).
struct SSDTensors {
  Projection c, b,                 // [groups * state size, hidden]
      x,                           // [heads * head_dim, hidden]
      step,                        // dt_proj: [heads, hidden]
      output;                      // [hidden, heads * head_dim]
  std::string a;                   // [heads]
  bool logarithm = false;          ///< `a` stores log(-A)
  std::optional<std::string> skip; // D: [heads]
  int64_t groups = 0;
};

/// Retrieved single-row experts of a layer. Either `router` [2K, hidden] scores
/// both halves at once (one head), or `queries` [2 * heads * n, hidden], laid
/// out (half, head, n), meet `keys` [heads, K, 2, n].
struct ExpertTensors {
  std::optional<Projection> router;
  Projection queries; ///< empty beside a router
  std::string keys;
  int64_t keyCount = 0; ///< K: keys a half
  int64_t keySize = 0;  ///< n; 0 beside a router
  std::string down, up; // [experts, hidden]
};

/// A decoder layer: x = r1*x + sequence(norm1(x)); x = r2*x + state(norm2(x)).
/// The sequence part is attention or SSD; the state part is an MLP, with or
/// without experts added.
struct LayerTensors {
  std::string sequenceNorm, sequenceResidual, stateNorm,
      stateResidual;                         // each [hidden]
  std::optional<AttentionTensors> attention; ///< exactly one of these two
  std::optional<SSDTensors> ssd;
  std::optional<Projection> gate; // absent: plain MLP
  Projection up, down;
  std::optional<ExpertTensors> experts;
};

struct ModelConfig {
  std::string modelType;
  int64_t vocabulary = 0, hidden = 0, intermediate = 0, layers = 0;
  int64_t heads = 0, keyValueHeads = 0, headDim = 0;
  int64_t maskHeads = 0;    ///< heads of A: equal to keyValueHeads or to heads
  int64_t ssdStateSize = 0; ///< N; 0 without SSD layers
  int64_t experts = 0, expertHeads = 0, expertsPerHead = 0; ///< 0 without
  ScorePlacement scorePlacement = ScorePlacement::Softmax;
  int64_t maxPositions = 0;
  double normEpsilon = 1e-6;
  Activation activation = Activation::SiLU;
  RotaryConfig rotary;
  MaskKind maskKind = MaskKind::Bias;
  double maskThreshold = 1.0;        ///< of kind Threshold
  std::optional<int64_t> keepWindow; ///< absent: every causal key stays
                                     ///< visible; only ever set for kind Bias
  std::string embedding, finalNorm;  ///< tensor names
  std::optional<Projection> head; ///< absent: the embedding is the head (tied)
  std::vector<LayerTensors> layer;

  int64_t attentionLayers() const {
    int64_t count = 0;
    for (const LayerTensors &each : layer) {
      count += each.attention.has_value();
    }
    return count;
  }
  /// Masks, which come of values, decide which keys are seen at all.
  bool masksChoose(const AttentionTensors &attention) const {
    return attention.visibleHeads.empty() &&
           (keepWindow || maskKind == MaskKind::Threshold);
  }
  /// Nothing in the state grows with the sequence.
  bool boundedState() const { return keepWindow || attentionLayers() == 0; }
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;
};

} // namespace cheems

#endif
