#include "runtime/Perplexity/TextChunks.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems {

TextChunks chunksOf(const Tokenizer &tokenizer, const std::string &text,
                    const std::string &name, int64_t length, int64_t most) {
  TextChunks chunks;
  chunks.length = length;
  chunks.tokens = tokenizer.encode(text, true);
  auto have = static_cast<int64_t>(chunks.tokens.size());
  if (have < length) {
    throw Error(name + ": its " + std::to_string(have) +
                " tokens do not fill a chunk of " + std::to_string(length) +
                "; use a longer text or a smaller -c");
  }
  int64_t count = have / length;
  if (most != 0) {
    count = std::min(count, most);
  }
  chunks.tokens.resize(static_cast<size_t>(count * length));
  std::vector<int32_t> around = tokenizer.encode("", true);
  if (!around.empty() && tokenizer.bosId() == around.front()) {
    for (int64_t i = 0; i < count; ++i) {
      chunks.tokens[static_cast<size_t>(i * length)] = around.front();
    }
  }
  return chunks;
}

} // namespace cheems
