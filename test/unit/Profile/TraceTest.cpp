// The text of a trace: valid JSON, times in order, names escaped.
#include "runtime/Profile/Trace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;
using nlohmann::json;

namespace {

using Kind = TraceEvent::Kind;

json printed(const Trace &trace) {
  std::string text;
  printTrace(trace, [&](std::string_view piece) { text += piece; });
  return json::parse(text);
}

std::vector<json> slices(const json &document) {
  std::vector<json> found;
  for (const json &event : document["traceEvents"]) {
    if (event["ph"] == "X") {
      found.push_back(event);
    }
  }
  return found;
}

Trace sample() {
  Trace trace;
  trace.process = "p";
  trace.tracks = {"main", "worker 1"};
  trace.names = {"decode", "layer 0", "linear"};
  trace.origin = 1000;
  trace.cyclesPerMicrosecond = 2;
  return trace;
}

TEST(Trace, withoutEventsIsJSONWithNamedTracks) {
  json document = printed(sample());
  std::vector<std::string> names;
  for (const json &event : document["traceEvents"]) {
    EXPECT_EQ(event["ph"], "M");
    if (event["name"] == "thread_name") {
      names.push_back(event["args"]["name"]);
    }
  }
  EXPECT_THAT(names, testing::ElementsAre("main", "worker 1"));
}

TEST(Trace, noTrackIsThreadZeroThatPerfettoTakesForTheIdleOne) {
  Trace trace = sample();
  trace.events = {{Kind::step, 0, 0, 1002, 1007, {}}};
  json document = printed(trace);
  ASSERT_GT(document["traceEvents"].size(), 1u);
  for (const json &event : document["traceEvents"]) {
    EXPECT_GE(event["tid"], 1) << event;
  }
}

TEST(Trace, cyclesBecomeMicrosecondsFromTheOrigin) {
  Trace trace = sample();
  trace.events = {{Kind::step, 0, 0, 1002, 1007, {5, 2, 1}},
                  {Kind::region, 1, 2, 999, 1000, {8, 4, 0}}};
  std::vector<json> found = slices(printed(trace));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["ts"], -0.5);
  EXPECT_EQ(found[0]["dur"], 0.5);
  EXPECT_EQ(found[0]["tid"], 2);
  EXPECT_EQ(found[0]["cat"], "region");
  EXPECT_EQ(found[0]["args"], (json{{"first", 8}, {"iterations", 4}}));
  EXPECT_EQ(found[1]["ts"], 1.0);
  EXPECT_EQ(found[1]["dur"], 2.5);
  EXPECT_EQ(found[1]["name"], "decode");
  EXPECT_EQ(found[1]["args"],
            (json{{"tokens", 5}, {"sequences", 2}, {"logits", 1}}));
}

TEST(Trace, slicesComeInOrderThoseThatHoldOthersFirst) {
  Trace trace = sample();
  trace.events = {{Kind::region, 0, 2, 1010, 1020, {}},
                  {Kind::part, 0, 1, 1010, 1020, {}},
                  {Kind::step, 0, 0, 1010, 1030, {}},
                  {Kind::region, 1, 2, 1004, 1050, {}}};
  std::vector<json> found = slices(printed(trace));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0]["ts"], 2.0);
  EXPECT_EQ(found[1]["cat"], "step");
  EXPECT_EQ(found[2]["cat"], "part");
  EXPECT_EQ(found[3]["cat"], "region");
}

TEST(Trace, roundingKeepsSlicesInsideTheirs) {
  Trace trace = sample();
  trace.cyclesPerMicrosecond = 2999.7;
  uint64_t end = 1000;
  for (int i = 0; i < 200; ++i) {
    uint64_t begin = end + i % 3;
    end = begin + 1 + 7 * i % 11;
    trace.events.push_back({Kind::part, 0, 1, begin, end, {}});
    trace.events.push_back({Kind::region, 0, 2, begin, end, {}});
  }
  trace.events.push_back({Kind::step, 0, 0, 1000, end, {}});
  auto nanoseconds = [](const json &value) {
    return std::llround(value.get<double>() * 1000);
  };
  std::vector<json> found = slices(printed(trace));
  int64_t stepEnd = nanoseconds(found[0]["dur"]), partEnd = 0;
  ASSERT_EQ(found[0]["cat"], "step");
  for (size_t i = 1; i < found.size(); ++i) {
    int64_t from = nanoseconds(found[i]["ts"]),
            to = from + nanoseconds(found[i]["dur"]);
    if (found[i]["cat"] == "part") {
      EXPECT_GE(from, partEnd);
      partEnd = to;
    }
    EXPECT_LE(to, stepEnd);
    EXPECT_LE(to, partEnd);
  }
}

TEST(Trace, namesAreEscaped) {
  Trace trace = sample();
  trace.process = "a\"b\\c\n\xff\xc3\xa9";
  trace.names = {trace.process};
  trace.facts = {{"model", trace.process}};
  trace.events = {{Kind::part, 0, 0, 1000, 1001, {}}};
  json document = printed(trace);
  std::string want = "a\"b\\c\n\xef\xbf\xbd\xc3\xa9";
  EXPECT_EQ(slices(document)[0]["name"], want);
  EXPECT_EQ(document["otherData"]["model"], want);
}

TEST(Trace, longTracesComeInPieces) {
  Trace trace = sample();
  trace.events.assign(50000, {Kind::part, 0, 1, 1000, 1001, {}});
  size_t pieces = 0, most = 0;
  std::string text;
  printTrace(trace, [&](std::string_view piece) {
    ++pieces;
    most = std::max(most, piece.size());
    text += piece;
  });
  EXPECT_GT(pieces, 2u);
  EXPECT_LT(most, size_t(2) << 20);
  EXPECT_EQ(slices(json::parse(text)).size(), 50000u);
}

} // namespace
