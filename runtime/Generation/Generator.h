// The generation loop: sample, hand out, feed back, until something ends it.
#ifndef CHEEMS_RUNTIME_GENERATION_GENERATOR_H
#define CHEEMS_RUNTIME_GENERATION_GENERATOR_H

#include "runtime/Grammar/TokenConstraint.h"
#include "runtime/Sampler/Sampler.h"
#include "runtime/Session/Session.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// What a run cost; times in seconds.
struct Statistics {
  int64_t promptTokens = 0, generatedTokens = 0;
  int64_t decodedTokens = 0; ///< fed back; the last one of an answer is not
  double promptSeconds = 0, generationSeconds = 0;
  /// "prompt: 5 tokens, 123.4 tokens/s; generated: 9 tokens, 45.6 tokens/s".
  std::string line() const;
};

/// Why a generation ended.
enum class Stop { length, endOfText, stopString, contextFull, interrupted };

struct GenerationLimits {
  std::optional<int64_t> maxTokens;    ///< nothing: the context left
  std::vector<int32_t> eosTokens = {}; ///< any of these ends it
  /// These, too, for who makes text of the tokens.
  std::vector<std::string> stopStrings = {};
  /// Asked after each token; true ends it as by a stop string. Null: never.
  std::function<bool()> stopped = nullptr;
  /// What the text may be, from where this one is; it stays there. Null:
  /// anything. Where the text must end, it does so as by an end token.
  std::shared_ptr<const TokenConstraint> constraint = nullptr;
};

/// Runs slot 0 of a session.
class Generator {
public:
  /// Both must outlive it. `interrupted` is asked before each token.
  Generator(Session &session, Sampler &sampler,
            std::function<bool()> interrupted);

  /// Feeds tokens after those already there; at least one. Throws Error, as
  /// Session::prefill does.
  void feed(Span<const int32_t> tokens);
  /// Those after the last token that was fed, [vocabulary]; to be set where
  /// the slot was loaded and nothing is left to feed.
  std::vector<float> lastLogits();
  void setLastLogits(const std::vector<float> &values) { given = values; }

  /// After a feed: `receive` gets each token as it is chosen, the one that
  /// ends the text included. The sampler must have accepted the sequence so
  /// far; it accepts the new tokens here. The last token is not fed.
  Stop generate(const GenerationLimits &limits,
                const std::function<void(int32_t)> &receive);

  const Statistics &statistics() const { return totals; }

private:
  int32_t choose(const uint32_t *mask);

  Session &session;
  Sampler &sampler;
  std::function<bool()> interrupted;
  std::vector<float> given; ///< logits that no step of the session has left
  Statistics totals;
};

} // namespace cheems

#endif
