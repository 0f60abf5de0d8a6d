// Plans of launches: what they compute, and what is refused.
#include "runtime/Artifact/LaunchPlan.h"
#include "cheems/artifact.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;
using namespace cheems::cuda;
using nlohmann::json;
using testing::HasSubstr;

namespace {

json smallEntry() {
  return {{"numbers", {"tokens", 64, 1, {"ceildiv", 0, 1}, {"multiply", 0, 1}}},
          {"areas", {4}},
          {"parts", {"embedding"}},
          {"launches",
           {{{"kernel", 0},
             {"part", 0},
             {"grid", {3, 2, 2}},
             {"arguments",
              {json::array({"weights", 256}), json::array({"tokens"}), 0,
               json::array({"area", 0}), json::array({"f32", 0.5})}}}}}};
}

json topLogits(int64_t count) {
  json entry = smallEntry();
  entry["count"] = count;
  entry["launches"][0]["arguments"][0] = json::array({"log_sums"});
  return entry;
}

json smallPlan() {
  return {{"version", CHEEMS_LAUNCH_PLAN_VERSION},
          {"kernels", {{{"name", "gather"}, {"threads", 32}, {"shared", 0}}}},
          {"entries",
           {{"general", smallEntry()},
            {"decode", smallEntry()},
            {"top_logits", {topLogits(1), topLogits(64)}}}}};
}

LaunchPlan parse(const json &plan) {
  return LaunchPlan::parse(plan.dump(), "images[0].cards[0]", "m.cheems", 2);
}

std::vector<int64_t> evaluate(const json &numbers, const StepSizes &sizes) {
  json plan = smallPlan();
  json &entry = plan["entries"]["general"];
  entry = {{"numbers", numbers},
           {"areas", json::array()},
           {"parts", json::array()},
           {"launches", json::array()}};
  LaunchPlan parsed = parse(plan);
  std::vector<int64_t> values(numbers.size());
  parsed.general.evaluate(sizes, values);
  return values;
}

TEST(LaunchPlan, numbersComeFromSizesAndEarlierNumbers) {
  json numbers = {"tokens",         "segments",         "rows",
                  "slots",          "capacity",         3,
                  {"add", 0, 5},    {"subtract", 0, 5}, {"multiply", 1, 5},
                  {"divide", 4, 5}, {"ceildiv", 4, 5},  {"min", 0, 4},
                  {"max", 6, 10},   {"less", 1, 5},     {"less", 5, 5},
                  {"equal", 5, 5},  {"equal", 1, 5}};
  EXPECT_EQ(evaluate(numbers, {7, 2, 1, 4, 100}),
            (std::vector<int64_t>{7, 2, 1, 4, 100, 3, 10, 4, 6, 33, 34, 7, 34,
                                  1, 0, 1, 0}));
}

TEST(LaunchPlan, numbersThatDoNotFitAreRefusedWithTheStep) {
  json numbers = {"tokens", INT64_MAX, {"multiply", 0, 1}};
  EXPECT_EQ(evaluate(numbers, {1})[2], INT64_MAX);
  EXPECT_THROW(evaluate(numbers, {2}), Error);
  EXPECT_THROW(evaluate({"tokens", INT64_MAX, {"add", 0, 1}}, {1}), Error);
  EXPECT_THROW(evaluate({"tokens", 3, {"subtract", 0, 1}}, {2}), Error);
}

TEST(LaunchPlan, aConditionLeavesALaunchOut) {
  json plan = smallPlan();
  json &entry = plan["entries"]["general"];
  entry["numbers"].push_back({"less", 0, 1}); // fewer than 64 tokens
  json always = entry["launches"][0], sometimes = always;
  sometimes["when"] = 5;
  entry["launches"] = {always, sometimes};
  LaunchPlan parsed = parse(plan);
  const auto &launches = parsed.general.launches;
  EXPECT_FALSE(launches[0].when);
  ASSERT_TRUE(launches[1].when);
  EXPECT_EQ(*launches[1].when, 5u);
  std::vector<int64_t> values(entry["numbers"].size());
  for (int64_t tokens : {63, 64}) {
    parsed.general.evaluate({tokens}, values);
    EXPECT_EQ(launches[0].blocks(values), 1);
    EXPECT_EQ(launches[1].blocks(values), tokens == 63 ? 1 : 0);
  }
  entry["launches"][1]["when"] = 6; // which number there is none
  EXPECT_THROW(parse(plan), Error);
}

TEST(LaunchPlan, aGridThatIsTooLargeIsNotEmpty) {
  LaunchPlan plan = parse(smallPlan());
  LaunchPlan::Launch launch = plan.general.launches.front();
  launch.grid = {0, 1, 2};
  int64_t large = int64_t(1) << 22; // three of them are 2^66
  EXPECT_EQ(launch.blocks({large, large, large}), INT64_MAX);
  EXPECT_EQ(launch.blocks({large, large, 0}), 0);
  EXPECT_EQ(launch.blocks({INT64_MAX, INT64_MAX, 0}), 0);
}

TEST(LaunchPlan, plansOfOtherVersionsAreRefusedInOneLine) {
  for (int version : {1, CHEEMS_LAUNCH_PLAN_VERSION + 1}) {
    json plan = smallPlan();
    plan["version"] = version;
    if (version == 1) {
      plan.erase("version"); // those had none
    }
    try {
      parse(plan);
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_EQ(error.what(),
                "m.cheems: its launches on GPUs are in format version " +
                    std::to_string(version) +
                    ", but this runtime reads version " +
                    std::to_string(CHEEMS_LAUNCH_PLAN_VERSION) +
                    "; compile the model again");
    }
  }
}

TEST(LaunchPlan, argumentsAreReadAsTheyStand) {
  LaunchPlan plan = parse(smallPlan());
  using Kind = LaunchPlan::Argument::Kind;
  const LaunchPlan::Launch &launch = plan.decode.launches.front();
  EXPECT_EQ(plan.kernels[launch.kernel].name, "gather");
  EXPECT_EQ(launch.part, 0);
  EXPECT_EQ(launch.grid, (std::array<size_t, 3>{3, 2, 2}));
  std::vector<Kind> kinds;
  for (const auto &argument : launch.arguments) {
    kinds.push_back(argument.kind);
  }
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::weights, Kind::tokens, Kind::number,
                                      Kind::area, Kind::real}));
  ASSERT_EQ(plan.topLogits.size(), 2u);
  EXPECT_EQ(plan.topLogits[1].count, 64);
  EXPECT_EQ(plan.topLogits[1].entry.launches[0].arguments[0].kind,
            Kind::logSums);
  EXPECT_EQ(launch.arguments[0].index, 256);
  EXPECT_EQ(launch.arguments[4].real, 0.5f);
}

/// The map covers bytes of the weights from 256 on: 64 rows of as many numbers
/// as tokens, in boxes of 128 x 32.
json smallMap() {
  return {"map", json::array({"weights", 256}), 1, 0, "bf16", 128, 32};
}

TEST(LaunchPlan, mapsAreOfMemoryWithExtents) {
  json plan = smallPlan();
  json &argument =
      plan["entries"]["general"]["launches"][0]["arguments"].emplace_back();
  for (const char *element : {"bf16", "f16"}) {
    argument = smallMap();
    argument[4] = element;
    LaunchPlan parsed = parse(plan);
    const LaunchPlan::Argument &read =
        parsed.general.launches[0].arguments.back();
    EXPECT_EQ(read.kind, LaunchPlan::Argument::Kind::weights);
    EXPECT_EQ(read.index, 256);
    ASSERT_TRUE(read.map);
    using Element = LaunchPlan::TensorMap::Element;
    bool isHalf = element == std::string("f16");
    EXPECT_EQ(read.map->element, isHalf ? Element::f16 : Element::bf16);
    EXPECT_EQ(read.map->rows, 1u);
    EXPECT_EQ(read.map->columns, 0u);
    EXPECT_EQ(read.map->boxRows, 128);
    EXPECT_EQ(read.map->boxColumns, 32);
    EXPECT_EQ(read.map->boxRowBytes(), 64);
    EXPECT_FALSE(parsed.general.launches[0].arguments[0].map);
  }
}

TEST(LaunchPlan, rowsOfBoxesOfF32HaveAnyMultipleOf16Bytes) {
  json plan = smallPlan();
  json &argument =
      plan["entries"]["general"]["launches"][0]["arguments"].emplace_back();
  argument = smallMap();
  argument[4] = "f32";
  for (int columns : {4, 60, 256}) {
    argument[6] = columns;
    LaunchPlan parsed = parse(plan);
    const auto &map = parsed.general.launches[0].arguments.back().map;
    ASSERT_TRUE(map);
    EXPECT_EQ(map->element, LaunchPlan::TensorMap::Element::f32);
    EXPECT_EQ(map->boxColumns, columns);
    EXPECT_EQ(map->boxRowBytes(), 4 * columns);
  }
  for (auto [columns, words] : {std::pair(62, "no multiple of 16 bytes"),
                                {260, "arguments' is not"},
                                {0, "arguments' is not"}}) {
    argument[6] = columns;
    try {
      parse(plan);
      ADD_FAILURE() << columns << " were taken";
    } catch (const DamagedFile &error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
}

TEST(LaunchPlan, mapsThatNoDriverTakesAreRefused) {
  struct Change {
    size_t at;
    json value;
    const char *words;
  };
  const Change changes[] = {
      {1, 0, "map of no memory"},
      {1, json::array({"f32", 0.5}), "map of no memory"},
      {1, smallMap(), "map of no memory"},
      {1, json::array(), "has one that is not known"},
      {1, json::array({"area", 1}), "arguments' is not"},
      {2, 5, "arguments' is not"},
      {3, "tokens", "arguments' is not"},
      {4, "i32", "elements that are not known"},
      {4, 16, "elements that are not known"},
      {5, 257, "arguments' is not"},
      {5, 0, "arguments' is not"},
      {6, 48, "rows have not 32, 64 or 128 bytes"},
      {6, 128, "arguments' is not"},
      {7, 1, "map of no memory"},
  };
  for (const Change &change : changes) {
    json plan = smallPlan();
    json map = smallMap();
    if (change.at == map.size()) {
      map.push_back(change.value);
    } else {
      map[change.at] = change.value;
    }
    SCOPED_TRACE(map.dump());
    plan["entries"]["general"]["launches"][0]["arguments"][0] = map;
    try {
      parse(plan);
      ADD_FAILURE() << "was taken";
    } catch (const DamagedFile &error) {
      EXPECT_THAT(error.what(), HasSubstr(change.words));
    }
  }
}

TEST(LaunchPlan, kernelsOverlapWhereThePlanSaysSo) {
  json plan = smallPlan();
  EXPECT_FALSE(parse(plan).kernels[0].overlaps);
  for (bool overlaps : {false, true}) {
    plan["kernels"][0]["overlaps"] = overlaps;
    EXPECT_EQ(parse(plan).kernels[0].overlaps, overlaps);
  }
}

/// A change of a plan that must be refused with these words.
struct Lie {
  const char *name;
  const char *at; ///< a JSON pointer into the general entry
  json value;
  const char *words;
};

class LyingPlan : public testing::TestWithParam<Lie> {};

TEST_P(LyingPlan, isRefusedByItsField) {
  json plan = smallPlan();
  const Lie &lie = GetParam();
  plan[json::json_pointer(lie.at)] = lie.value;
  try {
    parse(plan);
    FAIL() << "was taken";
  } catch (const DamagedFile &error) {
    EXPECT_THAT(error.what(), HasSubstr("m.cheems: corrupted: "));
    EXPECT_THAT(error.what(), HasSubstr(lie.words));
  }
}

const Lie lies[] = {
    {"noKernels", "/kernels", 3, "plan.kernels' is not a list"},
    {"namelessKernel", "/kernels/0/name", 3, "name' is not a text"},
    {"hugeBlock", "/kernels/0/threads", 1025, "threads' is not a whole number"},
    {"negativeShared", "/kernels/0/shared", -1, "shared' is not"},
    {"overlapsInNumbers", "/kernels/0/overlaps", 1,
     "overlaps' is neither true nor false"},
    {"noEntry", "/entries/decode", nullptr, "entries.decode' is not an object"},
    {"noTopLogits", "/entries/top_logits", 3, "top_logits' is not a list"},
    {"topLogitsOutOfOrder", "/entries/top_logits/1/count", 1,
     "top_logits[1].count' is not"},
    {"unknownField", "/entries/general/numbers/0", "threads",
     "has the unknown field 'threads'"},
    {"negativeConstant", "/entries/general/numbers/1", -1, "numbers' is not"},
    {"fraction", "/entries/general/numbers/1", 0.5, "numbers' is not"},
    {"ofItself", "/entries/general/numbers/3/1", 3, "numbers' is not"},
    {"ofALaterOne", "/entries/general/numbers/3/1", 4, "numbers' is not"},
    {"unknownOperation", "/entries/general/numbers/3/0", "power",
     "operation that is not known"},
    {"shortOperation", "/entries/general/numbers/3", json::array({"add", 0}),
     "operation that is not known"},
    {"divisorThatVaries", "/entries/general/numbers/3/2", 0,
     "divides by what is no positive constant"},
    {"areaOfNoNumber", "/entries/general/areas/0", 5, "areas' is not"},
    {"noSuchKernel", "/entries/general/launches/0/kernel", 1, "kernel' is not"},
    {"noSuchPart", "/entries/general/launches/0/part", 1, "part' is not"},
    {"flatGrid", "/entries/general/launches/0/grid", json::array({0, 0}),
     "does not have three extents"},
    {"gridOfNoNumber", "/entries/general/launches/0/grid/2", 5, "grid' is not"},
    {"noSuchNumber", "/entries/general/launches/0/arguments/2", 5,
     "arguments' is not"},
    {"noSuchArea", "/entries/general/launches/0/arguments/3/1", 1,
     "arguments' is not"},
    {"noSuchPool", "/entries/general/launches/0/arguments/3",
     json::array({"pool", 2}), "arguments' is not"},
    {"unknownArgument", "/entries/general/launches/0/arguments/3",
     json::array({"stack", 0}), "has one that is not known"},
    {"emptyArgument", "/entries/general/launches/0/arguments/3", json::array(),
     "has one that is not known"},
    {"longArgument", "/entries/general/launches/0/arguments/1",
     json::array({"tokens", 0}), "has one of another length"},
    {"realThatIsAText", "/entries/general/launches/0/arguments/4",
     json::array({"f32", "0.5"}), "has one of another length"},
};
INSTANTIATE_TEST_SUITE_P(Each, LyingPlan, testing::ValuesIn(lies),
                         [](const auto &info) { return info.param.name; });

TEST(LaunchPlan, textThatIsNoJsonIsRefused) {
  EXPECT_THROW(LaunchPlan::parse("{", "images[0].cards[0]", "m.cheems", 0),
               DamagedFile);
}

} // namespace
