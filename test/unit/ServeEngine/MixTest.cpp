// Many requests of all sorts at once: each ends in exactly one way, greedy
// texts stay what they are alone, and every slot is free in the end.
#include "EngineHarness.h"
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

GenerationRequest drawn(std::mt19937_64 &random) {
  GenerationRequest each =
      request(randomPrompt(random() % 40, 1 + random() % 100), random() % 30);
  each.ignoreEos = random() % 2;
  each.cachePrompt = random() % 8;
  each.choices = random() % 4 == 0 ? 1 + static_cast<int64_t>(random() % 4) : 1;
  if (random() % 3 == 0) {
    each.stopStrings = {"ab", "c-"};
  }
  if (random() % 4 == 0) {
    each.topLogprobs = static_cast<int64_t>(random() % 4);
    each.promptLogprobs = random() % 2;
  }
  if (random() % 4 == 0) {
    each.sampling.doSample = true;
    each.sampling.seed = random();
  }
  if (random() % 10 == 0) {
    each.slot = static_cast<int64_t>(random() % 3);
  }
  if (random() % 12 == 0) {
    each.prompt.assign(300, 3); // does not fit
  }
  return each;
}

class Mix : public testing::TestWithParam<Kind> {};

TEST_P(Mix, everyRequestEndsOnce) {
  auto text = textModel(GetParam());
  EngineOptions options = engineOptions(3);
  options.cacheBytes = 20000;
  options.queueLength = 20;
  options.metrics = std::make_shared<Metrics>();
  auto engine = makeEngine(text, options);
  struct Asked {
    GenerationRequest request;
    std::shared_ptr<Listener> heard;
    bool dropped;
  };
  std::vector<std::vector<Asked>> asked(4);
  std::vector<std::thread> clients;
  for (size_t client = 0; client < asked.size(); ++client) {
    clients.emplace_back([&, client] {
      std::mt19937_64 random(client);
      for (int i = 0; i < 60; ++i) {
        Asked each{drawn(random), std::make_shared<Listener>(),
                   random() % 5 == 0};
        auto ticket = engine->submit(each.request, each.heard);
        asked[client].push_back(each);
        if (ticket && each.dropped) {
          if (random() % 2) {
            each.heard->waitForToken();
          }
          ticket->cancelled = true;
        } else if (random() % 2) {
          each.heard->wait();
        }
        if (random() % 7 == 0) {
          engine->eraseSlot(static_cast<int64_t>(random() % 3),
                            [](const SlotActionResult &) {});
        }
      }
    });
  }
  for (std::thread &client : clients) {
    client.join();
  }
  int64_t compared = 0;
  for (const auto &some : asked) {
    for (const Asked &each : some) {
      each.heard->wait();
      EXPECT_EQ(each.heard->broken, "");
      EXPECT_NE(each.heard->usage.has_value(), each.heard->fault.has_value());
      bool whole = each.heard->usage && !each.dropped &&
                   each.request.stopStrings.empty();
      for (int64_t i = 0; whole && i < each.request.choices; ++i) {
        EXPECT_EQ(each.heard->choices[i].tokens, alone(*text, each.request, i));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 60);
  while (options.metrics->slotsBusy != 0) { // counted after the last end
    std::this_thread::yield();
  }
  EXPECT_EQ(options.metrics->slotsBusy, 0);
  EXPECT_EQ(options.metrics->running, 0);
  EXPECT_EQ(options.metrics->waiting, 0);
  EXPECT_LE(options.metrics->cacheBytes, 20000);
}

INSTANTIATE_TEST_SUITE_P(States, Mix,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

} // namespace
