// config.json on its own: which fields there are, what they mean, and the
// defaults of each name set.
#ifndef CHEEMS_LIB_IMPORT_CONFIG_H
#define CHEEMS_LIB_IMPORT_CONFIG_H

#include "cheems/Import/Checkpoint.h"
#include "llvm/Support/JSON.h"

namespace cheems {

// Far above any model, and low enough that no product of two of them overflows.
constexpr int64_t largestSize = 1 << 24, largestCount = 1 << 16;

/// Whose tensor names a checkpoint has: transformers' Doge, the author's Doge,
/// the author's Cheems. Absent fields take that code's defaults.
enum class NameSet { Transformers, Author, Cheems };

/// What becomes of a field; `docs/config.md` holds the same table.
enum class FieldRole {
  Used,     ///< read and checked
  Harmless, ///< does not change the logits
  Refused,  ///< only the value that means "off" is accepted
};
struct ConfigField {
  llvm::StringLiteral name;
  FieldRole role;
};
/// Every field of config.json that is not warned about; "rope_parameters.x"
/// stands for x inside `rope_parameters` and `rope_scaling`.
llvm::ArrayRef<ConfigField> configFields();

struct CheckpointConfig {
  std::string file; ///< that this was read from
  /// All but maskHeads and the tensor names. What experts are like is read
  /// whether there are any or not.
  ModelConfig model;
  bool tied = false;
  /// Layer i is attention where i % attentionPeriod == attentionOffset, SSD
  /// elsewhere.
  int64_t attentionPeriod = 1, attentionOffset = 0;
  bool isAttention(int64_t layer) const {
    return layer % attentionPeriod == attentionOffset;
  }
  bool anyAttention() const {
    return attentionOffset < attentionPeriod && attentionOffset < model.layers;
  }
  bool anySSD() const {
    return attentionPeriod > 1 ? model.layers > 1 || attentionOffset != 0
                               : attentionOffset != 0;
  }
  /// The bias flags and the field that set each; absent: the tensors alone
  /// decide.
  struct BiasFlag {
    bool value;
    llvm::StringRef field;
  };
  std::optional<BiasFlag> attentionBias, ssdBias, mlpBias;

  std::optional<bool> isMoE; ///< what is_moe says; the tensors decide
  int64_t retrievalSize = 0; ///< both halves of a query for experts
  llvm::StringRef expertsField, expertsPerHeadField; ///< for messages
};

/// Refuses models of another type. Separate, because a foreign model should not
/// be reported as a broken one of ours.
llvm::Error checkModelType(const llvm::json::Object &config,
                           llvm::StringRef file);

/// Reads all fields. `file` leads messages. Fewer layers are refused.
llvm::Expected<CheckpointConfig> readConfig(const llvm::json::Object &config,
                                            NameSet names, llvm::StringRef file,
                                            WarningHandler warn,
                                            int64_t leastLayers = 1);

} // namespace cheems

#endif
