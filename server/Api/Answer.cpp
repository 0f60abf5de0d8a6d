#include "server/Api/Answer.h"

#include "server/Api/TokenHold.h"
#include "server/Engine/Faults.h"
#include "server/Http/SseWriter.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cheems::serve {

void TokenPieces::add(TextPiece piece, bool isSent) {
  ++count;
  if (!isSent) {
    kept.push_back(std::move(piece));
  }
}

namespace {

uint64_t bytesOf(const std::optional<TokenLogprob> &logprob) {
  return logprob ? logprob->best.size() * sizeof(TokenLogprob::Candidate) : 0;
}

uint64_t bytesOf(const std::vector<TokenLogprob> &logprobs) {
  uint64_t bytes = 0;
  for (const TokenLogprob &each : logprobs) {
    bytes += 2 * sizeof(each) + bytesOf(each);
  }
  return bytes;
}

} // namespace

/// Hears of one prompt.
class Answer::Sink : public GenerationSink {
public:
  Sink(std::shared_ptr<Answer> answer, size_t prompt,
       const GenerationRequest &request)
      : answer(std::move(answer)), prompt(prompt) {
    if (request.topLogprobs) {
      holds.resize(static_cast<size_t>(request.choices));
    }
  }

  void started(int64_t slot, int64_t cachedTokens) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    result().slot = slot;
    answer->openStream();
  }

  void promptLogprobs(std::vector<TokenLogprob> logprobs) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    if (!answer->takes(bytesOf(logprobs))) {
      return;
    }
    auto &all = result().promptLogprobs;
    all.insert(all.end(), std::make_move_iterator(logprobs.begin()),
               std::make_move_iterator(logprobs.end()));
  }

  void piece(TextPiece piece) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    if (answer->isOver) {
      return;
    }
    if (holds.empty()) {
      tell(std::move(piece));
      return;
    }
    for (TextPiece &each : holds[size_t(piece.choice)].push(piece)) {
      tell(std::move(each));
    }
  }

  void embedding(std::vector<float> values) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    result().embedding = std::move(values);
  }

  void ended(const ChoiceEnd &end) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    if (!holds.empty() && !answer->isOver) {
      bool stopped = !end.stopString.empty();
      for (TextPiece &each : holds[size_t(end.choice)].finish(stopped)) {
        tell(std::move(each));
      }
    }
    result().choices[size_t(end.choice)].end = end;
    AnswerForm::Events events;
    if (answer->isStreaming && !answer->isOver) {
      answer->form->ended(result(), prompt, end, events);
      answer->send(events);
    }
  }

  void done(const GenerationUsage &usage) override {
    {
      std::lock_guard<std::mutex> lock(answer->mutex);
      result().usage = usage;
      --answer->underWay;
      ++answer->ended;
      if (--answer->open == 0 && !answer->isOver) {
        answer->complete();
      }
      if (answer->isOver || answer->waiting.empty()) {
        return;
      }
    }
    // on a worker, as the engine must not wait, and not under the lock
    answer->context->workers.postFirst([feeding = answer] { feeding->feed(); },
                                       WorkerPool::Lane::quick);
  }

  void failed(const GenerationFault &fault) override {
    std::lock_guard<std::mutex> lock(answer->mutex);
    --answer->underWay;
    bool isFull = fault.kind == GenerationFault::Kind::queueFull;
    if (!isFull || !answer->putBack(prompt)) {
      answer->fail(fault);
    }
  }

private:
  PromptResult &result() { return answer->results[prompt]; }

  void tell(TextPiece piece) {
    if (answer->isStreaming) {
      AnswerForm::Events events;
      answer->form->piece(result(), prompt, piece, events);
      answer->send(events);
    }
    bool keeps = piece.token && !answer->isStreaming;
    uint64_t kept = keeps ? sizeof(piece) + bytesOf(piece.logprob) : 0;
    if (!answer->takes(2 * piece.text.size() + 2 * kept)) {
      return;
    }
    ChoiceResult &choice = result().choices[size_t(piece.choice)];
    choice.text += piece.text;
    if (piece.token) {
      choice.pieces.add(std::move(piece), answer->isStreaming);
    }
  }

  std::shared_ptr<Answer> answer;
  size_t prompt;
  std::vector<TokenHold> holds; ///< one a choice, where tokens are told of
};

Answer::Answer(std::shared_ptr<Context> context,
               std::shared_ptr<Responder> responder,
               std::unique_ptr<AnswerForm> form, bool streams)
    : context(std::move(context)), responder(std::move(responder)),
      form(std::move(form)), streams(streams) {}

void Answer::start(std::vector<GenerationRequest> given) {
  std::optional<GenerationFault> fault;
  for (const GenerationRequest &request : given) {
    fault = fault ? fault : context->engine.check(request);
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (fault) { // before anything is computed
      fail(*fault);
      return;
    }
    requests = std::move(given);
    open = requests.size();
    mostUnderWay = std::max<size_t>(64, 2 * context->engine.slots().size());
    results.resize(open);
    for (size_t i = 0; i < open; ++i) {
      GenerationRequest &request = requests[i];
      request.began = std::chrono::steady_clock::now();
      waiting.push_back(i);
      results[i].prompt = request.prompt;
      results[i].choices.resize(size_t(request.choices));
      for (int64_t choice = 0; choice < request.choices; ++choice) {
        ChoiceEnd &end = results[i].choices[size_t(choice)].end;
        end.choice = choice;
        end.reason = FinishReason::length;
      }
    }
  }
  std::weak_ptr<Answer> weak = weak_from_this();
  responder->onDropped([weak] {
    if (auto answer = weak.lock()) {
      answer->cancel();
    }
  });
  feed();
}

/// Hands over what waits, as long as there is room.
void Answer::feed() {
  while (!wasCancelled()) {
    size_t prompt;
    GenerationRequest request;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (isOver || waiting.empty() || underWay >= mostUnderWay) {
        return;
      }
      prompt = waiting.front();
      waiting.pop_front();
      ++underWay;
      request = requests[prompt];
      request.follows = ended > 0 || underWay > 1;
      request.isDue = ended > 0 && underWay == 1;
    }
    auto sink = std::make_shared<Sink>(shared_from_this(), prompt, request);
    auto ticket = context->engine.submit(std::move(request), sink);
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (ticket) {
        requests[prompt] = GenerationRequest();
      } else if (isOver || underWay > 0) {
        return; // the client was told why, or the end of another one feeds
      }
    }
    if (!ticket) {
      continue;
    }
    std::lock_guard<std::mutex> lock(cancelling);
    if (isCancelled) {
      ticket->cancelled = true;
    }
    tickets.push_back(std::move(ticket));
  }
}

/// Whether a prompt that found the queue full can be tried again: when another
/// one of this request ends, or now if some have ended and none is under way.
/// One that was may have found the queue full, too.
bool Answer::putBack(size_t prompt) {
  bool again = underWay > 0 || ended > 0;
  if (again) {
    waiting.push_front(prompt);
  }
  return again;
}

bool Answer::takes(uint64_t bytes) {
  auto full = share ? share->grow(bytes) : BudgetShare::Full::none;
  if (full == BudgetShare::Full::none) {
    return true;
  }
  fail(memoryFault(full, *share, "the answer",
                   "ask for fewer choices, prompts or log-probabilities"));
  return false;
}

uint64_t Answer::wholeBytes() const {
  auto jsonBytes = [this](const TokenLogprob &logprob) {
    return (logprob.best.size() + 3) * form->candidateBytes();
  };
  uint64_t bytes = 0;
  for (const PromptResult &result : results) {
    // it may stand in each choice again
    constexpr uint64_t perToken = 16;
    uint64_t prompt = perToken * result.prompt.size();
    for (const TokenLogprob &each : result.promptLogprobs) {
      prompt += jsonBytes(each);
    }
    for (const ChoiceResult &choice : result.choices) {
      bytes += prompt + 3 * choice.text.size() + 1024;
      for (const TextPiece &piece : choice.pieces) {
        bytes += piece.logprob ? jsonBytes(*piece.logprob) : 0;
      }
    }
    constexpr uint64_t perNumber = 48;
    bytes += result.embedding.size() * perNumber;
  }
  return bytes;
}

/// Called when the client has gone or one of the prompts has failed. It ends
/// the generation of all prompts.
void Answer::cancel() {
  std::lock_guard<std::mutex> lock(cancelling);
  isCancelled = true;
  for (auto &ticket : tickets) {
    ticket->cancelled = true;
  }
}

bool Answer::wasCancelled() {
  std::lock_guard<std::mutex> lock(cancelling);
  return isCancelled;
}

void Answer::send(const AnswerForm::Events &events) {
  std::string bytes;
  for (const std::string &each : events) {
    bytes += SseWriter::text("", each);
  }
  if (!bytes.empty()) {
    responder->send(std::move(bytes));
  }
}

/// The stream opens only when the engine answers: until then a refusal can
/// still have a status.
void Answer::openStream() {
  if (!streams || isStreaming || isOver) {
    return;
  }
  isStreaming = true;
  HttpResponse head;
  head.type = "text/event-stream";
  responder->beginStream(std::move(head));
  AnswerForm::Events events;
  form->begin(events);
  send(events);
}

void Answer::fail(const GenerationFault &fault) {
  if (isOver) {
    return;
  }
  isOver = true;
  cancel();
  ApiError error = errorOf(fault);
  if (error.param == "prompt") {
    error.param = form->promptField();
  }
  responder->note("error", dumped(error.what()));
  if (isStreaming) {
    responder->send(SseWriter::text("error", errorJson(error)));
    responder->endStream();
  } else {
    responder->respond(errorResponse(error));
  }
}

void Answer::complete() {
  if (!streams && wasCancelled()) {
    isOver = true; // nobody is there
    return;
  }
  uint64_t bytes = streams ? 0 : wholeBytes();
  if (!takes(bytes)) {
    return;
  }
  isOver = true;
  GenerationUsage usage = totalUsage(results);
  responder->note("prompt_tokens", std::to_string(usage.promptTokens));
  responder->note("cached_tokens", std::to_string(usage.cachedTokens));
  responder->note("generated_tokens", std::to_string(usage.generatedTokens));
  if (streams) {
    openStream();
    AnswerForm::Events events;
    form->done(results, events);
    send(events);
    if (form->saysDone()) {
      responder->send(SseWriter::text("", "[DONE]"));
    }
    responder->endStream();
    return;
  }
  // Written on a worker: the engine must not wait for it.
  constexpr uint64_t quickBytes = 16 << 20;
  auto lane =
      bytes <= quickBytes ? WorkerPool::Lane::quick : WorkerPool::Lane::slow;
  auto write = [self = shared_from_this()] {
    HttpResponse response;
    try {
      response.body = dumped(self->form->whole(self->results));
    } catch (const std::exception &error) {
      response = errorResponse(errorOf(faultOf(error)));
    }
    self->responder->respond(std::move(response));
  };
  context->workers.postFirst(std::move(write), lane);
}

GenerationUsage totalUsage(const std::vector<PromptResult> &results) {
  GenerationUsage sum;
  for (const PromptResult &result : results) {
    const GenerationUsage &usage = result.usage;
    sum.promptTokens += usage.promptTokens;
    sum.cachedTokens += usage.cachedTokens;
    sum.generatedTokens += usage.generatedTokens;
    sum.queueSeconds = std::max(sum.queueSeconds, usage.queueSeconds);
    sum.promptSeconds += usage.promptSeconds;
    sum.generationSeconds += usage.generationSeconds;
  }
  return sum;
}

Json usageJson(const GenerationUsage &usage) {
  return {{"prompt_tokens", usage.promptTokens},
          {"completion_tokens", usage.generatedTokens},
          {"total_tokens", usage.promptTokens + usage.generatedTokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cachedTokens}}}};
}

Json timingsJson(const GenerationUsage &usage) {
  int64_t read = usage.promptTokens - usage.cachedTokens;
  auto perToken = [](double seconds, int64_t count) {
    return count > 0 ? 1000 * seconds / double(count) : 0;
  };
  auto perSecond = [](double seconds, int64_t count) {
    return seconds > 0 ? double(count) / seconds : 0;
  };
  return {{"cache_n", usage.cachedTokens},
          {"prompt_n", read},
          {"prompt_ms", 1000 * usage.promptSeconds},
          {"prompt_per_token_ms", perToken(usage.promptSeconds, read)},
          {"prompt_per_second", perSecond(usage.promptSeconds, read)},
          {"predicted_n", usage.generatedTokens},
          {"predicted_ms", 1000 * usage.generationSeconds},
          {"predicted_per_token_ms",
           perToken(usage.generationSeconds, usage.generatedTokens)},
          {"predicted_per_second",
           perSecond(usage.generationSeconds, usage.generatedTokens)}};
}

const char *finishName(FinishReason reason) {
  return reason == FinishReason::stop ? "stop" : "length";
}

int64_t unixTime() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace cheems::serve
