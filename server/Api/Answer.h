// One answer to a client, made of what the engine says of one or more prompts.
#ifndef CHEEMS_SERVER_API_ANSWER_H
#define CHEEMS_SERVER_API_ANSWER_H

#include "server/Api/ApiError.h"
#include "server/Api/Context.h"
#include "server/Api/Json.h"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace cheems::serve {

/// The pieces of a text that have a token. A stream has sent its own: they are
/// only counted.
class TokenPieces {
public:
  void add(TextPiece piece, bool isSent);
  /// How many came.
  size_t size() const { return count; }
  // Those that are still to be told.
  std::vector<TextPiece>::const_iterator begin() const { return kept.begin(); }
  std::vector<TextPiece>::const_iterator end() const { return kept.end(); }

private:
  size_t count = 0;
  std::vector<TextPiece> kept;
};

struct ChoiceResult {
  std::string text;
  TokenPieces pieces;
  ChoiceEnd end;
};

/// What came of one prompt.
struct PromptResult {
  std::vector<int32_t> prompt;
  int64_t slot = -1;
  std::vector<TokenLogprob> promptLogprobs;
  std::vector<ChoiceResult> choices;
  std::vector<float> embedding;
  GenerationUsage usage;
};

/// What an endpoint makes of results. Called by one thread at a time.
class AnswerForm {
public:
  virtual ~AnswerForm() = default;
  /// The whole answer.
  virtual Json whole(const std::vector<PromptResult> &results) = 0;

  /// For answers that stream: appends the events that are due, as text of JSON.
  using Events = std::vector<std::string>;
  virtual void begin(Events &events) {}
  virtual void piece(const PromptResult &result, size_t prompt,
                     const TextPiece &piece, Events &events) {}
  virtual void ended(const PromptResult &result, size_t prompt,
                     const ChoiceEnd &end, Events &events) {}
  virtual void done(const std::vector<PromptResult> &results, Events &events) {}
  /// Whether "[DONE]" is the last event, as OpenAI has it.
  virtual bool saysDone() const { return true; }
  /// What `whole` takes, at most, for each candidate of a log-probability: its
  /// values and their text.
  virtual uint64_t candidateBytes() const { return 800; }
  /// The request's field that the engine knows as the prompt.
  virtual const char *promptField() const { return "prompt"; }
};

/// Hands requests to the engine and what it says to the client. Of many, some
/// are under way at a time, so that others find room in the engine's queue.
class Answer : public std::enable_shared_from_this<Answer> {
public:
  Answer(std::shared_ptr<Context> context, std::shared_ptr<Responder> responder,
         std::unique_ptr<AnswerForm> form, bool streams);

  /// `memory` is this request's share of the memory of all requests. What the
  /// engine says is counted in it.
  void countIn(std::shared_ptr<BudgetShare> memory) {
    share = std::move(memory);
  }
  /// Once, with at least one request.
  void start(std::vector<GenerationRequest> requests);

private:
  class Sink;

  /// Before so many bytes more are kept; false: the answer has failed for them.
  bool takes(uint64_t bytes);
  /// At most what `form` makes of the results.
  uint64_t wholeBytes() const;
  void cancel();
  bool wasCancelled();
  void feed();
  bool putBack(size_t prompt);
  void send(const AnswerForm::Events &events);
  void openStream();
  void fail(const GenerationFault &fault);
  void complete();

  const std::shared_ptr<Context> context;
  const std::shared_ptr<Responder> responder;
  const std::unique_ptr<AnswerForm> form;
  const bool streams;
  std::shared_ptr<BudgetShare> share; ///< null: nobody counts

  std::mutex mutex; ///< of what follows; held while the responder is called
  std::vector<PromptResult> results;
  std::vector<GenerationRequest> requests; ///< of those that wait
  std::deque<size_t> waiting;              ///< to be handed to the engine
  size_t underWay = 0, mostUnderWay = 1;   ///< in the engine
  size_t open = 0, ended = 0; ///< prompts whose end is to come, or came
  bool isStreaming = false, isOver = false;

  /// Guards the tickets and `isCancelled`; the responder may call `cancel` at
  /// any time.
  std::mutex cancelling;
  std::vector<std::shared_ptr<GenerationTicket>> tickets;
  bool isCancelled = false;
};

/// The sums over all prompts.
GenerationUsage totalUsage(const std::vector<PromptResult> &results);
/// OpenAI's `usage`.
Json usageJson(const GenerationUsage &usage);
/// llama.cpp's `timings`.
Json timingsJson(const GenerationUsage &usage);
/// "stop", "length"; a text that was cancelled ends as one that was cut.
const char *finishName(FinishReason reason);
int64_t unixTime();

} // namespace cheems::serve

#endif
