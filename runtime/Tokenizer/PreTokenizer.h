// Pre-tokenizers of tokenizer.json: they cut a text into the words byte-pair
// merging never crosses.
#ifndef CHEEMS_RUNTIME_TOKENIZER_PRETOKENIZER_H
#define CHEEMS_RUNTIME_TOKENIZER_PRETOKENIZER_H

#include "runtime/Tokenizer/Regex.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// A text and the pieces it is cut into: non-empty, in order, not overlapping;
/// what lies between them is dropped.
struct Pieces {
  std::string text;
  std::vector<TextSpan> spans;
  bool beginsText; ///< whether it is the front of what is encoded

  explicit Pieces(std::string whole, bool beginsText = true);
  std::string_view operator[](size_t index) const {
    return std::string_view(text).substr(spans[index].begin,
                                         spans[index].end - spans[index].begin);
  }
};

class PreTokenizer {
public:
  virtual ~PreTokenizer() = default;
  /// Cuts every piece further, or rewrites it.
  virtual void apply(Pieces &pieces) const = 0;

  /// Sequence, Split, ByteLevel, Digits, Metaspace, Punctuation,
  /// UnicodeScripts, Whitespace, WhitespaceSplit; null where `component` is
  /// null. Others are refused by name.
  static std::unique_ptr<PreTokenizer>
  make(const tokenizer_json::Json *component, const std::string &where);
};

} // namespace cheems

#endif
