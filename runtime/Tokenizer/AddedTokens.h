// Tokens of tokenizer.json's "added_tokens": found in the text itself before
// anything else cuts it.
#ifndef CHEEMS_RUNTIME_TOKENIZER_ADDEDTOKENS_H
#define CHEEMS_RUNTIME_TOKENIZER_ADDEDTOKENS_H

#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Normalizer.h"
#include "runtime/Tokenizer/Regex.h"
#include "runtime/Tokenizer/Vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cheems {

struct AddedToken {
  std::string content;
  int32_t id;
  bool singleWord; ///< found only where no word character touches it
  bool leftStrip;  ///< takes the whitespace before it
  bool rightStrip; ///< takes the whitespace after it
  bool normalized; ///< its normalized form is looked for in the normalized text
  bool special;
  std::string decoded; ///< what decoders get: normalized if `normalized` is set
  bool skipped;        ///< left out with the special tokens
};

class AddedTokens {
public:
  /// Reads the list (null: none). As the reference numbers them, a token has
  /// the vocabulary's id, or else the next one after the vocabulary in the
  /// order of the list, whatever id the file gives. That id must not
  /// contradict the vocabulary.
  AddedTokens(const tokenizer_json::Json *list, const Vocabulary &vocabulary,
              const Normalizer *normalizer, const std::string &where);

  const AddedToken *find(int32_t id) const;
  const AddedToken *find(std::string_view content) const;
  const std::vector<AddedToken> &all() const { return tokens; }

  /// A stretch of text, or an added token found there.
  struct Part {
    TextSpan span;
    int32_t id; ///< -1: text
  };
  /// Cuts `text` (valid UTF-8) at the added tokens whose `normalized` flag is
  /// the given one: leftmost first, the longest of several. Special tokens are
  /// plain text unless `parseSpecial`. `marks`, if it is not empty, has a byte
  /// for each byte of the text: one where that is part of no special token,
  /// else zero. The work is at most the text's length times that of the longest
  /// added token.
  std::vector<Part> split(std::string_view text, bool normalized,
                          bool parseSpecial, std::string_view marks = {}) const;

private:
  /// The strings looked for, as a tree of bytes; node 0 is the root.
  struct Tree {
    struct Node {
      /// Children are ordered by byte: thousands of tokens may begin alike.
      std::vector<std::pair<unsigned char, int32_t>> children;
      int32_t token = -1; ///< index in `tokens`
    };
    std::vector<Node> nodes{1};
    void insert(std::string_view text, int32_t token);
    int32_t child(int32_t node, unsigned char byte) const;
  };
  /// The longest string at the front of `text`, but no special token of more
  /// than `most` bytes: its token and length, or token -1.
  std::pair<int32_t, size_t> longest(const Tree &tree, std::string_view text,
                                     size_t most) const;

  bool standsAlone(std::string_view text, TextSpan span) const;
  bool isWordCharacter(std::string_view character) const;

  std::vector<AddedToken> tokens;
  std::unordered_map<int32_t, size_t> byId;
  std::unordered_map<std::string, size_t> byContent;
  Tree plain, normalizedForms;
  std::optional<Regex> wordCharacter; ///< only where some token is `singleWord`
};

} // namespace cheems

#endif
