// Chunks on the stand-in model (test/unit/Artifact/FakeModel.c).
#include "runtime/Perplexity/Evaluate.h"
#include "../Artifact/FakeArtifact.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

std::unique_ptr<Session> session(int64_t vocabulary = fakeVocabulary) {
  FakeArtifact artifact;
  artifact.metadata["vocab_size"] = vocabulary;
  TemporaryFile file(artifact.bytes());
  SessionOptions options;
  options.threads = 1;
  return std::make_unique<Session>(Model::open(file.path()), options);
}

TextChunks cut(const std::vector<int32_t> &tokens) {
  TextChunks chunks;
  chunks.tokens = tokens;
  chunks.length = 4;
  return chunks;
}

Evaluation evaluated(Session &model, Session *base, const TextChunks &chunks) {
  return evaluate(model, base, chunks,
                  [](int64_t, int64_t, const Evaluation &) {});
}

/// What evaluating is refused with.
std::string refusal(Session &model, Session *base, const TextChunks &chunks) {
  try {
    evaluated(model, base, chunks);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Evaluate, theSecondHalfOfEachChunkCounts) {
  auto model = session(), base = session();
  TextChunks chunks = cut({1, 2, 3, 4, 5, 6, 7, fakeVocabulary - 1});
  Evaluation found = evaluated(*model, base.get(), chunks);
  EXPECT_EQ(found.perplexity.tokens(), chunks.scored());
  EXPECT_EQ(found.perplexity.tokens(), 2);
  EXPECT_EQ(found.base.tokens(), 2);
  EXPECT_EQ(found.divergence.largest(), 0);
}

// A chunk's last token is never fed: no step looks at it.
TEST(Evaluate, tokensOutsideTheVocabularyAreRefusedEverywhere) {
  auto model = session();
  for (size_t place = 0; place < 8; ++place) {
    std::vector<int32_t> tokens = {1, 2, 3, 4, 5, 6, 7, 8};
    tokens[place] = fakeVocabulary;
    EXPECT_THAT(refusal(*model, nullptr, cut(tokens)),
                HasSubstr("a vocabulary of 16"))
        << place;
  }
}

TEST(Evaluate, tokensMustBeInTheVocabularyOfTheOtherModelToo) {
  auto model = session(fakeVocabulary + 1), base = session();
  EXPECT_THAT(refusal(*model, base.get(), cut({1, 2, 3, fakeVocabulary})),
              HasSubstr("a vocabulary of 16"));
}

} // namespace
