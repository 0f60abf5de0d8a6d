// How an answer comes to be, and what it keeps meanwhile.
#include "ServeApiKit.h"

#include "runtime/Serve/Api/Answer.h"

#include <gtest/gtest.h>
#include <iterator>
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
    Api api(*text, engine, ApiOptions());
    HttpRequest request;
    request.method = "POST";
    request.path = "/v1/completions";
    request.body = R"({"prompt": "hi"})";
    request.id = "r1";
    api.handle(std::move(request), responder);
  } // its workers have done what they were given
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

} // namespace
