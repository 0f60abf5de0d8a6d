// The rotary part of config.json, in both spellings.
#ifndef CHEEMS_LIB_IMPORT_ROTARY_H
#define CHEEMS_LIB_IMPORT_ROTARY_H

#include "lib/Import/Fields.h"

namespace cheems {

/// What turns by a table, for messages.
struct TurnedNumbers {
  llvm::StringRef what; ///< "a head_dim"
  int64_t size;
};

/// What the rest of config.json says of rotary embedding.
struct RotaryFields {
  llvm::StringRef file;
  llvm::ArrayRef<ConfigField> rows; ///< of the family, for names in the table
  double theta = 10000.0;           ///< where no field says it
  int64_t maxPositions = 0;
  /// The table where neither field is there; null: none.
  const llvm::json::Object *otherwise = nullptr;
  /// What turns. Dynamic scaling needs more than two numbers.
  llvm::SmallVector<TurnedNumbers, 2> uses;
  bool wholeHeads = false; ///< partial_rotary_factor is refused
  /// Numbers that turn where frequencies are listed. 0: the types whose
  /// frequencies are a list are refused.
  int64_t headSize = 0;
  double part = 1.0; ///< of a head, where the table does not say it
};

struct ReadRotary {
  RotaryRule table;
  int64_t size = 0; ///< of a head of `headSize`, the numbers that turn
};

/// Reads `rope_parameters`, or `rope_theta` with `rope_scaling`. Mistakes go to
/// `reader`.
ReadRotary readRotary(ConfigReader &reader, const RotaryFields &fields,
                      WarningHandler warn);

} // namespace cheems

#endif
