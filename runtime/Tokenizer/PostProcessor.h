// Post-processors of tokenizer.json: which special tokens stand around an
// encoded text.
#ifndef CHEEMS_RUNTIME_TOKENIZER_POSTPROCESSOR_H
#define CHEEMS_RUNTIME_TOKENIZER_POSTPROCESSOR_H

#include "runtime/Tokenizer/Json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cheems {

struct PostProcessor {
  std::vector<int32_t> prefix, suffix;

  /// TemplateProcessing (its `single` form), ByteLevel (which moves no ids),
  /// Sequence; nothing where `component` is null. Others are refused by name.
  /// The ids are not checked against a vocabulary.
  static PostProcessor make(const tokenizer_json::Json *component,
                            const std::string &where);
};

} // namespace cheems

#endif
