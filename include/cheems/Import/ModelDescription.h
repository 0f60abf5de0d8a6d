// What a checkpoint computes, whichever family it is of: an embedding, layers
// made of branches, a head. Families describe, the module builder and the
// evaluator walk, and neither knows the other.
#ifndef CHEEMS_IMPORT_MODELDESCRIPTION_H
#define CHEEMS_IMPORT_MODELDESCRIPTION_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cheems {

// Tensors are named as they stand in the checkpoint. `NAME[FIRST:END]` names
// rows of one, so that projections that are stored together need no copies. A
// row is of the last extent, whatever the others are: of experts in one tensor
// [E, N, K], rows [e * N, (e + 1) * N) are expert e.

std::string rowsOf(const std::string &name, int64_t first, int64_t count);

/// y = weight x + bias; weight is [out, in].
struct Projection {
  std::string weight;
  std::optional<std::string> bias;
  int64_t out = 0, in = 0;
};

/// weight * (x / sqrt(mean(x^2) + epsilon))
struct Norm {
  std::string weight;
  double epsilon = 1e-6;
};

/// angle(position, i) = position * theta^(-2i/size), where `size` numbers turn.
/// With `dynamic`, once a sequence of length L passes `trainedPositions`, theta
/// grows by ((factor*L/trainedPositions) - (factor-1))^(size/(size-2)).
struct RotaryConfig {
  double theta = 10000.0;
  bool dynamic = false;
  double factor = 1.0;
  int64_t trainedPositions = 0;
};

/// angle(position, i) = position * frequencies[i]; cosines and sines are
/// multiplied by `factor`.
struct RotaryList {
  std::vector<double> frequencies;
  double factor = 1.0;
};

using RotaryRule = std::variant<RotaryConfig, RotaryList>;

/// The first `size` numbers of a head turn, in pairs (i, i + size/2), by a
/// table of the model; what follows them stays.
struct RotaryUse {
  size_t table = 0;
  int64_t size = 0;
};

/// Masks exp(a * softplus(step(value))), which are added to scores, multiply
/// weights, or hide keys below a threshold.
struct DynamicMask {
  MaskKind kind = MaskKind::Bias;
  double threshold = 1.0;      ///< of kind Threshold
  std::optional<int64_t> keep; ///< keys a head keeps, the best by their mask;
                               ///< only ever set for kind Bias
  int64_t heads = 0;           ///< of a: as many as key or as query heads
  Projection step;             ///< [heads, key heads * head size]
  std::string a;               ///< [heads]
  /// Kind threshold at 1.0 hides a head with a < 0 entirely and one with a >= 0
  /// not at all; then this tells which heads see anything, [heads]. Empty where
  /// masks have to be computed.
  std::vector<bool> visibleHeads;
};

/// Causal attention. Query head h reads key head h / (heads / keyValueHeads).
struct Attention {
  int64_t heads = 0, keyValueHeads = 0, headSize = 0;
  Projection query, key, value, output;
  std::optional<Norm> queryNorm, keyNorm; ///< of each head, before it turns
  double scale = 1.0;                     ///< of scores
  std::optional<RotaryUse> rotary;        ///< absent: no positions
  std::optional<DynamicMask> mask;        ///< absent: every earlier key counts
  std::optional<int64_t> window; ///< row t sees j with t - window < j <= t

  /// Masks, which come of values, decide which keys are seen at all.
  bool masksChoose() const {
    return mask && mask->visibleHeads.empty() &&
           (mask->keep || mask->kind == MaskKind::Threshold);
  }
  /// Masks are computed, so they are stored.
  bool computesMasks() const { return mask && mask->visibleHeads.empty(); }
  /// Every head is hidden: the output is zero before its projection.
  bool seesNothing() const;
};

/// State-space duality; head h reads group h / (heads / groups).
struct SSD {
  int64_t heads = 0, headSize = 0, stateSize = 0, groups = 0;
  Projection c, b,                 // [groups * state size, hidden]
      x,                           // [heads * head size, hidden]
      step,                        // [heads, hidden]
      output;                      // [hidden, heads * head size]
  std::string a;                   // [heads]
  bool logarithm = false;          ///< `a` stores log(-A)
  std::optional<std::string> skip; // D: [heads]
  std::optional<RotaryUse> rotary; ///< of b and c
};

/// down(activation(gate(x)) * up(x)), or down(activation(up(x))).
struct MLP {
  std::optional<Projection> gate;
  Projection up, down;
  Activation activation = Activation::SiLU;
};

/// Single-row experts. Either `router` [2K, hidden] scores both halves at once
/// (one head), or `queries` [2 * heads * n, hidden], laid out (half, head, n),
/// meet `keys` [heads, K, 2, n].
struct RetrievedExperts {
  int64_t experts = 0, heads = 0, perHead = 0;
  ScorePlacement placement = ScorePlacement::Softmax;
  Activation activation = Activation::SiLU;
  std::optional<Projection> router;
  Projection queries; ///< empty beside a router
  std::string keys;
  int64_t keyCount = 0; ///< K: keys a half
  int64_t keySize = 0;  ///< n; 0 beside a router
  std::string down, up; // [experts, hidden]
};

/// outputFactor * what(inputFactor * x)
struct Mixer {
  std::variant<Attention, SSD, MLP, RetrievedExperts> what;
  double inputFactor = 1.0, outputFactor = 1.0;
};

/// x = weight * x + factor * y; without a weight x stays as it is.
struct Residual {
  std::optional<std::string> weight; ///< [hidden]
  double factor = 1.0;
};

/// y is the sum of the mixers' outputs, which stand side by side on norm(x).
struct Branch {
  Norm norm;
  std::vector<Mixer> mixers;
  Residual residual;
};

struct Layer {
  std::vector<Branch> branches;

  /// The first mixer of this kind, or null.
  template <typename T> const T *find() const {
    for (const Branch &branch : branches) {
      for (const Mixer &mixer : branch.mixers) {
        if (const T *found = std::get_if<T>(&mixer.what)) {
          return found;
        }
      }
    }
    return nullptr;
  }
};

/// logits = logitFactor * head(norm(layers(embeddingFactor * embedding[id])))
struct ModelDescription {
  std::string modelType;
  int64_t vocabulary = 0, hidden = 0;
  int64_t maxPositions = 0; ///< trained length
  std::string embedding;    ///< [vocabulary, hidden]
  double embeddingFactor = 1.0;
  std::vector<RotaryRule> rotary;
  std::vector<Layer> layers;
  Norm finalNorm;
  std::optional<Projection> head; ///< absent: the embedding is the head (tied)
  double logitFactor = 1.0;
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;

  /// The first mixer of this kind in any layer, or null.
  template <typename T> const T *find() const {
    for (const Layer &layer : layers) {
      if (const T *found = layer.find<T>()) {
        return found;
      }
    }
    return nullptr;
  }
  /// How many mixers of this kind there are.
  template <typename T> int64_t count() const {
    int64_t found = 0;
    for (const Layer &layer : layers) {
      for (const Branch &branch : layer.branches) {
        for (const Mixer &mixer : branch.mixers) {
          found += std::holds_alternative<T>(mixer.what);
        }
      }
    }
    return found;
  }
  /// The longest window of rows; 0: no layer has one.
  int64_t longestWindow() const;
  /// Nothing in the state grows with the sequence.
  bool boundedState() const;
};

} // namespace cheems

#endif
