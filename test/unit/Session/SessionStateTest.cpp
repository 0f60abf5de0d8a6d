// A slot copied, saved and loaded on the stand-in model
// (test/unit/Artifact/FakeModel.c): what comes after is what would have come.
#include "../Artifact/FakeArtifact.h"
#include "cheems/abi.h"
#include "runtime/Session/Session.h"
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

std::shared_ptr<const Model> load(const FakeArtifact &artifact) {
  TemporaryFile file(artifact.bytes());
  return Model::open(file.path());
}

/// Keeps `window` keys (0: all) beside a running state and counts.
FakeArtifact artifactWith(int64_t window) {
  FakeArtifact artifact;
  artifact.metadata["keep_window"] = window;
  artifact.weights[1] = static_cast<float>(window);
  auto &state = artifact.metadata["state"];
  state.push_back({{"name", "running"},
                   {"role", "running"},
                   {"type", "f32"},
                   {"shape", {"slots", 2, 3}}});
  state.push_back({{"name", "counts"},
                   {"role", "counts"},
                   {"type", "i32"},
                   {"shape", {"slots", 1, 2}}});
  return artifact;
}

SessionOptions with(int64_t slots, int64_t context = 0) {
  SessionOptions options;
  options.threads = 1;
  options.slots = slots;
  options.context = context;
  options.prefillChunk = 4;
  return options;
}

void feed(Session &session, int64_t slot, int count, int salt = 0) {
  for (int i = 0; i < count; ++i) {
    std::vector<float> logits(fakeVocabulary);
    session.decode(slot, (i * 7 + salt) % fakeVocabulary, logits.data());
  }
}

/// A hash of all that the slot can see.
float seen(Session &session, int64_t slot) {
  std::vector<float> logits(fakeVocabulary);
  session.decode(slot, 5, logits.data());
  return logits[0];
}

TEST(SessionState, goesOnInAnySlotAndSessionWhereThePositionFits) {
  for (int64_t window : {0, 4}) {
    auto model = load(artifactWith(window));
    TemporaryFile place("");
    std::string path = place.path();
    for (int length : {0, 1, 3, 4, 11}) {
      Session session(model, with(3)), again(model, with(2, 64));
      feed(session, 1, length);
      feed(session, 2, 6, 3);
      session.save(1, path, "notes");
      session.copy(1, 0);
      EXPECT_EQ(session.load(2, path), "notes");
      feed(again, 0, 2, 5);
      EXPECT_EQ(again.load(0, path), "notes");
      Session tight(model, with(1, length + 1));
      tight.load(0, path);
      float want = seen(session, 1);
      EXPECT_EQ(seen(session, 0), want) << window << " " << length;
      EXPECT_EQ(seen(session, 2), want) << window << " " << length;
      EXPECT_EQ(seen(again, 0), want) << window << " " << length;
      EXPECT_EQ(seen(tight, 0), want) << window << " " << length;
      EXPECT_EQ(again.position(0), length + 1);
    }
  }
}

TEST(SessionState, snapshotsGoIntoOtherContextsToo) {
  for (int64_t window : {0, 4}) {
    auto model = load(artifactWith(window));
    Session session(model, with(1)), longer(model, with(1, 64)),
        shorter(model, with(1, 8));
    feed(session, 0, 9);
    Snapshot moment = session.snapshot(0);
    longer.restore(0, moment);
    EXPECT_THROW(shorter.restore(0, moment), ContextFull);
    EXPECT_EQ(shorter.position(0), 0);
    EXPECT_EQ(seen(longer, 0), seen(session, 0));
  }
}

TEST(SessionState, aStateTooLongForTheContextChangesNothing) {
  auto model = load(artifactWith(0));
  TemporaryFile place("");
  Session session(model, with(1)), shorter(model, with(1, 8)),
      same(model, with(1, 8));
  feed(session, 0, 9);
  session.save(0, place.path());
  for (Session *each : {&shorter, &same}) {
    feed(*each, 0, 3);
  }
  try {
    shorter.load(0, place.path());
    FAIL();
  } catch (const ContextFull &error) {
    EXPECT_THAT(error.what(),
                HasSubstr(place.path() + " holds 9 tokens, more than the "
                                         "context of 8; raise it with -c"));
  }
  EXPECT_EQ(shorter.position(0), 3);
  EXPECT_EQ(seen(shorter, 0), seen(same, 0));
}

TEST(SessionState, filesOfOtherModelsAreRefusedByName) {
  TemporaryFile place("");
  std::string path = place.path();
  auto refusal = [&](const FakeArtifact &other) -> std::string {
    Session session(load(other), with(1));
    feed(session, 0, 2);
    try {
      session.load(0, path);
      return "";
    } catch (const Error &error) {
      EXPECT_EQ(session.position(0), 2);
      return error.what();
    }
  };
  FakeArtifact own = artifactWith(0);
  Session session(load(own), with(1));
  feed(session, 0, 3);
  session.save(0, path);
  EXPECT_EQ(refusal(own), "");

  FakeArtifact other = own;
  other.weights[0] = 0.25f;
  EXPECT_THAT(refusal(other), HasSubstr("with other weights"));
  other = own;
  other.texts[0].second = "{\"model_type\": \"fake\", \"x\": 1}";
  EXPECT_THAT(refusal(other), HasSubstr("another configuration"));
  other = own;
  other.metadata["weights"] = "bf16";
  EXPECT_THAT(refusal(other),
              HasSubstr("weight format f32, this model has bf16"));
  for (auto [field, value] :
       {std::pair<const char *, nlohmann::json>{"kv_type", "bf16"},
        {"keep_window", 16}}) {
    other = own;
    other.metadata[field] = value;
    EXPECT_THAT(refusal(other), HasSubstr("another state layout")) << field;
  }
  for (auto [field, value] :
       {std::pair<const char *, nlohmann::json>{"name", "values"},
        {"type", "bf16"},
        {"shape", {"slots", 3, 3}}}) {
    other = own;
    other.metadata["state"][1][field] = value;
    EXPECT_THAT(refusal(other), HasSubstr("another state layout")) << field;
  }
  other = own;
  other.metadata.erase("state_layout");
  EXPECT_THAT(refusal(other),
              HasSubstr("saved with state layout " +
                        std::to_string(CHEEMS_STATE_LAYOUT_VERSION) +
                        ", this model has 1"));
  // what does not change what a state means
  other = own;
  other.metadata["warnings"] = {"a line"};
  other.metadata["block"] = 8;
  other.metadata["context"]["default"] = 64;
  EXPECT_EQ(refusal(other), "");
}

/// Bytes of this process that are in memory.
int64_t residentBytes() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(SessionState, resetGivesTheMemoryOfALongSequenceBack) {
  FakeArtifact artifact = artifactWith(0);
  constexpr int64_t entry = 1 << 20; // bytes
  artifact.metadata["state"].push_back(
      {{"name", "wide"},
       {"role", "keys"},
       {"type", "f32"},
       {"shape", {"slots", 1, 1, "capacity", entry / 4}}});
  auto model = load(artifact);
  Session session(model, with(2, 32));
  feed(session, 1, 3);
  Snapshot shorter = session.snapshot(1);
  float want = seen(session, 1);
  for (bool copies : {false, true}) {
    feed(session, 0, 24);
    Snapshot moment = session.snapshot(0);
    session.restore(0, moment); // touches all that it holds
    int64_t before = residentBytes();
    if (copies) { // less now, but the pages are there
      session.copy(1, 0);
    } else {
      session.restore(0, shorter);
    }
    session.reset(0);
    EXPECT_LT(residentBytes(), before - 20 * entry);
    session.restore(0, shorter);
    EXPECT_EQ(seen(session, 0), want);
    before = residentBytes();
    session.reset(0); // a short one's stays
    EXPECT_GT(residentBytes(), before - entry);
  }
}

TEST(SessionState, slotsMustExist) {
  TemporaryFile place("");
  Session session(load(artifactWith(0)), with(2));
  session.save(0, place.path());
  for (int64_t slot : {-1, 2}) {
    EXPECT_THROW(session.copy(slot, 0), Error);
    EXPECT_THROW(session.copy(0, slot), Error);
    EXPECT_THROW(session.save(slot, place.path()), Error);
    EXPECT_THROW(session.load(slot, place.path()), Error);
  }
}

} // namespace
