// A family of models: which fields config.json has and what becomes of each,
// how its tensors are called, and what a checkpoint of it computes. Each is one
// file of this folder.
#ifndef CHEEMS_LIB_IMPORT_FAMILIES_FAMILY_H
#define CHEEMS_LIB_IMPORT_FAMILIES_FAMILY_H

#include "lib/Import/Binder.h"
#include "lib/Import/Fields.h"

namespace cheems {

/// A folder whose family is known.
struct FamilyInput {
  const llvm::json::Object &config;
  llvm::StringRef file;      ///< of `config`; leads messages
  llvm::StringRef modelType; ///< one of the family's
  int64_t leastLayers;       ///< fewer are refused
  WarningHandler warn;
};

/// A value of model_type, and what says the same where it is missing.
struct ModelKind {
  llvm::StringLiteral modelType;
  llvm::StringLiteral architecture; ///< in `architectures`
  llvm::StringLiteral tensor = "";  ///< that only this kind has; may be empty
};

struct Family {
  llvm::StringLiteral name; ///< the heading of its table in docs/config.md
  llvm::ArrayRef<ModelKind> kinds;
  /// Its tables of fields; those of every family come to these.
  llvm::ArrayRef<llvm::ArrayRef<ConfigField>> fields;
  /// Reads the fields, takes the tensors from `binder`, and says what they
  /// compute.
  llvm::Expected<ModelDescription> (*describe)(const FamilyInput &input,
                                               Binder &binder);
  /// Whether modules are built of its models. Others are read and refused, and
  /// messages do not name them as supported.
  bool isBuilt = true;
};

// One a file; Registry.cpp lists them.
const Family &cheemsFamily();
const Family &dogeFamily();
const Family &llamaFamily();

llvm::ArrayRef<const Family *> families();
/// All fields of a family, those of every family last.
std::vector<ConfigField> fieldsOf(const Family &family);

/// The family of a folder and the kind of model within it: by model_type, or
/// where that is missing by `architectures`, or by a tensor. `weights` is null
/// where there are none. All else is refused by name.
struct FoundFamily {
  const Family *family;
  const ModelKind *kind;
};
llvm::Expected<FoundFamily> findFamily(const llvm::json::Object &config,
                                       llvm::StringRef file,
                                       const WeightFiles *weights);

} // namespace cheems

#endif
