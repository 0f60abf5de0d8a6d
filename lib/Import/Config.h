// config.json on its own: which fields there are, what they mean, and the
// defaults of each name set.
#ifndef CHEEMS_LIB_IMPORT_CONFIG_H
#define CHEEMS_LIB_IMPORT_CONFIG_H

#include "cheems/Import/Checkpoint.h"
#include "llvm/Support/JSON.h"

namespace cheems {

/// Whose tensor names a checkpoint has; absent fields take that code's
/// defaults.
enum class NameSet { Transformers, Author };

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
  ModelConfig model; ///< all but maskHeads and the tensor names
  bool tied = false;
  /// The bias flags and the field that set each; absent: the tensors alone
  /// decide.
  struct BiasFlag {
    bool value;
    llvm::StringRef field;
  };
  std::optional<BiasFlag> attentionBias, mlpBias;
};

/// Refuses models of another type. Separate, because a foreign model should not
/// be reported as a broken Doge.
llvm::Error checkModelType(const llvm::json::Object &config,
                           llvm::StringRef file);

/// Reads all fields. `file` leads messages.
llvm::Expected<CheckpointConfig> readConfig(const llvm::json::Object &config,
                                            NameSet names, llvm::StringRef file,
                                            WarningHandler warn);

} // namespace cheems

#endif
