// States in memory on the stand-in model: a whole one is the file, a partial
// one goes back to its slot alone, and what is damaged or foreign is refused by
// name.
#include "../Artifact/FakeArtifact.h"
#include "runtime/Session/Session.h"
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

/// Its keys, of `window` tokens (0: all), beside a running state that nothing
/// writes.
std::shared_ptr<const Model> modelWith(int64_t window, float weight = 0.5f) {
  FakeArtifact artifact;
  artifact.metadata["keep_window"] = window;
  artifact.weights = {weight, static_cast<float>(window)};
  artifact.metadata["state"].push_back({{"name", "running"},
                                        {"role", "running"},
                                        {"type", "f32"},
                                        {"shape", {"slots", 2, 3}}});
  TemporaryFile file(artifact.bytes());
  return Model::open(file.path());
}

SessionOptions with(int64_t slots, int64_t context = 0) {
  SessionOptions options;
  options.threads = 1;
  options.slots = slots;
  options.context = context;
  return options;
}

/// Feeds one token; a hash of all that the slot can see.
float feed(Session &session, int64_t slot, int32_t token) {
  std::vector<float> logits(fakeVocabulary);
  session.decode(slot, token, logits.data());
  return logits[0];
}

void feed(Session &session, int64_t slot, const std::vector<int32_t> &tokens) {
  for (int32_t token : tokens) {
    feed(session, slot, token);
  }
}

std::string stateOf(const Session &session, int64_t slot, bool partial) {
  std::string bytes(session.stateBytes(slot, partial), '\0');
  session.writeState(slot, partial, bytes.data());
  return bytes;
}

/// The status and the reason; "" where the bytes are taken.
std::string refusal(Session &session, int64_t slot, const std::string &bytes) {
  try {
    session.readState(slot, bytes);
    return "";
  } catch (const Error &error) {
    return std::to_string(static_cast<int>(error.status)) + ": " + error.what();
  }
}

TEST(MemoryState, aWholeOneIsTheFile) {
  for (int64_t window : {0, 4}) {
    auto model = modelWith(window);
    for (size_t length : {0, 1, 4, 9}) {
      Session session(model, with(2)), other(model, with(3, 64));
      feed(session, 1, std::vector<int32_t>(length, 3));
      TemporaryFile place("");
      session.save(1, place.path());
      std::string bytes = stateOf(session, 1, false);
      std::ifstream file(place.path(), std::ios::binary);
      EXPECT_EQ(bytes, std::string(std::istreambuf_iterator<char>(file), {}));
      feed(other, 2, {9, 9});
      EXPECT_EQ(refusal(other, 2, bytes), "");
      EXPECT_EQ(other.position(2), static_cast<int64_t>(length));
      EXPECT_EQ(feed(other, 2, 5), feed(session, 1, 5));
    }
  }
}

TEST(MemoryState, aPartialOneDoesNotGrow) {
  Session session(modelWith(0), with(1));
  feed(session, 0, 1);
  std::string early = stateOf(session, 0, true);
  feed(session, 0, std::vector<int32_t>(20, 2));
  EXPECT_EQ(stateOf(session, 0, true).size(), early.size());
  EXPECT_GT(stateOf(session, 0, false).size(), early.size());
}

TEST(MemoryState, aWindowThatEvictsMakesItWhole) {
  auto model = modelWith(4);
  Session evicts(model, with(2, 5)), keeps(model, with(2, 4));
  for (Session *session : {&evicts, &keeps}) {
    feed(*session, 0, {1, 2, 3});
    std::string bytes = stateOf(*session, 0, true);
    EXPECT_EQ(bytes == stateOf(*session, 0, false), session == &evicts);
    EXPECT_EQ(refusal(*session, 1, bytes).empty(), session == &evicts);
  }
}

TEST(MemoryState, aPartialOneGoesBackWhereItsEntriesAre) {
  auto model = modelWith(0);
  Session session(model, with(3)), other(model, with(3)),
      straight(model, with(1));
  feed(session, 1, {1, 2, 3});
  std::string bytes = stateOf(session, 1, true);
  feed(session, 1, {4, 5});
  feed(session, 0, {6, 7, 8, 9});
  feed(other, 1, {1, 2, 3});
  EXPECT_THAT(refusal(other, 1, bytes),
              HasSubstr("2: the state: it is partial, "
                        "and was taken of another "
                        "session"));
  EXPECT_THAT(refusal(session, 0, bytes), HasSubstr("2: the state: it is "
                                                    "partial, and was taken of "
                                                    "slot 1"));
  EXPECT_EQ(session.position(0), 4);
  EXPECT_EQ(refusal(session, 1, bytes), "");
  EXPECT_EQ(session.position(1), 3);
  feed(straight, 0, {1, 2, 3});
  EXPECT_EQ(feed(session, 1, 12), feed(straight, 0, 12));
  EXPECT_EQ(refusal(session, 1, bytes), ""); // and again
  TemporaryFile file(bytes);
  try {
    session.load(1, file.path());
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("holds a partial state"));
  }
}

TEST(MemoryState, aPartialOneIsRefusedWhenItsEntriesHaveGone) {
  auto model = modelWith(0);
  Session session(model, with(2));
  feed(session, 1, {8, 8, 8, 8});
  std::string whole = stateOf(session, 1, false);
  Snapshot snapshot = session.snapshot(1);
  TemporaryFile place("");
  session.save(1, place.path());
  const std::function<void()> ways[] = {[&] { session.reset(0); },
                                        [&] { session.copy(1, 0); },
                                        [&] { session.readState(0, whole); },
                                        [&] { session.restore(0, snapshot); },
                                        [&] { session.load(0, place.path()); }};
  for (const auto &way : ways) {
    session.reset(0);
    feed(session, 0, {1, 2, 3});
    std::string bytes = stateOf(session, 0, true);
    way();
    int64_t position = session.position(0);
    EXPECT_THAT(refusal(session, 0, bytes),
                HasSubstr("3: the state: it is partial, and slot 0 has not "
                          "kept all of its first 3 tokens"));
    EXPECT_EQ(session.position(0), position);
  }
}

// Against a sequence of its own for each state that was taken.
TEST(MemoryState, partialOnesGoOnAsTheirSequences) {
  auto model = modelWith(0);
  std::mt19937 random(11);
  Session session(model, with(1)), straight(model, with(1));
  struct Taken {
    std::string bytes;
    std::vector<int32_t> tokens;
  };
  std::vector<Taken> all;
  std::vector<int32_t> tokens;
  int taken = 0, refused = 0;
  for (int step = 0; step < 400; ++step) {
    switch (random() % 4) {
    case 0:
    case 1:
      for (uint32_t i = random() % 4; i > 0 && tokens.size() < 30; --i) {
        tokens.push_back(static_cast<int32_t>(random() % fakeVocabulary));
        feed(session, 0, tokens.back());
      }
      break;
    case 2:
      all.push_back({stateOf(session, 0, true), tokens});
      break;
    default:
      if (all.empty()) {
        break;
      }
      const Taken &each = all[random() % all.size()];
      if (!refusal(session, 0, each.bytes).empty()) {
        ++refused;
        EXPECT_EQ(session.position(0), static_cast<int64_t>(tokens.size()));
        break;
      }
      ++taken;
      tokens = each.tokens;
      straight.reset(0);
      feed(straight, 0, tokens);
      EXPECT_EQ(feed(session, 0, 2), feed(straight, 0, 2));
      tokens.push_back(2);
    }
  }
  EXPECT_GT(taken, 10);
  EXPECT_GT(refused, 10);
}

TEST(MemoryState, damageIsRefusedAndChangesNothing) {
  auto model = modelWith(0);
  Session session(model, with(1)), straight(model, with(1)),
      foreign(modelWith(0, 0.25f), with(1));
  for (Session *each : {&session, &straight, &foreign}) {
    feed(*each, 0, {1, 2, 3});
  }
  std::mt19937 random(5);
  for (bool partial : {false, true}) {
    std::string bytes = stateOf(session, 0, partial);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THAT(refusal(session, 0, bytes.substr(0, size)),
                  HasSubstr("1: the state: "))
          << size;
    }
    for (size_t at = 0; at < bytes.size(); ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      EXPECT_NE(refusal(session, 0, damaged), "") << at;
    }
    EXPECT_THAT(refusal(session, 0, bytes + "x"), HasSubstr("corrupted"));
    EXPECT_THAT(refusal(foreign, 0, bytes), HasSubstr("other weights"));
  }
  EXPECT_EQ(session.position(0), 3);
  float want = feed(straight, 0, 7);
  EXPECT_EQ(feed(session, 0, 7), want);
}

} // namespace
