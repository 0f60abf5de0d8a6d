// A text as the chunks over which perplexity is measured, as llama-perplexity
// cuts it: figures of both may be held against each other.
#ifndef CHEEMS_RUNTIME_PERPLEXITY_TEXTCHUNKS_H
#define CHEEMS_RUNTIME_PERPLEXITY_TEXTCHUNKS_H

#include "runtime/Tokenizer/Tokenizer.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cheems {

struct TextChunks {
  /// Tokens of the chunks, one after another; what is left of the text after
  /// the last whole chunk is not among them.
  std::vector<int32_t> tokens;
  int64_t length = 0; ///< of a chunk

  int64_t count() const { return static_cast<int64_t>(tokens.size()) / length; }
  const int32_t *chunk(int64_t index) const {
    return tokens.data() + index * length;
  }
  /// The first row of a chunk whose prediction of the next token counts: what
  /// is before it has too little context.
  int64_t firstScored() const { return length / 2; }
  /// Predictions that count, in all chunks.
  int64_t scored() const { return count() * (length - 1 - firstScored()); }
};

/// Cuts `text`, of which errors call the file `name`. Where the tokenizer
/// begins a prompt with its bos token, each chunk's first token gives way to
/// it. At most `most` chunks, where that is not 0. Throws Error for fewer
/// tokens than a chunk has.
TextChunks chunksOf(const Tokenizer &tokenizer, const std::string &text,
                    const std::string &name, int64_t length, int64_t most);

} // namespace cheems

#endif
