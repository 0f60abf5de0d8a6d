// Keeps control tokens that a stranger spelled out in a text from being read as
// control tokens, through a chat template that mixes both.
#ifndef CHEEMS_RUNTIME_SERVE_API_SPECIALTEXTS_H
#define CHEEMS_RUNTIME_SERVE_API_SPECIALTEXTS_H

#include "runtime/Serve/Api/Json.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems::serve {

/// The spellings of a tokenizer's special tokens.
class SpecialTexts {
public:
  explicit SpecialTexts(const Tokenizer &tokenizer);

  /// Where the first at or behind `from` begins, and its length; npos where
  /// there is none. Of several at one place the longest.
  std::pair<size_t, size_t> find(std::string_view text, size_t from) const;

private:
  std::array<std::vector<std::string>, 256> byFirstByte; ///< longest first
};

/// Stands in for what strangers spelled while a template is rendered.
class SpecialMarks {
public:
  /// `all` is every text that goes into the rendering: the mark is a character
  /// that it does not have.
  SpecialMarks(const SpecialTexts &special, const std::string &all);

  /// Puts marks in the place of special tokens, in all strings inside.
  void hide(Json &value);
  bool any() const { return !hidden.empty(); }
  /// With the spellings again.
  std::string shown(std::string_view rendered) const;
  /// The tokens, where what was hidden is plain text, and what else is spelled
  /// is a special token.
  std::vector<int32_t> encode(const Tokenizer &tokenizer,
                              std::string_view rendered) const;

private:
  struct Part {
    std::string text;
    bool isHidden;
  };
  std::vector<Part> split(std::string_view rendered) const;

  const SpecialTexts &special;
  std::string mark;
  std::vector<std::string> hidden;
};

} // namespace cheems::serve

#endif
