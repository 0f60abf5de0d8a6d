// Reuse on compiled models: a text that goes on from a kept state has the very
// log-probabilities that it has without a cache, where that state was made by a
// prefill up to a multiple of the block, and nearly those otherwise.
//
//   CHEEMS_RELEASE_BIN   the folder of cheems-compile (build/release/bin)
#include "../Support/F32Bound.h"
#include "../Support/TemporaryFolder.h"
#include "EngineHarness.h"
#include "runtime/Session/Session.h"
#include "test/unit/Support/TestPaths.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

constexpr int64_t vocabulary = 37;

RandomCheckpoint doge() {
  RandomCheckpoint c;
  c.seed = 31;
  c.authorNames = c.oldRopeFields = true; // without a window
  c.queryKeyNorms = false;
  return c;
}

/// An attention layer and one of SSD.
RandomCheckpoint hybrid() {
  RandomCheckpoint c;
  c.seed = 32;
  c.cheems = c.authorNames = c.oldRopeFields = true;
  c.queryKeyNorms = false;
  c.layers = c.attentionPeriod = 2;
  c.attentionOffset = 1;
  c.stateSize = 8;
  c.groups = 2;
  c.skip = true;
  return c;
}

RandomCheckpoint window() {
  RandomCheckpoint c = doge();
  c.keepWindow = 40;
  return c;
}

/// A window of rows in one layer of two.
RandomCheckpoint rows() {
  RandomCheckpoint c;
  c.seed = 33;
  c.plain = "smollm3";
  c.queryKeyNorms = false;
  c.window = 40;
  return c;
}

/// Returns the deviation of one row.
template <typename T> double deviationOf(const std::vector<T> &row) {
  double sum = 0.0, squares = 0.0;
  for (double number : row) {
    sum += number;
    squares += number * number;
  }
  auto count = static_cast<double>(row.size());
  return std::sqrt(squares / count - sum / count * (sum / count));
}

struct Case {
  const char *name;
  RandomCheckpoint checkpoint;
  bool goesBack; ///< to any token, with the same bits
};

struct ReuseBits : testing::TestWithParam<Case> {
  void SetUp() override {
    const char *given = std::getenv("CHEEMS_RELEASE_BIN");
    std::filesystem::path compiler =
        (given ? std::filesystem::path(given)
               : std::filesystem::path(cheems::test_paths::sourceFolder) /
                     "build/release/bin") /
        "cheems-compile";
    if (!std::filesystem::exists(compiler)) {
      std::printf("skipped: reuse on compiled models: no release build\n");
      GTEST_SKIP() << "no " << compiler;
    }
    writeCheckpoint(GetParam().checkpoint, folder.path / "model");
    std::ofstream(folder.path / "model/tokenizer.json") << talkingTokenizer();
    std::string artefact = folder.path / "model.cheems",
                command = compiler.string() + " " +
                          (folder.path / "model").string() + " -o " + artefact +
                          " --cpu native";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    text = std::make_shared<TextModel>(Model::open(artefact));
  }
  std::unique_ptr<GenerationEngine> make(bool exact) {
    EngineOptions options = engineOptions(2);
    options.context = 700;
    options.cacheBytes = 64 << 20;
    options.exactCache = exact;
    return makeEngine(text, options);
  }
  static std::vector<int32_t> prompt(uint64_t seed, size_t length) {
    std::vector<int32_t> tokens = randomPrompt(seed, length);
    for (size_t i = 0; i < length; ++i) {
      tokens[i] = static_cast<int32_t>(size_t(tokens[i]) * 2 + i % 5);
    }
    return tokens;
  }
  /// With the log-probabilities of all tokens.
  static GenerationRequest asking(std::vector<int32_t> tokens, bool cache) {
    GenerationRequest each = request(std::move(tokens), 12);
    each.ignoreEos = true;
    each.topLogprobs = vocabulary;
    each.cachePrompt = cache;
    return each;
  }
  /// The furthest that a log-probability of the first token is from its own
  /// without a cache; of the texts only where `exact`.
  void compare(GenerationEngine &engine, const std::vector<int32_t> &tokens,
               int64_t cached, bool exact) {
    auto fresh = make(false);
    auto with = ask(engine, asking(tokens, true)),
         without = ask(*fresh, asking(tokens, false));
    ASSERT_TRUE(with->usage && without->usage);
    EXPECT_EQ(with->cached, cached);
    const ChoiceHeard &a = with->choices[0], &b = without->choices[0];
    answer = a.tokens;
    ASSERT_EQ(b.logprobs[0].best.size(), size_t(vocabulary));
    for (size_t at = 0; at < (exact ? a.logprobs.size() : 1); ++at) {
      std::vector<double> of(vocabulary), other(vocabulary);
      for (const auto &each : a.logprobs[at].best) {
        of[size_t(each.token)] = each.logprob;
      }
      for (const auto &each : b.logprobs[at].best) {
        other[size_t(each.token)] = each.logprob;
      }
      // a log-probability is a logit less the logarithm of a sum over all
      double bound =
          2.0 * deviationOf(other) *
          f32Bound(GetParam().checkpoint, static_cast<int64_t>(tokens.size()));
      for (size_t i = 0; i < of.size(); ++i) {
        if (exact) {
          EXPECT_EQ(of[i], other[i]) << "token " << i << " of row " << at;
        } else {
          EXPECT_NEAR(of[i], other[i], bound);
        }
      }
    }
    if (exact) {
      EXPECT_EQ(a.tokens, b.tokens);
    }
  }

  TemporaryFolder folder;
  std::shared_ptr<TextModel> text;
  std::vector<int32_t> answer;
};

std::vector<int32_t> operator+(std::vector<int32_t> a,
                               const std::vector<int32_t> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_P(ReuseBits, aKeptPrefillGoesOnWithItsBits) {
  bool back = GetParam().goesBack;
  for (bool exact : {true, false}) {
    auto engine = make(exact);
    std::vector<int32_t> shared = prompt(1, 200),
                         first = shared + prompt(2, 130);
    compare(*engine, first, 0, true);
    compare(*engine, first, back ? 329 : 320, true);
    if (exact) { // its answer was decoded
      compare(*engine, first + answer + prompt(3, 40), back ? 341 : 320, true);
    }
    // the place where two part is kept at the second one
    compare(*engine, shared + std::vector<int32_t>{36} + prompt(4, 90),
            back ? 200 : 0, true);
    compare(*engine, shared + std::vector<int32_t>{35} + prompt(5, 90),
            back ? 200 : 192, true);
  }
}

TEST_P(ReuseBits, aDecodedStateGoesOnWithinRounding) {
  auto engine = make(false);
  std::vector<int32_t> tokens = prompt(6, 150);
  compare(*engine, tokens, 0, true);
  for (int turn = 0; turn < 3; ++turn) {
    auto size = static_cast<int64_t>(tokens.size() + answer.size());
    tokens = tokens + answer + prompt(7 + turn, 30);
    compare(*engine, tokens, size - 1, GetParam().goesBack);
  }
}

TEST_P(ReuseBits, anEmbeddingIsThatOfASession) {
  std::unique_ptr<GenerationEngine> engine = make(false);
  std::vector<int32_t> tokens = prompt(7, 333);
  cheems::Session session(text->sharedModel());
  double bound = 0.0;
  for (Pooling pooling : {Pooling::last, Pooling::mean}) {
    std::vector<float> expected(static_cast<size_t>(session.hidden()));
    session.reset(0);
    session.embed(0, tokens, pooling, expected.data());
    if (pooling == Pooling::last) { // a row; a mean errs no more than its rows
      bound =
          deviationOf(expected) *
          f32Bound(GetParam().checkpoint, static_cast<int64_t>(tokens.size()));
    }
    GenerationRequest each = request(tokens, std::nullopt);
    each.embedding = pooling;
    for (int i = 0; i < 2; ++i) { // with a kept state, too
      auto heard = ask(*engine, each);
      ASSERT_FALSE(heard->fault) << heard->fault->message;
      ASSERT_EQ(heard->embedded.size(), expected.size());
      for (size_t j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(heard->embedded[j], expected[j], bound);
      }
      EXPECT_EQ(heard->usage->generatedTokens, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReuseBits,
                         testing::Values(Case{"doge", doge(), true},
                                         Case{"hybrid", hybrid(), false},
                                         Case{"window", window(), false},
                                         Case{"rows", rows(), true}),
                         [](const auto &info) { return info.param.name; });

} // namespace
