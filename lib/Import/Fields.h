// Tables of the fields of config.json, and what is read alike in all families.
#ifndef CHEEMS_LIB_IMPORT_FIELDS_H
#define CHEEMS_LIB_IMPORT_FIELDS_H

#include "cheems/Import/Checkpoint.h"
#include "lib/Import/ConfigReader.h"

namespace cheems {

// Far above any model, and low enough that no product of two of them overflows.
constexpr int64_t largestSize = 1 << 24, largestCount = 1 << 16,
                  largestIndex = INT32_MAX;

/// What becomes of a field.
enum class FieldRole {
  Used,     ///< read and checked
  Harmless, ///< does not change the logits
  Refused,  ///< only the value that means "off" is accepted
};
/// A row of a table in docs/config.md, word for word.
struct ConfigField {
  llvm::StringLiteral name; ///< "rope_parameters.x" stands for x inside
                            ///< `rope_parameters` and `rope_scaling`
  FieldRole role;
  llvm::StringLiteral otherwise; ///< what an absent field means
  llvm::StringLiteral meaning;   ///< or why it is harmless or refused
};
/// The fields that mean the same in every family.
llvm::ArrayRef<ConfigField> commonFields();

/// A warning for each field that no row names.
void warnOfUnknownFields(const llvm::json::Object &config,
                         llvm::ArrayRef<ConfigField> fields,
                         llvm::StringRef file, WarningHandler warn);

// Each reads fields into a part of a description; mistakes go to `reader`.

/// Those whose role in commonFields() is Refused.
void refuseCommonFields(ConfigReader &reader);
/// A norm's epsilon, as f32 can add it.
double readEpsilon(ConfigReader &reader, llvm::StringRef name,
                   double otherwise);
/// Refuses activations that no op has.
Activation readActivation(ConfigReader &reader, llvm::StringRef name,
                          llvm::StringRef otherwise);
/// Absent where the field is null; -1 means the same in older configurations.
std::optional<int64_t> readToken(ConfigReader &reader, llvm::StringRef name,
                                 std::optional<int64_t> otherwise,
                                 int64_t vocabulary);
/// Reads a field that holds one token or a list.
std::vector<int64_t> readTokens(ConfigReader &reader, llvm::StringRef name,
                                std::optional<int64_t> otherwise,
                                int64_t vocabulary);

/// Sizes of attention's heads.
struct HeadFields {
  int64_t heads, keyValueHeads, size;
  bool sizeGiven; ///< head_dim is there
};
/// Heads have `otherwise` numbers where head_dim is absent; 0: hidden / heads.
HeadFields readHeads(ConfigReader &reader, int64_t hidden, int64_t defaultHeads,
                     int64_t otherwise = 0);
/// Rotary embedding pairs numbers of a head.
void checkEvenHeads(ConfigReader &reader, const HeadFields &found,
                    int64_t hidden);

} // namespace cheems

#endif
