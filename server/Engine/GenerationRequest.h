// What every interface of the server asks the engine for, whatever words it has
// for it.
#ifndef CHEEMS_SERVER_ENGINE_GENERATIONREQUEST_H
#define CHEEMS_SERVER_ENGINE_GENERATIONREQUEST_H

#include "runtime/Budget.h"
#include "runtime/Grammar/Grammar.h"
#include "runtime/Sampler/SamplingOptions.h"
#include "runtime/Session/Pooling.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems::serve {

/// One prompt, and what is to come of it.
struct GenerationRequest {
  std::string id; ///< "chatcmpl-…": of the request, for logs
  /// At least one token; special tokens included.
  std::vector<int32_t> prompt;
  /// Ascending lengths of the prompt at which another one is likely to part
  /// from it: the ends of the system prompt and of each message.
  std::vector<int64_t> boundaries;
  int64_t choices = 1; ///< texts that go on from the prompt
  /// The i-th choice draws with seed + i.
  SamplingOptions sampling;
  /// 0: the prompt is read and nothing is generated; nothing: the context left.
  std::optional<int64_t> maxTokens;
  bool ignoreEos = false;
  /// A text ends before the first of them; it is not a part of the text.
  std::vector<std::string> stopStrings;
  /// Log-probabilities are wanted of each generated token, and of so many of
  /// the best beside it.
  std::optional<int64_t> topLogprobs;
  /// The same of each token of the prompt, where topLogprobs is set.
  bool promptLogprobs = false;
  std::shared_ptr<const Grammar> grammar; ///< null: any text
  /// The prompt ends within the model's thinking: the grammar holds what comes
  /// after its end, and no text ends before.
  bool thinksFirst = false;
  /// Whether a state of an earlier prompt may be used, and this one's be kept.
  bool cachePrompt = true;
  std::optional<int64_t> slot; ///< to run in, when it is free
  /// Whose turn it takes where requests wait.
  std::string party;
  /// Requests share states only with those of the same name: a hash of the API
  /// key where isolation is asked for, and the client's salt; else "".
  std::string isolation;
  /// The embedding of the prompt is wanted, and nothing is generated.
  std::optional<Pooling> embedding;
  /// When the client's request came that it is a part of; nothing: now.
  std::optional<std::chrono::steady_clock::time_point> began;
  /// The client's request has several prompts, and others of it were taken
  /// before: this one is not refused because the server begins to end.
  bool follows = false;
  /// None of those other prompts is left, so there is no end of one to wait
  /// for: this one is not refused when the queue is full, either.
  bool isDue = false;
  /// Special tokens that are generated are a part of the text.
  bool showSpecial = false;
  /// These are it in any case, such as one that begins a call of a tool.
  std::vector<int32_t> shownTokens;
  /// What the request needs while it runs is taken from this share; null:
  /// nobody counts.
  std::shared_ptr<BudgetShare> memory;
};

/// Natural logarithms in double, without a sampler's options.
struct TokenLogprob {
  int32_t token = 0;
  /// Nothing for the first token of a prompt.
  std::optional<double> logprob;
  struct Candidate {
    int32_t token;
    double logprob;
  };
  /// The most probable first; of equals the lower token.
  std::vector<Candidate> best;
};

/// Why a choice ended.
enum class FinishReason { stop, length, cancelled };

/// What a request cost; times in seconds.
struct GenerationUsage {
  int64_t promptTokens = 0;
  int64_t cachedTokens = 0; ///< of them, whose state was there
  int64_t generatedTokens = 0;
  double queueSeconds = 0;
  double promptSeconds = 0;
  double generationSeconds = 0;
};

/// Why a request was refused or ended early.
struct GenerationFault {
  enum class Kind {
    invalid,       ///< the request asks for what cannot be: 400
    contextLength, ///< the prompt does not fit: 400, context_length_exceeded
    queueFull,     ///< 429
    timeout,       ///< of the queue or of the whole request: 503, 408
    memory,        ///< all requests take too much of it: 503
    shuttingDown,  ///< 503
    internal       ///< 500
  };
  Kind kind = Kind::internal;
  std::string message;   ///< one line
  std::string parameter; ///< the field at fault, or ""
};

} // namespace cheems::serve

#endif
