// Random legal checkpoints of Doge and Cheems, drawn from a seed over
// everything that can be imported.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_RANDOMCHECKPOINT_H
#define CHEEMS_TEST_UNIT_SUPPORT_RANDOMCHECKPOINT_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cheems::test {

/// What is drawn; every field may be changed before writing, within the rules
/// beside it.
struct RandomCheckpoint {
  enum class Stored { F32, BF16, F16, Mixed /* a type a tensor */ };
  /// Which layers have experts: the paper's six patterns, and any.
  enum class Experts { None, First, Last, Ends, Middle, All, Drawn };
  enum class Mask { Bias, Threshold, Scale };
  /// Signs of A in SSD layers; the last is stored as A_log.
  enum class Decay { Negative, Growing, Logarithm };

  uint64_t seed = 0; ///< of the weights too
  bool authorNames = false;
  bool cheems = false; ///< implies authorNames
  bool queryKeyNorms = true;
  bool maskPerAttentionHead = false; ///< else per key/value head
  bool tied = false;
  bool attentionBias = false;
  bool mlpBias = false;      ///< equals attentionBias under the author's names
  bool gated = true;         ///< false only under the author's names
  bool separateHead = false; ///< head_dim is a field: hidden need not be heads
                             ///< * headDim; transformers' names only
  bool dynamicRope = false;  ///< needs headDim > 2
  bool oldRopeFields =
      false; ///< rope_theta + rope_scaling; always so under the author's names
  bool sharded = false; ///< two files and an index
  std::string activation = "silu";
  int64_t vocabulary = 37, hidden = 24, intermediate = 40, layers = 2;
  int64_t heads = 4, keyValueHeads = 2,
          headDim = 6; ///< keyValueHeads divides heads; headDim is even where a
                       ///< layer is attention
  int64_t maxPositions = 2048;
  double theta = 10000.0, factor = 1.0, normEpsilon = 1e-6;
  /// Absent: no field, which means 2048 under transformers' names and no window
  /// under the author's.
  std::optional<int64_t> keepWindow;
  Stored stored = Stored::F32;
  Mask mask = Mask::Bias; ///< others take no keepWindow
  double threshold = 1.0;

  // Layer i is attention where i % attentionPeriod == attentionOffset; 1 and 0
  // but in Cheems.
  int64_t attentionPeriod = 1, attentionOffset = 0;
  /// The `model_type` of a Llama or its kin in place of a Doge: no masks, no
  /// learned residuals, no experts. Needs transformers' names and gates.
  std::string plain;
  /// Even layers of a "smollm3" have it, unless it is 0. Odd ones have no
  /// positions.
  int64_t window = 0;

  int64_t stateSize = 0; ///< even; Cheems only
  int64_t groups = 1;    ///< of SSD layers; divides heads
  bool skip = false;     ///< SSD layers have D
  Decay decay = Decay::Negative;

  Experts expertLayers = Experts::None;
  int64_t keyCount = 2, experts = 4; ///< keyCount = floor(sqrt(experts))
  int64_t expertHeads = 1;           ///< 1 under transformers' names
  int64_t expertsPerHead = 1;        ///< at most keyCount * keyCount
  int64_t retrievalSize = 2;         ///< even; read under the author's names
  bool innerScore = false;

  bool isAttention(int64_t layer) const {
    return layer % attentionPeriod == attentionOffset;
  }
  bool hasExperts(int64_t layer) const;
  bool anyExperts() const;
  bool anyAttention() const;
  bool anySSD() const;
  int64_t maskHeads() const {
    return maskPerAttentionHead ? heads : keyValueHeads;
  }
  /// Tokens a session of the model holds by default.
  int64_t context() const;
  /// One line with all of the above, for failure messages.
  std::string describe() const;
};

/// The configuration of this seed, a plain Doge for a third of them. The same
/// on every machine.
RandomCheckpoint drawCheckpoint(uint64_t seed);
/// A Doge of dense layers with masks of kind bias.
RandomCheckpoint drawDoge(uint64_t seed);

/// Other sizes of what was drawn, for 4-bit integers in groups of 64 or 32:
/// rows of hidden numbers, and of attention's where they are no field of their
/// own, are whole groups of that size and of no larger one. Rows of the MLP's
/// inner numbers are of a length that has no quantized values beside groups of
/// 64, and 8-bit integers beside those of 32.
void drawGroups(RandomCheckpoint &checkpoint, int64_t group);

/// Writes config.json and the weights, scaled so that logits have a standard
/// deviation near 1, into `folder`, which is made. No tokenizer. Throws
/// std::runtime_error or std::filesystem::filesystem_error.
void writeCheckpoint(const RandomCheckpoint &checkpoint,
                     const std::filesystem::path &folder);

/// `count` ids of the checkpoint's vocabulary; they repeat, so equal masks
/// occur in the first layer.
std::vector<int64_t> drawIds(const RandomCheckpoint &checkpoint, int64_t count);

/// Draws that do not depend on the standard library's distributions.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Uniform in [low, high].
  int64_t integer(int64_t low, int64_t high);
  bool chance(double probability) { return uniform() < probability; }
  /// Uniform in [0, 1).
  double uniform();
  /// Mean 0, deviation 1, bounded by 6.
  double normal();
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[integer(0, static_cast<int64_t>(values.size()) - 1)];
  }

private:
  std::mt19937_64 engine;
};

} // namespace cheems::test

#endif
