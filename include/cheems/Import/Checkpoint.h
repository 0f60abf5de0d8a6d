// A model folder: config.json, one or more safetensors files, tokenizer files.
// Reads and checks; computes nothing.
#ifndef CHEEMS_IMPORT_CHECKPOINT_H
#define CHEEMS_IMPORT_CHECKPOINT_H

#include "cheems/Import/Error.h"
#include "cheems/Import/ModelDescription.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace cheems {

/// Called with one line, without a newline, for each thing the user should
/// know.
using WarningHandler = llvm::function_ref<void(llvm::StringRef)>;

struct CheckpointOptions {
  int64_t leastLayers = 1; ///< fewer layers are refused
  /// JSON files and the chat template may be links to files elsewhere.
  bool allowLinks = false;
};

class Checkpoint {
public:
  /// Opens `folder`. Errors name the file, tensor or field at fault.
  static llvm::Expected<Checkpoint> open(llvm::StringRef folder,
                                         WarningHandler warn,
                                         const CheckpointOptions &options = {});

  const ModelDescription &model() const { return description; }
  /// The stored tensor of this name; it exists for every name in model(), also
  /// where that is of rows of one.
  const TensorView &tensor(llvm::StringRef name) const {
    return tensors.find(name)->second;
  }
  /// Null for a name that model() does not have.
  const TensorView *find(llvm::StringRef name) const {
    auto found = tensors.find(name);
    return found == tensors.end() ? nullptr : &found->second;
  }
  /// F32 unless every matrix is BF16 (f16 and mixed checkpoints count as F32:
  /// nothing is rounded).
  DType precision() const { return storedPrecision; }

  // Raw texts carried into the artefact; empty where the file is absent.
  std::string configJson, generationConfigJson, tokenizerJson,
      tokenizerConfigJson, chatTemplate, toolUseTemplate;

private:
  ModelDescription description;
  llvm::StringMap<TensorView> tensors;
  std::vector<SafeTensorsFile>
      files; // own the mappings that `tensors` point into
  DType storedPrecision = DType::F32;
};

} // namespace cheems

#endif
