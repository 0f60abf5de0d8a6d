// The byte-pair model of tokenizer.json: words to ids by merging the
// best-ranked adjacent pair until none is left.
#ifndef CHEEMS_RUNTIME_TOKENIZER_BPE_H
#define CHEEMS_RUNTIME_TOKENIZER_BPE_H

#include "runtime/Tokenizer/MergeTable.h"
#include "runtime/Tokenizer/TokenTables.h"
#include "runtime/Tokenizer/Vocabulary.h"
#include "runtime/Tokenizer/WordCache.h"

#include <array>
#include <string_view>
#include <vector>

namespace cheems {

class Bpe {
public:
  /// Reads the "model" component. Refused by name: other types, dropout,
  /// byte_fallback, subword prefix and suffix.
  /// Vocabulary and merges come from `tables` where they are given.
  Bpe(const tokenizer_json::Json &model, const TokenTables *tables,
      const std::string &where);

  const Vocabulary &vocabulary() const { return words; }

  /// Appends the ids of a word (valid UTF-8 below 2 GiB) in O(n log n). A
  /// character the vocabulary lacks becomes unk_token, or an Error where there
  /// is none. Safe to call from several threads.
  void tokenize(std::string_view word, std::vector<int32_t> &ids) const;

private:
  struct Symbol;
  std::vector<Symbol> symbolsOf(std::string_view word) const;
  void mergeAll(std::vector<Symbol> &symbols) const;
  int32_t characterId(std::string_view character, char32_t codepoint) const;

  Vocabulary words;
  MergeTable merges;
  std::array<int32_t, 0x200> characterIds; ///< of the code points that hold the
                                           ///< byte alphabet; -1 where none
  int32_t unknownId = -1;
  bool fuseUnknown, ignoreMerges;
  mutable WordCache cache;
};

} // namespace cheems

#endif
