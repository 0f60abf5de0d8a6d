// Normalizers of tokenizer.json: text to text, before added tokens marked
// `normalized` are looked for.
#ifndef CHEEMS_RUNTIME_TOKENIZER_NORMALIZER_H
#define CHEEMS_RUNTIME_TOKENIZER_NORMALIZER_H

#include "runtime/Tokenizer/Json.h"

#include <memory>
#include <string>

namespace cheems {

class Normalizer {
public:
  virtual ~Normalizer() = default;
  /// Rewrites valid UTF-8 in place; clears `beginsText` if it takes away the
  /// front. `marks`, if it is not empty, has one for each byte of the text
  /// (see AddedTokens::split) and is rewritten with it: what a marked byte has
  /// a part in is marked.
  virtual void apply(std::string &text, std::string &marks,
                     bool &beginsText) const = 0;
  void apply(std::string &text) const {
    std::string marks;
    bool beginsText = true;
    apply(text, marks, beginsText);
  }

  /// NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, Sequence; null
  /// where `component` is null. Others are refused by name.
  static std::unique_ptr<Normalizer> make(const tokenizer_json::Json *component,
                                          const std::string &where,
                                          int depth = 0);
};

} // namespace cheems

#endif
