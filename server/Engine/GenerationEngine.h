// The seam between a server's requests and what runs them: requests go in from
// any thread, and their sinks hear what comes of them.
#ifndef CHEEMS_SERVER_ENGINE_GENERATIONENGINE_H
#define CHEEMS_SERVER_ENGINE_GENERATIONENGINE_H

#include "server/Engine/GenerationRequest.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cheems::serve {

/// A part of one choice's text.
struct TextPiece {
  int64_t choice = 0;
  /// Whole characters of UTF-8; empty where the token completes none, or what
  /// it adds may be the beginning of a stop string.
  std::string text;
  std::optional<int32_t> token; ///< nothing: text that was held back comes out
  std::optional<TokenLogprob> logprob; ///< of the token, where it was asked for
  size_t held = 0;                     ///< bytes after it that are held back
};

struct ChoiceEnd {
  int64_t choice = 0;
  FinishReason reason = FinishReason::stop;
  std::string stopString; ///< that ended it, or ""
  int64_t generatedTokens = 0;
};

/// Hears of one request, on the engine's thread: it must neither block nor
/// throw. The last call is exactly one of `done` and `failed`.
class GenerationSink {
public:
  virtual ~GenerationSink() = default;
  /// A slot was found; so many tokens of the prompt need not be computed.
  virtual void started(int64_t slot, int64_t cachedTokens) {}
  /// How many tokens of the prompt are fed.
  virtual void prompted(int64_t fed, int64_t all) {}
  /// Those of the prompt in order, some at a time: all of them together.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): most sinks keep it
  virtual void promptLogprobs(std::vector<TokenLogprob> logprobs) {}
  virtual void piece(TextPiece piece) = 0;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): most sinks keep it
  virtual void embedding(std::vector<float> values) {}
  /// Once per choice.
  virtual void ended(const ChoiceEnd &end) {}
  virtual void done(const GenerationUsage &usage) = 0;
  virtual void failed(const GenerationFault &fault) = 0;
};

/// A request that was taken. Any thread may cancel it: its choices then end as
/// cancelled before the next step, and `done` is still called.
struct GenerationTicket {
  std::atomic<bool> cancelled{false};
};

/// A slot, as /slots shows it.
struct SlotView {
  int64_t id = 0;
  bool busy = false;
  int64_t context = 0;
  int64_t tokens = 0; ///< that its sequence has
  std::string request;
  int64_t promptTokens = 0, promptDone = 0, generatedTokens = 0;
};

/// What became of the files and states of a slot.
struct SlotActionResult {
  std::string error; ///< one line, or "": it was done
  int httpStatus = 200;
  int64_t tokens = 0, bytes = 0;
  double seconds = 0;
};

class GenerationEngine {
public:
  virtual ~GenerationEngine() = default;

  /// Why `submit` refuses a request whatever else runs. Any thread.
  virtual std::optional<GenerationFault>
  check(const GenerationRequest &request) const {
    return std::nullopt;
  }
  /// Takes a request, or refuses it at once by a call of sink->failed on this
  /// thread; the result is then null.
  virtual std::shared_ptr<GenerationTicket>
  submit(GenerationRequest request, std::shared_ptr<GenerationSink> sink) = 0;

  /// Tokens that a sequence may have.
  virtual int64_t context() const = 0;
  virtual std::vector<SlotView> slots() const = 0;
  /// Bytes that are left of the memory that the process may have.
  virtual int64_t spareBytes() const { return INT64_MAX; }

  /// These act on a slot that is free; `done` is called on another thread.
  /// `name` is a bare file name in the folder that the server was given for
  /// them. When as many saves and restores run as there are slots, one more is
  /// refused: 429.
  using SlotDone = std::function<void(SlotActionResult)>;
  virtual void saveSlot(int64_t slot, std::string name, SlotDone done) = 0;
  virtual void restoreSlot(int64_t slot, std::string name, SlotDone done) = 0;
  virtual void eraseSlot(int64_t slot, SlotDone done) = 0;

  /// No new requests: they are refused as shuttingDown. `idle` is called when
  /// the last one that was taken has ended.
  virtual void drain(std::function<void()> idle) = 0;
  /// Ends what still runs with a fault of the kind shuttingDown.
  virtual void abort() = 0;
};

} // namespace cheems::serve

#endif
