// Tokens as clients see them.
#ifndef CHEEMS_SERVER_API_TOKENTEXT_H
#define CHEEMS_SERVER_API_TOKENTEXT_H

#include "runtime/Tokenizer/Tokenizer.h"
#include "server/Api/Json.h"
#include "server/Engine/GenerationRequest.h"

#include <string>
#include <vector>

namespace cheems::serve {

/// The token's text, or "bytes:\xNN…" where its bytes are not UTF-8, or
/// "token_id:N" for a row of the embedding that no token has.
std::string tokenText(const Tokenizer &tokenizer, int32_t token);
/// Its bytes, as a list of numbers.
Json tokenBytes(const Tokenizer &tokenizer, int32_t token);
/// What each token adds to a text, and what is left in the end. Rows of the
/// embedding that no token has add nothing.
std::vector<std::string> tokenPieces(const Tokenizer &tokenizer,
                                     const std::vector<int32_t> &tokens,
                                     bool skipSpecial);
/// Characters of UTF-8.
int64_t characterCount(const std::string &text);
/// JSON has no infinities; -9999 stands for one, as in vLLM.
Json logprobNumber(double logprob);

/// The `logprobs` of a choice of /v1/completions, token by token. What is
/// printed of a chosen token and of the same among the best is one double.
class CompletionLogprobs {
public:
  /// Offsets count characters from `offset` on.
  CompletionLogprobs(const Tokenizer &tokenizer, int64_t offset)
      : tokenizer(tokenizer), offset(offset) {}

  /// `text` is what the token adds to the text.
  void add(const TokenLogprob &logprob, const std::string &text);
  /// What was added, in OpenAI's form; begins a new list.
  Json take();

private:
  const Tokenizer &tokenizer;
  int64_t offset;
  Json tokens = Json::array(), logprobs = Json::array(), top = Json::array(),
       offsets = Json::array();
};

/// One entry of the `content` of a chat's `logprobs`.
Json chatLogprob(const Tokenizer &tokenizer, const TokenLogprob &logprob);

} // namespace cheems::serve

#endif
