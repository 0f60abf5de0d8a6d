// Steps that break abi.h's rules never reach compiled code.
#include "runtime/Session/StepCheck.h"
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

/// Two sequences in one step: rows 0-2 for slot 1 at position 0, rows 3-4 for
/// slot 0 at position 5.
struct Step {
  std::vector<int32_t> tokens = {1, 2, 3, 4, 5}, rows = {2, 4},
                       positions = {5, 0, 0};
  std::vector<cheems_segment> segments = {{1, 0, 3, 0, 3, {}},
                                          {0, 3, 2, 5, 7, {}}};
  int64_t tokenCount = 5, rowCount = 2;
};

/// The message, empty when the step is accepted.
std::string refusal(const std::function<void(Step &)> &change,
                    Status expected = Status::usage) {
  Step s;
  change(s);
  StepView step = {
      {s.tokens.data(), s.tokenCount}, s.segments, {s.rows.data(), s.rowCount}};
  StepCheck check(/*vocabulary=*/10, /*slots=*/3, /*maxRows=*/8,
                  /*context=*/20);
  try {
    check.check(step, s.positions);
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, expected) << error.what();
    return error.what();
  }
}

TEST(StepCheck, soundStepsPass) {
  EXPECT_EQ(refusal([](Step &) {}), "");
  EXPECT_EQ(refusal([](Step &s) { std::swap(s.segments[0], s.segments[1]); }),
            "");
  EXPECT_EQ(refusal([](Step &s) { s.rowCount = 0; }), "");
  EXPECT_EQ(refusal([](Step &s) { s.segments[0].rope_length = 20; }), "");
}

TEST(StepCheck, slotsMustBeDistinctAndInRange) {
  EXPECT_THAT(refusal([](Step &s) {
                s.segments[1].slot = 1, s.segments[1].position = 0;
              }),
              HasSubstr("slot 1 again"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].slot = 3; }),
              HasSubstr("slots go from 0 to 2"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].slot = -1; }),
              HasSubstr("slots go from 0 to 2"));
  EXPECT_THAT(refusal([](Step &s) { s.segments.clear(); }),
              HasSubstr("0 segments"));
  EXPECT_THAT(refusal([](Step &s) { s.segments.resize(4); }),
              HasSubstr("4 segments"));
}

TEST(StepCheck, rowsMustBeInExactlyOneSegment) {
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].start = 2; }),
              HasSubstr("row 2 is in two segments"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[0].length = 2; }),
              HasSubstr("row 2 is in no segment"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].length = 1; }),
              HasSubstr("row 4 is in no segment"));
  EXPECT_THAT(refusal([](Step &s) {
                s.segments[0].start = 1, s.segments[0].length = 2;
              }),
              HasSubstr("row 0 is in no segment"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].length = 3; }),
              HasSubstr("outside the step's 5 rows"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].length = 0; }),
              HasSubstr("is empty"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].length = -1; }),
              HasSubstr("is empty"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[0].start = -1; }),
              HasSubstr("outside"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[0].length = INT32_MAX; }),
              HasSubstr("outside"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[0].start = INT32_MAX; }),
              HasSubstr("outside"));
}

TEST(StepCheck, positionMustBeWhatTheSlotWasFed) {
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].position = 4; }),
              HasSubstr("has been fed 5 tokens"));
  EXPECT_THAT(refusal([](Step &s) { s.segments[0].position = -1; }),
              HasSubstr("has been fed 0 tokens"));
}

TEST(StepCheck, contextIsNeverOverrun) {
  auto at = [](int32_t position) {
    return [position](Step &s) {
      s.positions[0] = s.segments[1].position = position;
      s.segments[1].rope_length =
          position < INT32_MAX - 2 ? position + 2 : INT32_MAX;
    };
  };
  EXPECT_EQ(refusal(at(18)), "");
  EXPECT_THAT(refusal(at(19), Status::failed), HasSubstr("context is full"));
  EXPECT_THAT(refusal(at(INT32_MAX), Status::failed),
              HasSubstr("context is full"));
}

TEST(StepCheck, ropeLengthReachesTheEnd) {
  EXPECT_THAT(refusal([](Step &s) { s.segments[1].rope_length = 6; }),
              HasSubstr("rope_length 6"));
}

TEST(StepCheck, tokensAndRowsMustBeInRange) {
  EXPECT_THAT(refusal([](Step &s) { s.tokens[3] = 10; }),
              HasSubstr("token 10 at row 3"));
  EXPECT_THAT(refusal([](Step &s) { s.tokens[3] = -1; }),
              HasSubstr("token -1 at row 3"));
  EXPECT_THAT(refusal([](Step &s) { s.rows[1] = 5; }),
              HasSubstr("logits of row 5"));
  EXPECT_THAT(refusal([](Step &s) { s.rows[1] = -1; }),
              HasSubstr("logits of row -1"));
  EXPECT_THAT(refusal([](Step &s) { s.rowCount = -1; }),
              HasSubstr("logits of -1 rows"));
  EXPECT_THAT(refusal([](Step &s) { s.rows.resize(6), s.rowCount = 6; }),
              HasSubstr("logits of 6 rows"));
  EXPECT_THAT(refusal([](Step &s) { s.tokenCount = 0; }),
              HasSubstr("0 tokens"));
  EXPECT_THAT(refusal([](Step &s) { s.tokens.resize(9), s.tokenCount = 9; }),
              HasSubstr("1 to 8 at a time"));
}

TEST(StepCheck, neededPointersMustBeThere) {
  EXPECT_THAT(refusal([](Step &s) {
                std::vector<int32_t>().swap(s.rows); // whose data() is null
              }),
              HasSubstr("null"));
}

} // namespace
