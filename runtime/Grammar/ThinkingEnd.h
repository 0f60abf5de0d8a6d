// Finds the end of a model's thinking in the tokens that spell it.
#ifndef CHEEMS_RUNTIME_GRAMMAR_THINKINGEND_H
#define CHEEMS_RUNTIME_GRAMMAR_THINKINGEND_H

#include "runtime/Grammar/VocabularyTrie.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cheems {

/// Finds "</think>" in tokens. Immutable; made once per model.
class ThinkingEnd {
public:
  static constexpr std::string_view text = "</think>";

  explicit ThinkingEnd(std::shared_ptr<const VocabularyTrie> vocabulary);

  /// How many bytes of it the thinking ends with, where it ended with `matched`
  /// before the token; all of them: it is over.
  size_t after(size_t matched, int32_t token) const;
  /// The tokens that may come there: all but those that have more than white
  /// space after the end, because that would be a part of an answer that
  /// nothing checks.
  const std::vector<uint32_t> &mask(size_t matched) const {
    return masks[matched];
  }

private:
  /// The same for bytes; `rest` is what follows the end.
  static size_t advance(size_t matched, std::string_view bytes,
                        std::string_view &rest);
  std::string_view bytesOf(int32_t token) const;

  std::shared_ptr<const VocabularyTrie> vocabulary;
  std::array<std::vector<uint32_t>, text.size()> masks; ///< by bytes matched
};

} // namespace cheems

#endif
