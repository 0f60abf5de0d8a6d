// Profiles of the stand-in model, which has two marks and two parallel loops
// (test/unit/Artifact/FakeModel.c).
#include "runtime/Profile/Profile.h"
#include "../Artifact/FakeArtifact.h"
#include "runtime/Session/Session.h"
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;
using namespace cheems::test;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::shared_ptr<const Model> load() {
  TemporaryFile file(FakeArtifact().bytes());
  return Model::open(file.path());
}

/// What a profile writes.
json written(Profile &profile) {
  TemporaryFile file("old");
  profile.write(file.path());
  std::ifstream stream(file.path());
  return json::parse(stream);
}

std::vector<json> slices(const json &document, const std::string &category) {
  std::vector<json> found;
  for (const json &event : document["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == category) {
      found.push_back(event);
    }
  }
  return found;
}

std::vector<std::string> names(const std::vector<json> &events) {
  std::vector<std::string> result;
  for (const json &event : events) {
    result.push_back(event["name"]);
  }
  return result;
}

/// A prompt of five tokens in chunks of three, then one token.
std::vector<float> feed(std::shared_ptr<Profile> profile, int threads) {
  SessionOptions options;
  options.threads = threads;
  options.prefillChunk = 3;
  options.profile = std::move(profile);
  Session session(load(), options);
  std::vector<int32_t> prompt = {1, 2, 3, 4, 5};
  std::vector<float> logits(2 * fakeVocabulary);
  session.prefill(0, prompt, logits.data());
  session.decode(0, 6, logits.data() + fakeVocabulary);
  return logits;
}

TEST(Profile, everyStepHasItsPartsAndRegions) {
  for (int threads : {1, 3}) {
    auto profile = std::make_shared<Profile>();
    feed(profile, threads);
    EXPECT_EQ(profile->steps(), 3);
    EXPECT_EQ(profile->loss(), "");
    json document = written(*profile);
    std::vector<json> steps = slices(document, "step");
    EXPECT_THAT(names(steps), ElementsAre("prefill", "prefill", "decode"));
    EXPECT_EQ(steps[0]["args"],
              (json{{"tokens", 3}, {"sequences", 1}, {"logits", 0}}));
    EXPECT_EQ(steps[2]["args"],
              (json{{"tokens", 1}, {"sequences", 1}, {"logits", 1}}));
    EXPECT_THAT(
        names(slices(document, "part")),
        ElementsAre("first", "second", "first", "second", "first", "second"));
    // every iteration once, on threads that there are
    int64_t scratch = 0;
    for (const json &region : slices(document, "region")) {
      EXPECT_GE(region["tid"], 1);
      EXPECT_LE(region["tid"], threads);
      if (region["name"] == "scratch") {
        scratch += region["args"]["iterations"].get<int64_t>();
      } else {
        EXPECT_EQ(region["name"], "rows");
      }
    }
    EXPECT_EQ(scratch, 3 * 100 + 64 * 6);
    EXPECT_EQ(document["otherData"]["threads"], std::to_string(threads));
  }
}

TEST(Profile, slicesLieInsideEachOther) {
  auto profile = std::make_shared<Profile>();
  feed(profile, 1);
  json document = written(*profile);
  auto end = [](const json &event) {
    return event["ts"].get<double>() + event["dur"].get<double>();
  };
  std::vector<json> steps = slices(document, "step");
  for (const char *category : {"part", "region"}) {
    for (const json &inner : slices(document, category)) {
      EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [&](json &step) {
        return inner["ts"] >= step["ts"] && end(inner) <= end(step) + 1e-6;
      })) << inner;
    }
  }
}

TEST(Profile, changesNoLogits) {
  EXPECT_EQ(feed(std::make_shared<Profile>(), 2), feed(nullptr, 2));
}

TEST(Profile, whatDoesNotFitIsCountedAndWholeStepsStay) {
  auto profile = std::make_shared<Profile>(/*most=*/6);
  feed(profile, 1);
  EXPECT_EQ(profile->steps(), 1);
  EXPECT_THAT(profile->loss(), HasSubstr("first 1 steps; no room for 2 more"));
  json document = written(*profile);
  EXPECT_EQ(slices(document, "step").size(), 1u);
  EXPECT_EQ(slices(document, "part").size(), 2u);
}

TEST(Profile, whatIsTakenIsRecordedOnceAndMakesRoom) {
  auto profile = std::make_shared<Profile>(/*most=*/6);
  feed(profile, 1);
  Trace first = profile->take();
  EXPECT_EQ(std::count_if(first.events.begin(), first.events.end(),
                          [](const TraceEvent &event) {
                            return event.kind == TraceEvent::Kind::step;
                          }),
            1);
  EXPECT_GT(first.cyclesPerMicrosecond, 0);
  EXPECT_EQ(profile->steps(), 0);
  EXPECT_EQ(profile->loss(), "");
  EXPECT_EQ(profile->take().events.size(), 0u);
  EXPECT_EQ(profile->take().names, first.names);
  profile->startStep(true);
  profile->endStep(1, 1, 0);
  EXPECT_EQ(profile->take().events.size(), 1u);
}

TEST(Profile, aMarkThatWasNotReachedHasNoSlice) {
  Profile profile;
  profile.begin({"m", "c", "v", {"a", "b", "c"}, {"d"}, 1, ""});
  uint64_t *counts = profile.startStep(false);
  counts[0] = cycleCount();
  counts[2] = cycleCount();
  profile.endStep(1, 1, 1);
  EXPECT_THAT(names(slices(written(profile), "part")), ElementsAre("a", "c"));
}

TEST(Profile, loopsWithoutRoomAreCounted) {
  RegionLog log(1, 2);
  for (int i = 0; i < 5; ++i) {
    log.add(0, {nullptr, 1, 2, i, i + 1, 0});
  }
  std::vector<int64_t> kept;
  auto receive = [&](const RegionRecord &record) {
    kept.push_back(record.first);
  };
  EXPECT_EQ(log.drain(receive), 3);
  EXPECT_THAT(kept, ElementsAre(0, 1));
  EXPECT_EQ(log.drain(receive), 0);
  EXPECT_EQ(kept.size(), 2u);
}

TEST(Profile, aFileThatCannotBeWrittenIsAnError) {
  Profile profile;
  profile.begin({"m", "c", "v", {}, {}, 1, ""});
  EXPECT_THROW(profile.write("/no/such/folder/trace.json"), Error);
}

} // namespace
