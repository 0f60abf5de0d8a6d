// Logits that a step leaves where they were computed.
#include "../Artifact/FakeArtifact.h"
#include "runtime/Session/Session.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

using Row = std::vector<float>;
constexpr int32_t tokens[] = {3, 1, 4, 1, 5};

std::shared_ptr<const Model> load() {
  FakeArtifact artifact;
  TemporaryFile file(artifact.bytes());
  return Model::open(file.path());
}

SessionOptions with(int64_t slots, int64_t chunk = 0) {
  SessionOptions options;
  options.threads = 1;
  options.slots = slots;
  options.prefillChunk = chunk;
  return options;
}

Row keptRow(Session &session, int64_t index = 0) {
  const float *row = session.keptLogits(index);
  return {row, row + fakeVocabulary};
}

std::string refusal(const std::function<void()> &action) {
  try {
    action();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::usage);
    return error.what();
  }
  return "";
}

TEST(KeptLogits, areThoseThatAStepGives) {
  auto model = load();
  for (int64_t chunk : {0, 1, 2}) {
    Session gives(model, with(1, chunk)), keeps(model, with(1, chunk));
    Row given(fakeVocabulary);
    gives.prefill(0, tokens, given.data());
    keeps.prefillKeeping(0, tokens);
    EXPECT_EQ(keptRow(keeps), given);
    gives.decode(0, 7, given.data());
    keeps.decodeKeeping(0, 7);
    EXPECT_EQ(keptRow(keeps), given);
    EXPECT_EQ(keeps.position(0), 6);
  }
}

TEST(KeptLogits, areThoseOfEachRowThatIsAskedFor) {
  auto model = load();
  Session gives(model, with(3)), keeps(model, with(3));
  cheems_segment segments[3] = {};
  for (int32_t i = 0; i < 3; ++i) {
    segments[i].slot = 2 - i;
    segments[i].start = i;
    segments[i].length = 1;
  }
  const int32_t rows[] = {2, 0};
  Row given(2 * fakeVocabulary);
  gives.step({{tokens, 3}, segments, rows}, given.data());
  keeps.stepKeeping({{tokens, 3}, segments, rows});
  for (int64_t index : {0, 1}) {
    EXPECT_EQ(keptRow(keeps, index),
              Row(given.begin() + index * fakeVocabulary,
                  given.begin() + (index + 1) * fakeVocabulary));
  }
}

TEST(KeptLogits, onTheHostTheWholeRowIsAsNear) {
  Session session(load(), with(1));
  session.prefillKeeping(0, tokens);
  EXPECT_EQ(session.topLogits(1), std::nullopt);
}

TEST(KeptLogits, endWithTheNextStep) {
  Session session(load(), with(2));
  EXPECT_THAT(refusal([&] { session.keptLogits(); }),
              HasSubstr("kept those of 0 row(s)"));
  session.prefillKeeping(0, tokens);
  EXPECT_THAT(refusal([&] { session.keptLogits(1); }),
              HasSubstr("row 1 are asked for"));
  EXPECT_THAT(refusal([&] { session.topLogits(1, -1); }),
              HasSubstr("row -1 are asked for"));
  Row given(fakeVocabulary);
  session.decode(0, 7, given.data());
  EXPECT_THAT(refusal([&] { session.keptLogits(); }),
              HasSubstr("kept those of 0 row(s)"));
}

TEST(KeptLogits, ofMoreRowsThanSlotsAreRefused) {
  Session session(load(), with(1));
  cheems_segment segment = {};
  segment.length = 2;
  const int32_t rows[] = {0, 1};
  EXPECT_THAT(
      refusal([&] { session.stepKeeping({{tokens, 2}, {&segment, 1}, rows}); }),
      HasSubstr("this session keeps those of 1"));
  EXPECT_EQ(session.position(0), 0);
}

TEST(KeptLogits, aStepThatGivesNeedsAPlaceForThem) {
  Session session(load(), with(1));
  cheems_segment segment = {};
  segment.length = 1;
  const int32_t row = 0;
  EXPECT_THAT(refusal([&] {
                session.step({{tokens, 1}, {&segment, 1}, {&row, 1}}, nullptr);
              }),
              HasSubstr("a needed pointer is null"));
}

} // namespace
