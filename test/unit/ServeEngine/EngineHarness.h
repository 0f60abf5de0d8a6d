// An engine on stand-in models, a sink that remembers, and what a generator
// alone says to the same request.
#ifndef CHEEMS_TEST_UNIT_SERVEENGINE_ENGINEHARNESS_H
#define CHEEMS_TEST_UNIT_SERVEENGINE_ENGINEHARNESS_H

#include "../Generation/TalkingArtifact.h"
#include "server/Engine/EngineOptions.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace cheems::test {

/// The three kinds of state.
enum class Kind { entries, hybrid, window };
const char *nameOf(Kind kind);
/// `window` keeps 12 keys.
std::shared_ptr<TextModel> textModel(Kind kind);

struct ChoiceHeard {
  std::string text;
  std::vector<int32_t> tokens;
  std::vector<serve::TokenLogprob> logprobs;
  std::optional<serve::ChoiceEnd> end;
};

/// Remembers what it hears, and that no rule of GenerationSink is broken.
class Listener : public serve::GenerationSink {
public:
  void started(int64_t slot, int64_t cachedTokens) override;
  void prompted(int64_t fed, int64_t all) override;
  void promptLogprobs(std::vector<serve::TokenLogprob> logprobs) override;
  void piece(serve::TextPiece piece) override;
  void embedding(std::vector<float> values) override { embedded = values; }
  void ended(const serve::ChoiceEnd &end) override;
  void done(const serve::GenerationUsage &usage) override;
  void failed(const serve::GenerationFault &fault) override;

  /// Until it is over.
  void wait();
  /// Until a token came or it is over.
  void waitForToken();
  bool over() const;

  std::map<int64_t, ChoiceHeard> choices;
  std::vector<serve::TokenLogprob> prompt;
  std::vector<float> embedded;
  int64_t slot = -1, cached = -1, fed = 0;
  std::optional<serve::GenerationUsage> usage;
  std::optional<serve::GenerationFault> fault;
  std::string broken; ///< the first rule that was
  /// Called after each piece, on the engine's thread.
  std::function<void()> onPiece;

private:
  void check(bool sound, const char *rule);
  void tell();

  mutable std::mutex mutex;
  std::condition_variable changed;
};

serve::EngineOptions engineOptions(int64_t slots);
serve::GenerationRequest request(std::vector<int32_t> prompt,
                                 std::optional<int64_t> maxTokens);
std::vector<int32_t> randomPrompt(uint64_t seed, size_t length);

/// The tokens of the choice-th choice, by a Session alone.
std::vector<int32_t> alone(TextModel &text,
                           const serve::GenerationRequest &request,
                           int64_t choice = 0);

/// Submits and waits.
std::shared_ptr<Listener> ask(serve::GenerationEngine &engine,
                              const serve::GenerationRequest &request);

} // namespace cheems::test

#endif
