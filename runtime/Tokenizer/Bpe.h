// The byte-pair model of tokenizer.json: words to ids by merging the
// best-ranked adjacent pair until none is left.
#ifndef CHEEMS_RUNTIME_TOKENIZER_BPE_H
#define CHEEMS_RUNTIME_TOKENIZER_BPE_H

#include "runtime/Tokenizer/MergeTable.h"
#include "runtime/Tokenizer/TokenTables.h"
#include "runtime/Tokenizer/Vocabulary.h"
#include "runtime/Tokenizer/WordCache.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

class Bpe {
public:
  /// Reads the "model" component. Refused by name: other types, dropout,
  /// subword prefix and suffix.
  /// Vocabulary and merges come from `tables` where they are given.
  Bpe(const tokenizer_json::Json &model, const TokenTables *tables,
      const std::string &where);

  const Vocabulary &vocabulary() const { return words; }

  /// Appends the ids of a word (valid UTF-8 below 2 GiB) in O(n log n). A
  /// character the vocabulary lacks becomes the tokens of its bytes
  /// (byte_fallback) if it has all of them, else unk_token; where no unk_token
  /// is named it is dropped. Throws Error if unk_token is needed and itself not
  /// in the vocabulary, and TooManyTokens where the length of the word tells
  /// that `ids` would have more than `most`. Safe to call from several threads.
  void tokenize(std::string_view word, size_t most,
                std::vector<int32_t> &ids) const;

private:
  struct Symbol;
  /// Those of a word, which become at least as many tokens as `longestToken`
  /// is contained in their number; at most `most` are made.
  std::vector<Symbol> symbolsOf(std::string_view word, size_t most) const;
  /// The tokens of a character's bytes; none unless there is one for each.
  std::vector<int32_t> bytesOf(std::string_view character) const;
  void mergeAll(std::vector<Symbol> &symbols) const;
  int32_t characterId(std::string_view character, char32_t codepoint) const;

  Vocabulary words;
  MergeTable merges;
  std::array<int32_t, 0x200> characterIds; ///< of the code points that hold the
                                           ///< byte alphabet; -1 where none
  std::array<int32_t, 256> byteIds;   ///< of "<0x00>" and so on; -1 where none
  std::optional<std::string> unknown; ///< unk_token
  int32_t unknownId = -1;             ///< -1 where it is no token
  size_t longestToken = 1; ///< bytes, and so at least symbols, of any
  bool fuseUnknown, ignoreMerges, byteFallback;
  mutable WordCache cache;
};

} // namespace cheems

#endif
