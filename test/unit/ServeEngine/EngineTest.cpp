// What an engine says to requests, alone and together, on stand-in models.
#include "EngineHarness.h"
#include "runtime/Error.h"
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using FaultKind = GenerationFault::Kind;

class EachKind : public testing::TestWithParam<Kind> {};

TEST_P(EachKind, textsInAnyBatchAreThoseOfAGenerator) {
  auto text = textModel(GetParam());
  for (int64_t slots : {1, 3, 7}) {
    auto engine = makeEngine(text, engineOptions(slots));
    std::vector<GenerationRequest> requests;
    std::vector<std::shared_ptr<Listener>> heard;
    for (uint64_t i = 0; i < 25; ++i) {
      GenerationRequest each = request(randomPrompt(i, 1 + i * 5 % 70), 1 + i);
      each.ignoreEos = i % 3 != 0;
      each.cachePrompt = i % 4 != 0;
      requests.push_back(each);
      heard.push_back(std::make_shared<Listener>());
      ASSERT_TRUE(engine->submit(each, heard.back()));
    }
    for (size_t i = 0; i < heard.size(); ++i) {
      heard[i]->wait();
      EXPECT_EQ(heard[i]->broken, "");
      ASSERT_TRUE(heard[i]->usage) << heard[i]->fault->message;
      EXPECT_EQ(heard[i]->choices[0].tokens, alone(*text, requests[i])) << i;
      EXPECT_EQ(heard[i]->usage->generatedTokens,
                static_cast<int64_t>(heard[i]->choices[0].tokens.size()));
    }
  }
}

TEST_P(EachKind, choicesDrawEachWithItsOwnSeed) {
  auto text = textModel(GetParam());
  for (int64_t slots : {1, 2, 8}) { // fewer than choices: some wait
    auto engine = makeEngine(text, engineOptions(slots));
    GenerationRequest five = request(randomPrompt(3, 20), 12);
    five.choices = 5;
    five.ignoreEos = true;
    five.sampling.doSample = true;
    five.sampling.temperature = 2;
    five.sampling.repeatPenalty = 1.3;
    five.sampling.seed = 77;
    auto heard = ask(*engine, five);
    ASSERT_TRUE(heard->usage) << heard->fault->message;
    EXPECT_EQ(heard->broken, "");
    ASSERT_EQ(heard->choices.size(), 5u);
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(heard->choices[i].tokens, alone(*text, five, i)) << i;
      EXPECT_EQ(heard->choices[i].end->reason, FinishReason::length);
    }
    EXPECT_EQ(heard->usage->generatedTokens, 60);
    EXPECT_EQ(heard->usage->promptTokens, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(States, EachKind,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

TEST(Engine, nothingIsGeneratedWhereNoTokenIsWanted) {
  auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
  auto heard = ask(*engine, request({0, 4, 5}, 0));
  ASSERT_TRUE(heard->usage);
  EXPECT_THAT(heard->choices[0].tokens, IsEmpty());
  EXPECT_EQ(heard->choices[0].end->reason, FinishReason::length);
  EXPECT_EQ(heard->fed, 3);
}

TEST(Engine, theContextEndsATextAndRefusesALongerPrompt) {
  EngineOptions options = engineOptions(1);
  options.context = 20;
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest open = request(randomPrompt(1, 15), std::nullopt);
  open.ignoreEos = true;
  auto heard = ask(*engine, open);
  EXPECT_EQ(heard->choices[0].tokens.size(), 5u);
  EXPECT_EQ(heard->choices[0].end->reason, FinishReason::length);
  EXPECT_TRUE(ask(*engine, request(randomPrompt(1, 20), 0))->usage);
  for (size_t length : {20, 21}) {
    auto refused = ask(*engine, request(randomPrompt(1, length), 1));
    ASSERT_TRUE(refused->fault);
    EXPECT_EQ(refused->fault->kind, FaultKind::contextLength);
    EXPECT_THAT(refused->fault->message, HasSubstr("the context is 20"));
  }
}

TEST(Engine, whatCannotBeIsRefusedByName) {
  auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
  auto fault = [&](const GenerationRequest &each) {
    auto heard = ask(*engine, each);
    return heard->fault ? heard->fault->message + "|" + heard->fault->parameter
                        : "taken";
  };
  EXPECT_THAT(fault(request({}, 1)), HasSubstr("empty|prompt"));
  EXPECT_THAT(fault(request({3, 16}, 1)), HasSubstr("token 16 at index 1"));
  GenerationRequest each = request({3}, 1);
  each.sampling.topP = 3;
  EXPECT_THAT(fault(each), HasSubstr("top-p"));
  each = request({3}, 1);
  each.sampling.logitBias = {{99, 1}};
  EXPECT_THAT(fault(each), HasSubstr("99"));
  each = request({3}, 1);
  each.slot = 1;
  EXPECT_THAT(fault(each), HasSubstr("slot 1 does not exist"));
  EXPECT_EQ(fault(request({3}, 1)), "taken");
}

TEST(Engine, aFullQueueRefusesAtOnce) {
  EngineOptions options = engineOptions(1);
  options.queueLength = 2;
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest longOne = request({0, 4}, 200);
  longOne.ignoreEos = true;
  std::vector<std::shared_ptr<Listener>> heard;
  std::mutex gate; // the first one's pieces wait until all were submitted
  std::unique_lock<std::mutex> closed(gate);
  for (int i = 0; i < 4; ++i) {
    heard.push_back(std::make_shared<Listener>());
    if (i == 0) {
      heard[0]->onPiece = [&] { std::lock_guard<std::mutex> pass(gate); };
    }
    bool taken = engine->submit(longOne, heard.back()) != nullptr;
    EXPECT_EQ(taken, i < 3);
  }
  EXPECT_EQ(heard[3]->fault->kind, FaultKind::queueFull);
  GenerationRequest part = request({3}, 1);
  part.follows = part.isDue = true;
  heard[3] = std::make_shared<Listener>();
  EXPECT_TRUE(engine->submit(part, heard[3]));
  closed.unlock();
  for (int i = 0; i < 4; ++i) {
    heard[i]->wait();
    EXPECT_TRUE(heard[i]->usage);
  }
}

TEST(Engine, aPartOfARequestHasTheTimeThatIsLeftOfTheWhole) {
  EngineOptions options = engineOptions(1);
  options.totalSeconds = 3600;
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest part = request({0, 4}, 2);
  EXPECT_FALSE(ask(*engine, part)->fault);
  part.began = std::chrono::steady_clock::now() - std::chrono::hours(2);
  auto late = ask(*engine, part);
  ASSERT_TRUE(late->fault);
  EXPECT_EQ(late->fault->kind, FaultKind::timeout);
}

TEST(Engine, timeoutsEndWhatWaitsAndWhatRuns) {
  EngineOptions options = engineOptions(1);
  options.queueSeconds = 1e-9;
  options.totalSeconds = 0.05;
  auto engine = makeEngine(textModel(Kind::entries), options);
  GenerationRequest longOne = request({0, 4}, std::nullopt);
  longOne.ignoreEos = true;
  auto waits = ask(*engine, longOne); // no slot can be found in no time
  ASSERT_TRUE(waits->fault);
  EXPECT_EQ(waits->fault->kind, FaultKind::timeout);
  EXPECT_THAT(waits->fault->message, HasSubstr("no slot was free"));

  options.queueSeconds = 0;
  engine = makeEngine(textModel(Kind::entries), options);
  auto runs = std::make_shared<Listener>();
  runs->onPiece = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  engine->submit(longOne, runs);
  runs->wait();
  ASSERT_TRUE(runs->fault);
  EXPECT_EQ(runs->fault->kind, FaultKind::timeout);
  EXPECT_EQ(runs->broken, "");
  // The slot is free again, though a slow machine may need longer than a
  // request may take.
  bool answered = false;
  for (int i = 0; i < 100 && !answered; ++i) {
    answered = ask(*engine, request({3}, 1))->usage.has_value();
  }
  EXPECT_TRUE(answered);
}

TEST(Engine, aCancelledRequestEndsAsCancelled) {
  auto engine = makeEngine(textModel(Kind::hybrid), engineOptions(2));
  GenerationRequest longOne = request({0, 4}, std::nullopt);
  longOne.ignoreEos = true;
  longOne.choices = 3;
  auto heard = std::make_shared<Listener>();
  std::atomic<GenerationTicket *> cancelling{nullptr};
  heard->onPiece = [&] {
    while (!cancelling) {
      std::this_thread::yield();
    }
    cancelling.load()->cancelled = true;
  };
  auto ticket = engine->submit(longOne, heard);
  cancelling = ticket.get();
  heard->wait();
  ASSERT_TRUE(heard->usage);
  EXPECT_EQ(heard->broken, "");
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(heard->choices[i].end->reason, FinishReason::cancelled);
  }
  EXPECT_LT(heard->usage->generatedTokens, 10);
}

TEST(Engine, stopStringsEndATextBeforeThem) {
  auto text = textModel(Kind::entries);
  auto engine = makeEngine(text, engineOptions(2));
  int found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    GenerationRequest whole = request(randomPrompt(seed, 9), 60);
    whole.ignoreEos = true;
    auto all = ask(*engine, whole);
    std::string said = all->choices[0].text;
    if (said.size() < 12) {
      continue;
    }
    GenerationRequest cut = whole;
    cut.stopStrings = {"no such text", said.substr(7, 3)};
    auto heard = ask(*engine, cut);
    const ChoiceHeard &choice = heard->choices[0];
    EXPECT_EQ(choice.text, said.substr(0, said.find(said.substr(7, 3))));
    EXPECT_EQ(choice.end->reason, FinishReason::stop);
    EXPECT_EQ(choice.end->stopString, said.substr(7, 3));
    ++found;
  }
  EXPECT_GT(found, 5);
}

TEST(Engine, endTokensEndATextUnlessTheyAreIgnored) {
  auto text = textModel(Kind::entries);
  auto engine = makeEngine(text, engineOptions(1));
  int ended = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto heard = ask(*engine, request(randomPrompt(seed, 5), 40));
    const ChoiceHeard &choice = heard->choices[0];
    bool end = choice.tokens.back() == eosToken;
    ended += end;
    EXPECT_EQ(choice.end->reason,
              end ? FinishReason::stop : FinishReason::length);
    EXPECT_EQ(choice.text.find("<eos>"), std::string::npos);
    EXPECT_EQ(choice.end->generatedTokens,
              static_cast<int64_t>(choice.tokens.size()));
  }
  EXPECT_GT(ended, 5);
}

/// Five times `a` or `b`, then the end.
struct FiveLetters : Constraint {
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<FiveLetters>(*this);
  }
  bool prepare(const std::vector<int32_t> &endTokens) override { return true; }
  const std::vector<uint32_t> &
  mask(const std::vector<int32_t> &endTokens) override {
    bits = {3u << aToken};
    return bits;
  }
  void accept(int32_t token) override {
    if (token != aToken && token != aToken + 1) {
      throw Error("not allowed");
    }
    ++letters;
  }
  bool mustEnd() const override { return letters == 5; }
  int letters = 0;
  std::vector<uint32_t> bits;
};

/// One that nobody reads: the options say what comes of it.
std::shared_ptr<const Grammar> someGrammar() {
  auto place = std::make_shared<int>();
  return {place, reinterpret_cast<const Grammar *>(place.get())};
}

TEST(Engine, aGrammarChoosesAndEndsEachChoice) {
  EngineOptions options = engineOptions(2);
  GenerationRequest each = request(randomPrompt(1, 9), 40);
  each.choices = 3;
  each.sampling.doSample = true;
  each.grammar = someGrammar();
  auto engine = makeEngine(textModel(Kind::hybrid), options);
  EXPECT_THAT(ask(*engine, each)->fault->message, HasSubstr("no grammars"));
  options.constraints = [](const std::shared_ptr<const Grammar> &, bool) {
    return std::make_unique<FiveLetters>();
  };
  engine = makeEngine(textModel(Kind::hybrid), options);
  auto heard = ask(*engine, each);
  ASSERT_TRUE(heard->usage) << heard->fault->message;
  for (int64_t i = 0; i < 3; ++i) {
    const ChoiceHeard &choice = heard->choices[i];
    EXPECT_EQ(choice.text.size(), 5u);
    EXPECT_EQ(choice.text.find_first_not_of("ab"), std::string::npos);
    EXPECT_EQ(choice.end->reason, FinishReason::stop);
  }
}

/// This is the constraint of a grammar by which a text can be read in too many
/// ways.
struct TooAmbiguous : FiveLetters {
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<TooAmbiguous>(*this);
  }
  const std::vector<uint32_t> &
  mask(const std::vector<int32_t> &endTokens) override {
    if (letters == 2) {
      throw Error(Status::usage, "the grammar is too ambiguous");
    }
    return FiveLetters::mask(endTokens);
  }
};

TEST(Engine, aGrammarThatGrowsTooLargeIsTheRequestsFault) {
  EngineOptions options = engineOptions(1);
  options.constraints = [](const std::shared_ptr<const Grammar> &, bool) {
    return std::make_unique<TooAmbiguous>();
  };
  GenerationRequest one = request(randomPrompt(1, 9), 40);
  one.grammar = someGrammar();
  auto engine = makeEngine(textModel(Kind::hybrid), options);
  auto heard = ask(*engine, one);
  ASSERT_TRUE(heard->fault);
  EXPECT_EQ(heard->fault->kind, GenerationFault::Kind::invalid);
  EXPECT_EQ(heard->fault->message, "the grammar is too ambiguous");
}

/// This is the constraint of a system that has no memory left.
struct ShortOfMemory : FiveLetters {
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<ShortOfMemory>(*this);
  }
  const std::vector<uint32_t> &mask(const std::vector<int32_t> &) override {
    throw std::bad_alloc();
  }
};

TEST(Engine, aRequestThatFindsNoMemoryMayBeTriedAgain) {
  EngineOptions options = engineOptions(1);
  options.constraints = [](const std::shared_ptr<const Grammar> &, bool) {
    return std::make_unique<ShortOfMemory>();
  };
  GenerationRequest one = request(randomPrompt(1, 9), 40);
  one.grammar = someGrammar();
  auto engine = makeEngine(textModel(Kind::hybrid), options);
  auto heard = ask(*engine, one);
  ASSERT_TRUE(heard->fault);
  EXPECT_EQ(heard->fault->kind, GenerationFault::Kind::memory);
  one.grammar = nullptr;
  EXPECT_TRUE(ask(*engine, one)->usage);
}

/// Keeps a mebibyte more for each letter.
struct Growing : FiveLetters {
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<Growing>(*this);
  }
  size_t bytes() const override { return size_t(letters + 1) << 20; }
};

TEST(Engine, whatGrammarsKeepIsCountedInTheMemoryOfTheirRequest) {
  EngineOptions options = engineOptions(2);
  options.constraints = [](const std::shared_ptr<const Grammar> &, bool) {
    return std::make_unique<Growing>();
  };
  GenerationRequest each = request(randomPrompt(1, 9), 40);
  each.choices = 3;
  each.grammar = someGrammar();
  auto heardWith = [&](uint64_t all, uint64_t own) {
    auto budget = std::make_shared<Budget>(all << 20);
    each.memory = std::make_shared<BudgetShare>(budget, own << 20);
    auto engine = makeEngine(textModel(Kind::hybrid), options);
    auto heard = ask(*engine, each);
    engine.reset();
    EXPECT_EQ(each.memory->bytes(), 0u);
    return heard;
  };
  // the fifth letter ends a text, and needs no mask
  EXPECT_TRUE(heardWith(15, 15)->usage);
  auto own = heardWith(100, 4);
  ASSERT_TRUE(own->fault);
  EXPECT_EQ(own->fault->kind, GenerationFault::Kind::invalid);
  EXPECT_THAT(own->fault->message, HasSubstr("the grammar needs more than the "
                                             "4 MiB"));
  auto all = heardWith(4, 100);
  ASSERT_TRUE(all->fault);
  EXPECT_EQ(all->fault->kind, GenerationFault::Kind::memory);
}

/// One that is ready when the test says so.
struct WhenTold : FiveLetters {
  explicit WhenTold(const std::atomic<bool> &told) : told(told) {}
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<WhenTold>(*this);
  }
  bool prepare(const std::vector<int32_t> &endTokens) override { return told; }
  const std::atomic<bool> &told;
};

TEST(Engine, aGrammarThatIsNotReadyHoldsUpNoOtherText) {
  std::atomic<bool> told = false;
  EngineOptions options = engineOptions(4);
  options.constraints = [&](const std::shared_ptr<const Grammar> &, bool) {
    return std::make_unique<WhenTold>(told);
  };
  GenerationRequest slow = request(randomPrompt(1, 9), 40);
  slow.choices = 5; // more than there are slots
  slow.grammar = someGrammar();
  auto text = textModel(Kind::hybrid);
  auto engine = makeEngine(text, options);
  GenerationRequest other = request(randomPrompt(2, 7), 30);
  auto first = std::make_shared<Listener>();
  auto heard = std::make_shared<Listener>();
  engine->submit(other, first);
  engine->submit(slow, heard);
  first->wait();
  EXPECT_EQ(first->choices[0].tokens, alone(*text, other));
  EXPECT_FALSE(heard->over());
  told = true;
  heard->wait();
  ASSERT_TRUE(heard->usage);
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(heard->choices[i].text.size(), 5u);
  }
  // one that never gets ready can be cancelled
  told = false;
  auto cancelled = std::make_shared<Listener>();
  engine->submit(slow, cancelled)->cancelled = true;
  cancelled->wait();
  EXPECT_EQ(cancelled->choices[0].text, "");
}

TEST(Engine, drainingEndsWhatRunsAndRefusesTheRest) {
  auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
  std::vector<std::shared_ptr<Listener>> heard;
  for (int i = 0; i < 4; ++i) {
    heard.push_back(std::make_shared<Listener>());
    engine->submit(request({0, 4}, 50), heard.back());
  }
  std::mutex mutex;
  std::condition_variable told;
  bool idle = false, allOver = true;
  engine->drain([&] {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &each : heard) {
      allOver &= each->over();
    }
    idle = true;
    told.notify_all();
  });
  GenerationRequest one = request({3}, 1);
  auto late = ask(*engine, one);
  EXPECT_EQ(late->fault->kind, FaultKind::shuttingDown);
  one.follows = true; // the rest of a request that has begun
  EXPECT_TRUE(ask(*engine, one)->usage);
  std::unique_lock<std::mutex> lock(mutex);
  told.wait(lock, [&] { return idle; });
  EXPECT_TRUE(allOver);
  for (const auto &each : heard) {
    EXPECT_TRUE(each->usage);
  }
}

TEST(Engine, abortingEndsAllWithAFault) {
  auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
  GenerationRequest longOne = request({0, 4}, std::nullopt);
  longOne.ignoreEos = true;
  std::vector<std::shared_ptr<Listener>> heard;
  for (int i = 0; i < 3; ++i) {
    heard.push_back(std::make_shared<Listener>());
    heard.back()->onPiece = [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    engine->submit(longOne, heard.back());
  }
  heard[0]->waitForToken();
  engine->abort();
  for (const auto &each : heard) {
    each->wait();
    ASSERT_TRUE(each->fault);
    EXPECT_EQ(each->fault->kind, FaultKind::shuttingDown);
    EXPECT_EQ(each->broken, "");
  }
}

TEST(Engine, anEngineThatGoesAwayEndsItsRequests) {
  auto heard = std::make_shared<Listener>();
  {
    auto engine = makeEngine(textModel(Kind::entries), engineOptions(1));
    GenerationRequest longOne = request({0, 4}, std::nullopt);
    longOne.ignoreEos = true;
    engine->submit(longOne, heard);
  }
  EXPECT_TRUE(heard->over());
}

} // namespace
