// How an answer comes to be, and what it keeps meanwhile.
#include "ServeApiKit.h"

#include "server/Api/Answer.h"
#include "server/Api/TokenHold.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <mutex>
#include <thread>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;

namespace {

TEST(Answer, thatIsCompleteAfterTheWorkersHaveEndedIsGiven) {
  auto text = bytesModel(plainTemplate);
  StandInEngine engine;
  engine.waits = true;
  auto responder = std::make_shared<StandInResponder>();
  {
    ApiOptions options;
    options.workers = 1;
    Api api(*text, engine, options);
    HttpRequest request;
    request.method = "POST";
    request.path = "/v1/completions";
    request.body = R"({"prompt": "hi"})";
    request.id = "r1";
    api.handle(std::move(request), responder);
    auto later = std::make_shared<StandInResponder>();
    HttpRequest next;
    next.method = "GET";
    next.path = "/tokenizer_info";
    api.handle(std::move(next), later);
    later->wait(); // after which the first one is with the engine
  }
  ASSERT_EQ(engine.sinks.size(), 1u);
  std::thread engineThread([sink = engine.sinks[0]] {
    TextPiece piece;
    piece.text = "said";
    piece.token = 's';
    sink->piece(piece);
    sink->ended(ChoiceEnd());
    sink->done(GenerationUsage());
  });
  responder->wait();
  if (responder->answers == 0) { // it waits for itself, for ever
    engineThread.detach();
    FAIL();
  }
  engineThread.join();
  Json body = Json::parse(responder->response.body);
  EXPECT_EQ(body["choices"][0]["text"], "said");
}

/// Takes a few requests at a time, and ends one after the other on a thread of
/// its own.
class NarrowEngine : public StandInEngine {
public:
  explicit NarrowEngine(size_t room) : room(room) {}
  ~NarrowEngine() override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ending = true;
    }
    changed.notify_all();
    thread.join();
  }

  std::optional<GenerationFault>
  check(const GenerationRequest &request) const override {
    return request.prompt.size() > 100
               ? std::optional(
                     GenerationFault{GenerationFault::Kind::contextLength,
                                     "it is too long", "prompt"})
               : std::nullopt;
  }

  std::shared_ptr<GenerationTicket>
  submit(GenerationRequest request,
         std::shared_ptr<GenerationSink> sink) override {
    std::unique_lock<std::mutex> lock(mutex);
    ++tries;
    if (running.size() >= room && !request.isDue) {
      lock.unlock();
      sink->failed({GenerationFault::Kind::queueFull, "it is full", ""});
      return nullptr;
    }
    running.emplace_back(std::move(sink), request.prompt.size());
    most = std::max(most, running.size());
    changed.notify_all();
    return std::make_shared<GenerationTicket>();
  }

  std::atomic<size_t> room;
  size_t most = 0, tries = 0;
  std::function<void()> onEnd; ///< called before each, on its thread

private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ending || !running.empty(); });
      if (ending) {
        return;
      }
      auto [sink, size] = running.front();
      running.pop_front();
      lock.unlock();
      sink->started(0, 0);
      sink->embedding({float(size), 1});
      GenerationUsage usage;
      usage.promptTokens = int64_t(size);
      if (onEnd) {
        onEnd();
      }
      sink->done(usage);
      sink.reset();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::shared_ptr<GenerationSink>, size_t>> running;
  bool ending = false;
  std::thread thread{[this] { run(); }};
};

/// The answer of an engine to inputs.
Json embedded(NarrowEngine &engine, const Json &inputs) {
  auto text = bytesModel(plainTemplate);
  auto responder = std::make_shared<StandInResponder>();
  Api api(*text, engine, ApiOptions());
  HttpRequest request;
  request.method = "POST";
  request.path = "/v1/embeddings";
  request.body = Json{{"input", inputs}}.dump();
  api.handle(std::move(request), responder);
  responder->wait();
  return Json::parse(responder->response.body);
}

TEST(Answer, ofManyInputsNeedsNoMoreRoomThanTheEngineHas) {
  Json inputs = Json::array();
  for (int i = 0; i < 2048; ++i) {
    inputs.push_back(std::string(size_t(i % 50), 'x'));
  }
  for (size_t room : {1, 4, 1000}) {
    NarrowEngine engine(room);
    Json answer = embedded(engine, inputs);
    ASSERT_TRUE(answer.contains("data")) << answer;
    ASSERT_EQ(answer["data"].size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Json &values = answer["data"][i]["embedding"];
      // of a <bos> and the letters
      EXPECT_NEAR(values[0].get<double>() / values[1].get<double>(),
                  double(i % 50 + 1), 1e-3);
    }
    // one that is due counts on no room
    EXPECT_LE(engine.most, std::min<size_t>(room + 1, 64))
        << "others found none";
  }
  inputs.push_back("one more");
  NarrowEngine engine(4);
  EXPECT_EQ(embedded(engine, inputs)["error"]["param"], "input");
}

TEST(Answer, isARefusalBeforeAnythingIsComputed) {
  Json inputs = Json::array();
  for (int i = 0; i < 500; ++i) {
    inputs.push_back(std::string(i == 499 ? 200 : 2, 'x'));
  }
  NarrowEngine engine(4);
  Json answer = embedded(engine, inputs);
  EXPECT_EQ(answer["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(answer["error"]["param"], "input");
  EXPECT_EQ(engine.tries, 0u);
}

TEST(Answer, ofAFullEngineIsARefusal) {
  NarrowEngine engine(0);
  EXPECT_EQ(embedded(engine, {"a", "b"})["error"]["code"], "queue_full");
}

TEST(Answer, thatHasBegunIsNotRefusedWhereOthersFillTheQueue) {
  NarrowEngine engine(4);
  engine.onEnd = [&] { engine.room = 0; };
  Json inputs = Json::array();
  for (int i = 0; i < 200; ++i) {
    inputs.push_back("x");
  }
  Json answer = embedded(engine, inputs);
  ASSERT_TRUE(answer.contains("data")) << answer;
  EXPECT_EQ(answer["data"].size(), 200u);
}

/// The texts of the tokens that an answer has log-probabilities of, and its
/// text.
std::pair<std::string, std::string> toldOf(const std::string &path,
                                           const Json &answers) {
  std::string told, text;
  for (const Json &answer : answers) {
    bool isLlama = path == "/completion";
    Json choice = isLlama ? answer : answer["choices"][0];
    const char *part =
        answer.value("object", "") == "chat.completion" ? "message" : "delta";
    text += isLlama                 ? choice["content"].get<std::string>()
            : choice.contains(part) ? choice[part].value("content", "")
                                    : choice.value("text", "");
    Json logprobs = isLlama ? choice.value("completion_probabilities", Json())
                            : choice["logprobs"];
    if (logprobs.is_object()) {
      logprobs = logprobs[logprobs.contains("content") ? "content" : "tokens"];
    }
    for (const Json &each : logprobs) {
      told += each.is_string() ? each.get<std::string>()
                               : each["token"].get<std::string>();
    }
  }
  return {told, text};
}

TEST(Answer, hasNoLogprobsOfWhatAStopStringTook) {
  Json message = {{"role", "user"}, {"content", "hi"}};
  for (auto [path, wish] : std::vector<std::pair<std::string, Json>>{
           {"/v1/chat/completions",
            {{"messages", Json::array({message})}, {"logprobs", true}}},
           {"/v1/completions",
            {{"prompt", "x"}, {"logprobs", 0}, {"max_tokens", 50}}},
           {"/completion", {{"prompt", "x"}, {"n_probs", 1}}}}) {
    struct Case {
      std::string said, text;
    };
    for (const Case &each : std::vector<Case>{{"abc STOP xyz", "abc "},
                                              {"STOP", ""},
                                              {"a SSTOP", "a S"},
                                              {"a STO", "a STO"},
                                              {"a STO b", "a STO b"},
                                              {"STSTSTOP", "STST"}}) {
      for (bool streams : {false, true}) {
        Served served;
        served.engine.texts = {each.said};
        Json body = wish;
        body["stop"] = "STOP";
        body["stream"] = streams;
        Reply reply = served.post(path, body);
        ASSERT_EQ(reply.status, 200) << reply.body;
        Json answers = Json::array();
        for (const std::string &event : reply.events) {
          if (event != "[DONE]") {
            answers.push_back(Json::parse(event));
          }
        }
        auto [told, text] =
            toldOf(path, streams ? answers : Json::array({reply.body}));
        EXPECT_EQ(text, each.text) << path << streams;
        EXPECT_EQ(told, each.text) << path << streams;
      }
    }
  }
}

TextPiece pieceOf(int32_t token, const std::string &text, size_t held) {
  TextPiece piece;
  piece.token = token;
  piece.text = text;
  piece.logprob = TokenLogprob();
  piece.held = held;
  return piece;
}

/// Pieces as "token:text", with "?" where there is no log-probability.
std::string shown(const std::vector<TextPiece> &pieces) {
  std::string out;
  for (const TextPiece &each : pieces) {
    out += (each.token ? std::to_string(*each.token) : "") +
           (each.token && !each.logprob ? "?" : "") + ":" + each.text + " ";
  }
  return out;
}

TEST(TokenHold, aTokenComesWithItsOwnText) {
  TokenHold hold;
  EXPECT_EQ(shown(hold.push(pieceOf(1, "ab", 1))), ""); // "c" is held
  EXPECT_EQ(shown(hold.push(pieceOf(2, "", 3))), "");
  EXPECT_EQ(shown(hold.push(pieceOf(3, "cdefg", 2))), "1:abc 2:de ");
  EXPECT_EQ(shown(hold.push(pieceOf(4, "", 3))), "");
  EXPECT_EQ(shown(hold.push(pieceOf(5, "hij", 0))), "3:fghi 4:j ");
  EXPECT_EQ(shown(hold.finish(false)), "5: ");
}

TEST(TokenHold, aTokenOfHalfACharacterWaitsForTheOther) {
  TokenHold hold;
  EXPECT_EQ(shown(hold.push(pieceOf(1, "", 0))), "");
  EXPECT_EQ(shown(hold.push(pieceOf(2, "\xC3\xA9", 0))), "1: 2:\xC3\xA9 ");
  EXPECT_EQ(shown(hold.push(pieceOf(3, "", 0))), ""); // ends the text
  TextPiece rest;
  rest.text = "\xEF\xBF\xBD";
  EXPECT_EQ(shown(hold.push(rest)), "3: :\xEF\xBF\xBD ");
  EXPECT_EQ(shown(hold.push(pieceOf(4, "", 0))), "");
  EXPECT_EQ(shown(hold.finish(false)), "4: ");
}

TEST(TokenHold, tokensOfAStopStringHaveNoLogprobs) {
  TokenHold hold;
  EXPECT_EQ(shown(hold.push(pieceOf(1, "a", 2))), "");
  EXPECT_EQ(shown(hold.push(pieceOf(2, "", 3))), "");
  EXPECT_EQ(shown(hold.push(pieceOf(3, "b", 0))), ""); // of the first one
  EXPECT_EQ(shown(hold.finish(true)), "1:ab 2?: 3?: ");
}

/// Tells what the results keep once all has come.
struct KeepsWhat : AnswerForm {
  explicit KeepsWhat(std::vector<size_t> &told) : told(told) {}
  Json whole(const std::vector<PromptResult> &results) override {
    tell(results);
    return Json::object();
  }
  void done(const std::vector<PromptResult> &results, Events &) override {
    tell(results);
  }
  void tell(const std::vector<PromptResult> &results) {
    const TokenPieces &pieces = results[0].choices[0].pieces;
    told = {pieces.size(),
            static_cast<size_t>(std::distance(pieces.begin(), pieces.end()))};
  }
  std::vector<size_t> &told;
};

TEST(Answer, keepsTokensUnlessItHasSentThem) {
  auto text = bytesModel(plainTemplate);
  StandInEngine engine; // says five tokens
  for (bool streams : {false, true}) {
    auto context = std::make_shared<Context>(*text, engine, ApiOptions());
    auto responder = std::make_shared<StandInResponder>();
    std::vector<size_t> told;
    GenerationRequest request;
    request.prompt = bytesOf("hi");
    std::make_shared<Answer>(context, responder,
                             std::make_unique<KeepsWhat>(told), streams)
        ->start({request});
    responder->wait();
    context->workers.stop();
    EXPECT_EQ(told, (std::vector<size_t>{5, streams ? 0u : 5u}));
  }
}

TEST(Answer, thatNeedsMoreMemoryThanThereIsEndsWithTheReason) {
  auto text = bytesModel(plainTemplate);
  StandInEngine engine;
  engine.texts = {std::string(2000, 'x')};
  struct Case {
    uint64_t all, own;
    int status;
    bool logprobs;
  };
  for (Case each :
       {Case{100000, 1000, 400, false}, Case{1000, 100000, 503, false},
        Case{900000, 900000, 400, true}, // once it is written
        Case{1 << 30, 1 << 30, 200, true}}) {
    auto context = std::make_shared<Context>(*text, engine, ApiOptions());
    auto responder = std::make_shared<StandInResponder>();
    GenerationRequest request;
    request.prompt = bytesOf("hi");
    if (each.logprobs) {
      request.topLogprobs = 20;
    }
    auto memory = std::make_shared<Budget>(each.all);
    {
      std::vector<size_t> told;
      auto answer = std::make_shared<Answer>(
          context, responder, std::make_unique<KeepsWhat>(told), false);
      answer->countIn(std::make_shared<BudgetShare>(memory, each.own));
      answer->start({request});
      responder->wait();
      context->workers.stop();
    }
    EXPECT_EQ(responder->response.status, each.status) << each.all;
    EXPECT_EQ(engine.tickets.back()->cancelled, each.status != 200);
    engine.sinks.clear();
  }
}

} // namespace
