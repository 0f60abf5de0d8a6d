// What Doge and Cheems share: layers of two halves with learned residuals,
// attention under masks that come of values, and retrieved experts. Their
// families say how things are called and what absent fields mean.
#ifndef CHEEMS_LIB_IMPORT_DOGELIKE_DOGELIKE_H
#define CHEEMS_LIB_IMPORT_DOGELIKE_DOGELIKE_H

#include "lib/Import/Families/Family.h"

namespace cheems {

/// What differs between transformers' Doge, the author's Doge and Cheems.
/// Projections, query/key norms and the tables of experts have the same names.
struct DogeLikeKind {
  llvm::StringLiteral modelType;

  // names of tensors; `attention`, `ssd` and `mlp` lead those of their parts
  llvm::StringLiteral embedding, finalNorm;
  llvm::StringLiteral sequenceNorm, sequenceResidual, stateNorm, stateResidual;
  llvm::StringLiteral attention, ssd, mlp;
  bool plainMLP; ///< layers without gate_proj exist
  bool router; ///< experts are scored by router_gate, else by queries and keys

  // what absent fields mean
  int64_t vocabulary, hidden, intermediate, layers, heads;
  bool tied;
  std::optional<int64_t> keepWindow, bos, eos, pad;
  double rotaryFactor; ///< of dynamic rotary where no table is there; 0: none

  /// Layers may be SSD, by attn_layer_period and attn_layer_offset.
  bool hybrid() const { return !ssd.empty(); }
};
const DogeLikeKind &dogeKind();        ///< transformers'
const DogeLikeKind &authorsDogeKind(); ///< the author's
const DogeLikeKind &cheemsKind();      ///< the author's

/// The rows that Doge and Cheems have in common.
llvm::ArrayRef<ConfigField> dogeLikeFields();

/// config.json, without what tensors say.
struct DogeLikeFields {
  std::string file; ///< that this was read from
  int64_t vocabulary = 0, hidden = 0, intermediate = 0, layers = 0;
  int64_t heads = 0, keyValueHeads = 0, headDim = 0;
  int64_t ssdStateSize = 0; ///< N; 0 without SSD layers
  int64_t maxPositions = 0;
  double normEpsilon = 1e-6;
  Activation activation = Activation::SiLU;
  RotaryConfig rotary;
  MaskKind maskKind = MaskKind::Bias;
  double maskThreshold = 1.0;        ///< of kind Threshold
  std::optional<int64_t> keepWindow; ///< only ever set for kind Bias
  bool tied = false;
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;
  Binder::Flag attentionBias, ssdBias, mlpBias;

  /// Layer i is attention where i % attentionPeriod == attentionOffset, SSD
  /// elsewhere.
  int64_t attentionPeriod = 1, attentionOffset = 0;
  bool isAttention(int64_t layer) const {
    return layer % attentionPeriod == attentionOffset;
  }
  bool anyAttention() const {
    return attentionOffset < attentionPeriod && attentionOffset < layers;
  }
  bool anySSD() const {
    return attentionPeriod > 1 ? layers > 1 || attentionOffset != 0
                               : attentionOffset != 0;
  }

  // what experts are like, should there be any
  int64_t experts = 0, expertHeads = 0, expertsPerHead = 0;
  ScorePlacement scorePlacement = ScorePlacement::Softmax;
  std::optional<bool> isMoE; ///< what is_moe says; the tensors decide
  int64_t retrievalSize = 0; ///< both halves of a query for experts
  llvm::StringRef expertsField, expertsPerHeadField; ///< for messages
};

llvm::Expected<DogeLikeFields> readDogeLike(const FamilyInput &input,
                                            const DogeLikeKind &kind);

// Parts of it; mistakes go to `reader`.

/// Which layers are attention; `layers` is set already.
void readPattern(ConfigReader &reader, const DogeLikeKind &kind,
                 DogeLikeFields &result);
/// The SSD layers' state size, 0 where no layer has one; the pattern and
/// headDim are set already.
void readState(ConfigReader &reader, DogeLikeFields &result);
/// The kind of dynamic mask, its threshold and its window, which is that of
/// `kind` where the field is absent.
void readMask(ConfigReader &reader, const DogeLikeKind &kind,
              DogeLikeFields &result, WarningHandler warn);
/// What layers with experts have.
void readExperts(ConfigReader &reader, const DogeLikeKind &kind,
                 DogeLikeFields &result);

/// Decides by the embedding's name and by those of the layers; a model_type
/// that says otherwise is an error. `file` is that of config.json.
llvm::Expected<const DogeLikeKind *> findDogeLikeKind(const Binder &binder,
                                                      llvm::StringRef modelType,
                                                      llvm::StringRef file);

/// Family::describe of both.
llvm::Expected<ModelDescription> describeDogeLike(const FamilyInput &input,
                                                  Binder &binder);

} // namespace cheems

#endif
