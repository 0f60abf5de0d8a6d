// Log-probabilities of prompts and of what is generated, against rows of a
// session alone.
#include "server/Engine/Logprobs.h"
#include "EngineHarness.h"
#include "runtime/Session/Session.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

void expectEntry(const TokenLogprob &entry, int32_t token, const float *row,
                 int64_t vocabulary, int64_t top) {
  double sum = 0;
  for (int64_t i = 0; i < vocabulary; ++i) {
    sum += std::exp(double(row[i]));
  }
  EXPECT_EQ(entry.token, token);
  ASSERT_TRUE(entry.logprob);
  EXPECT_NEAR(*entry.logprob, double(row[token]) - std::log(sum), 1e-12);
  ASSERT_EQ(entry.best.size(), static_cast<size_t>(top));
  bool greedy = std::max_element(row, row + vocabulary) == row + token;
  if (top > 0) {
    // what lm-eval compares exactly
    EXPECT_EQ(*entry.logprob == entry.best[0].logprob,
              row[token] == row[entry.best[0].token]);
    EXPECT_TRUE(!greedy || entry.best[0].token == token);
  }
  for (size_t i = 1; i < entry.best.size(); ++i) {
    const auto &a = entry.best[i - 1], &b = entry.best[i];
    EXPECT_TRUE(a.logprob > b.logprob ||
                (a.logprob == b.logprob && a.token < b.token));
  }
}

TEST(Logprobs, ofPromptsAndTextsAreThoseOfTheirRows) {
  for (Kind kind : {Kind::entries, Kind::hybrid, Kind::window}) {
    auto text = textModel(kind);
    for (int64_t slots : {1, 4}) {
      auto engine = makeEngine(text, engineOptions(slots));
      std::vector<GenerationRequest> requests;
      std::vector<std::shared_ptr<Listener>> heard;
      for (int64_t i = 0; i < 8; ++i) {
        GenerationRequest each = request(
            randomPrompt(static_cast<uint64_t>(i), 1 + i * 9 % 50), i % 3);
        each.ignoreEos = true;
        each.topLogprobs = i % 5;
        each.promptLogprobs = i % 4 != 3;
        requests.push_back(each);
        heard.push_back(std::make_shared<Listener>());
        engine->submit(each, heard.back());
      }
      for (size_t i = 0; i < requests.size(); ++i) {
        heard[i]->wait();
        const GenerationRequest &each = requests[i];
        std::vector<int32_t> all = each.prompt;
        const ChoiceHeard &choice = heard[i]->choices[0];
        all.insert(all.end(), choice.tokens.begin(), choice.tokens.end());
        SessionOptions options;
        options.threads = 1;
        Session session(text->sharedModel(), options);
        std::vector<float> rows;
        session.prefillAll(
            0, all, [&](int64_t, int64_t count, const float *some) {
              rows.insert(rows.end(), some, some + count * fakeVocabulary);
            });
        auto row = [&](size_t at) { return &rows[at * fakeVocabulary]; };
        ASSERT_EQ(heard[i]->prompt.size(),
                  each.promptLogprobs ? each.prompt.size() : 0);
        for (size_t at = 1; at < heard[i]->prompt.size(); ++at) {
          expectEntry(heard[i]->prompt[at], all[at], row(at - 1),
                      fakeVocabulary, *each.topLogprobs);
        }
        if (each.promptLogprobs) {
          EXPECT_EQ(heard[i]->prompt[0].token, all[0]);
          EXPECT_FALSE(heard[i]->prompt[0].logprob);
        }
        ASSERT_EQ(choice.logprobs.size(), choice.tokens.size());
        for (size_t at = 0; at < choice.tokens.size(); ++at) {
          expectEntry(choice.logprobs[at], choice.tokens[at],
                      row(each.prompt.size() + at - 1), fakeVocabulary,
                      *each.topLogprobs);
        }
      }
    }
  }
}

TEST(Logprobs, ofEqualLogitsTheLowerTokenIsFirst) {
  std::vector<float> row = {1, 5, 2, 5, 5, -3};
  TokenLogprob entry = tokenLogprob(row.data(), 6, 3, 4);
  ASSERT_EQ(entry.best.size(), 4u);
  EXPECT_EQ(entry.best[0].token, 1);
  EXPECT_EQ(entry.best[1].token, 3);
  EXPECT_EQ(entry.best[2].token, 4);
  EXPECT_EQ(entry.best[3].token, 2);
  EXPECT_EQ(*entry.logprob, entry.best[0].logprob);
  EXPECT_EQ(tokenLogprob(row.data(), 6, 0, 1).best[0].token, 1);
  EXPECT_TRUE(tokenLogprob(row.data(), 6, 0, 0).best.empty());
}

} // namespace
