// Whose turn it is where requests and choices wait for slots.
#include "EngineHarness.h"
#include "server/Engine/FairQueue.h"
#include "server/Engine/GenerationEngine.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;
using FaultKind = GenerationFault::Kind;

namespace {

TEST(FairQueue, givesEachPartyItsTurn) {
  FairQueue<std::string> queue;
  for (const char *item : {"a1", "a2", "a3", "b1", "c1", "b2"}) {
    queue.push(std::string(1, item[0]), item);
  }
  EXPECT_EQ(queue.size(), 6u);
  EXPECT_EQ(queue.sizeOf("a"), 3u);
  EXPECT_EQ(queue.sizeOf("z"), 0u);
  std::string order = queue.pop();
  queue.push("d", "d1"); // after those who wait
  queue.removeIf([](const std::string &item) { return item == "c1"; });
  while (!queue.empty()) {
    order += " " + queue.pop();
  }
  EXPECT_EQ(order, "a1 b1 a2 d1 b2 a3");
  queue.push("a", "a4");
  queue.push("b", "b3");
  EXPECT_FALSE(queue.turnTo([](const std::string &) { return false; }));
  EXPECT_TRUE(
      queue.turnTo([](const std::string &item) { return item == "b3"; }));
  EXPECT_EQ(queue.pop() + queue.pop(), "b3a4");
  EXPECT_EQ(queue.size(), 0u);
}

GenerationRequest longRequest(std::vector<int32_t> prompt, int64_t tokens) {
  GenerationRequest result = request(std::move(prompt), tokens);
  result.ignoreEos = true;
  return result;
}

/// A listener whose pieces wait until `open`.
struct Gated {
  Gated() {
    heard->onPiece = [gate = gate] { std::lock_guard<std::mutex> pass(*gate); };
  }
  void open() { closed.unlock(); }
  std::shared_ptr<std::mutex> gate = std::make_shared<std::mutex>();
  std::unique_lock<std::mutex> closed{*gate};
  std::shared_ptr<Listener> heard = std::make_shared<Listener>();
};

/// Counts what others say. However long the test's thread rests, the count
/// beside a request is the same: nobody goes on while it is handed over.
class Pieces {
public:
  void add(std::chrono::microseconds rest) {
    {
      std::lock_guard<std::mutex> pass(gate);
      ++count;
    }
    std::this_thread::sleep_for(rest);
  }
  void waitFor(int least) const {
    while (count < least) {
      std::this_thread::yield();
    }
  }
  /// How many come until the last token of a request does.
  int beside(GenerationEngine &engine, const GenerationRequest &request,
             const std::shared_ptr<Listener> &heard) {
    int before = 0, last = 0; // `last` is of the engine's thread until the end
    heard->onPiece = [&] { last = count; };
    {
      std::lock_guard<std::mutex> stop(gate);
      before = count;
      engine.submit(request, heard);
    }
    heard->wait();
    return last - before;
  }

private:
  std::mutex gate;
  std::atomic<int> count{0};
};

TEST(Fairness, aPartyWithOneRequestDoesNotWaitForAllOfAnother) {
  auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
  Gated first;
  engine->submit(longRequest({0, 4}, 3), first.heard);
  first.heard->waitForToken();
  std::vector<std::shared_ptr<Listener>> many;
  for (int i = 0; i < 5; ++i) {
    many.push_back(std::make_shared<Listener>());
    GenerationRequest each = longRequest({0, 4}, 3);
    each.party = "a";
    engine->submit(each, many.back());
  }
  auto one = std::make_shared<Listener>();
  size_t before = 0;
  one->onPiece = [&] {
    before = 0;
    for (const auto &each : many) {
      before += each->over();
    }
  };
  GenerationRequest other = longRequest({0, 4}, 3);
  other.party = "b";
  engine->submit(other, one);
  first.open();
  one->wait();
  EXPECT_EQ(before, 1u);
  for (const auto &each : many) {
    each->wait();
  }
}

TEST(Fairness, aFullQueueOfOnePartyTakesRequestsOfOthers) {
  EngineOptions options = engineOptions(1);
  options.queueLength = 2;
  auto engine = makeEngine(textModel(Kind::entries), options);
  Gated first;
  std::vector<std::shared_ptr<Listener>> heard;
  auto submit = [&](const std::string &party) {
    bool isFirst = heard.empty();
    heard.push_back(isFirst ? first.heard : std::make_shared<Listener>());
    GenerationRequest each = longRequest({0, 4}, 3);
    each.party = party;
    return engine->submit(each, heard.back()) != nullptr;
  };
  for (const char *party : {"a", "b", "c", "d"}) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(submit(party));
    }
    EXPECT_FALSE(submit(party));
    EXPECT_EQ(heard.back()->fault->kind, FaultKind::queueFull);
  }
  EXPECT_FALSE(submit("e")); // all together have a limit, too
  first.open();
  for (const auto &each : heard) {
    each->wait();
  }
  EXPECT_TRUE(submit("e"));
  heard.back()->wait();
}

struct Choices : testing::TestWithParam<Kind> {};

TEST_P(Choices, ofOneRequestDoNotBlockTheFirstTokenOfAnother) {
  auto text = textModel(GetParam());
  auto engine = makeEngine(text, engineOptions(2));
  GenerationRequest many = longRequest(randomPrompt(7, 20), 60);
  many.choices = 4;
  many.sampling.doSample = true;
  many.sampling.seed = 11;
  auto manyHeard = std::make_shared<Listener>();
  Pieces pieces;
  manyHeard->onPiece = [&] { pieces.add(std::chrono::milliseconds(1)); };
  engine->submit(many, manyHeard);
  pieces.waitFor(4); // both slots are taken
  for (uint64_t i = 0; i < 3; ++i) {
    GenerationRequest one = longRequest(randomPrompt(i, 9), 2);
    one.party = "other";
    auto heard = std::make_shared<Listener>();
    EXPECT_LT(pieces.beside(*engine, one, heard), 30) << i; // half of a choice
    ASSERT_TRUE(heard->usage);
    EXPECT_EQ(heard->choices[0].tokens, alone(*text, one));
  }
  manyHeard->wait();
  ASSERT_TRUE(manyHeard->usage);
  EXPECT_EQ(manyHeard->broken, "");
  for (int64_t i = 0; i < 4; ++i) { // one that was set aside goes on as it was
    EXPECT_EQ(manyHeard->choices[i].tokens, alone(*text, many, i)) << i;
  }
}

TEST_P(Choices, ofManyRequestsDoNotBlockTheFirstTokenOfAnother) {
  auto text = textModel(GetParam());
  auto engine = makeEngine(text, engineOptions(2));
  Pieces pieces;
  std::vector<std::shared_ptr<Listener>> heard;
  for (uint64_t i = 0; i < 6; ++i) { // more than states are kept for
    GenerationRequest many = longRequest(randomPrompt(i, 20), 40);
    many.choices = 4;
    heard.push_back(std::make_shared<Listener>());
    heard.back()->onPiece = [&] { pieces.add(std::chrono::microseconds(300)); };
    engine->submit(many, heard.back());
  }
  pieces.waitFor(4);
  for (uint64_t i = 0; i < 3; ++i) {
    GenerationRequest one = longRequest(randomPrompt(i, 9), 2);
    one.party = "other";
    auto each = std::make_shared<Listener>();
    EXPECT_LT(pieces.beside(*engine, one, each), 250) << i; // a quarter of all
    EXPECT_EQ(each->choices[0].tokens, alone(*text, one));
  }
  for (const auto &each : heard) {
    each->wait();
    EXPECT_TRUE(each->usage);
  }
}

TEST_P(Choices, ofSeveralRequestsTakeTurns) {
  auto text = textModel(GetParam());
  auto engine = makeEngine(text, engineOptions(2));
  std::vector<std::shared_ptr<Listener>> heard;
  std::vector<GenerationRequest> requests;
  for (uint64_t i = 0; i < 6; ++i) {
    requests.push_back(longRequest(randomPrompt(i, 10 + i), 20));
    requests.back().choices = 3;
    requests.back().sampling.doSample = true;
    requests.back().party = i % 2 == 0 ? "a" : "b";
    heard.push_back(std::make_shared<Listener>());
    engine->submit(requests.back(), heard.back());
  }
  auto cancelled = std::make_shared<Listener>();
  auto ticket = engine->submit(requests[0], cancelled);
  heard[3]->waitForToken();
  ticket->cancelled = true;
  cancelled->wait();
  EXPECT_EQ(cancelled->broken, "");
  for (size_t i = 0; i < heard.size(); ++i) {
    heard[i]->wait();
    ASSERT_TRUE(heard[i]->usage) << i;
    for (int64_t choice = 0; choice < 3; ++choice) {
      EXPECT_EQ(heard[i]->choices[choice].tokens,
                alone(*text, requests[i], choice));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(States, Choices,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

} // namespace
