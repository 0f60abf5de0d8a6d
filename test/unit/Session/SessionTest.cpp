// Sessions on the stand-in model, whose logits say what the code was given
// (test/unit/Artifact/FakeModel.c).
#include "runtime/Session/Session.h"
#include "../Artifact/FakeArtifact.h"
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

using Row = std::vector<float>;
enum Logit { hash, weight, ropeLength, fromDecode, rowsOfStep, token };

std::shared_ptr<const Model>
load(const FakeArtifact &artifact = FakeArtifact()) {
  TemporaryFile file(artifact.bytes());
  return Model::open(file.path());
}

FakeArtifact windowed(int64_t window, int64_t context) {
  FakeArtifact artifact;
  artifact.metadata["keep_window"] = window;
  artifact.metadata["context"]["default"] = context;
  artifact.weights[1] = static_cast<float>(window);
  return artifact;
}

std::vector<int32_t> prompt(int count) {
  std::vector<int32_t> tokens;
  for (int i = 0; i < count; ++i) {
    tokens.push_back((i * 7 + 3) % fakeVocabulary);
  }
  return tokens;
}

/// FakeModel.c's hash of the newest `window` of these tokens.
float hashOf(const std::vector<int32_t> &tokens, size_t window = SIZE_MAX) {
  int64_t value = 0;
  for (size_t i = tokens.size() - std::min(window, tokens.size());
       i < tokens.size(); ++i) {
    value = (value * 31 + tokens[i] + 1) % 65521;
  }
  return static_cast<float>(value);
}

SessionOptions with(int threads, int64_t chunk = 0, int64_t slots = 1) {
  SessionOptions options;
  options.threads = threads;
  options.prefillChunk = chunk;
  options.slots = slots;
  return options;
}

std::string failure(const std::function<void()> &action, Status expected) {
  try {
    action();
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, expected) << error.what();
    return error.what();
  }
}

TEST(Session, isRefusedForAFileThatWasOpenedToBeRead) {
  TemporaryFile file(FakeArtifact().bytes());
  ModelOptions reading;
  reading.device.kind = DeviceChoice::Kind::none;
  auto model = Model::open(file.path(), reading);
  EXPECT_EQ(model->deviceName(), "cpu");
  try {
    Session session(model, with(1));
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("was opened to be read"));
  }
}

TEST(Session, prefillAndDecodeSeeEverythingFed) {
  auto model = load();
  for (int threads : {1, 2, 3}) {
    for (int64_t chunk : {0, 1, 3, 7, 100}) {
      Session session(model, with(threads, chunk));
      std::vector<int32_t> tokens = prompt(20);
      Row logits(fakeVocabulary);
      session.prefill(0, tokens, logits.data());
      EXPECT_EQ(logits[hash], hashOf(tokens));
      EXPECT_EQ(logits[weight], 0.5f);
      EXPECT_EQ(logits[ropeLength], 20);
      EXPECT_EQ(logits[token], tokens.back());
      EXPECT_EQ(session.position(0), 20);
      session.decode(0, 9, logits.data());
      tokens.push_back(9);
      EXPECT_EQ(logits[hash], hashOf(tokens));
      EXPECT_EQ(logits[fromDecode], 1);
      EXPECT_EQ(logits[ropeLength], 21);
    }
  }
}

TEST(Session, chunksAreAsLongAsAsked) {
  auto model = load();
  Session session(model, with(1, 7));
  std::vector<int32_t> tokens = prompt(17);
  std::vector<int64_t> firsts, lengths;
  session.prefillAll(0, tokens,
                     [&](int64_t first, int64_t rows, const float *logits) {
                       firsts.push_back(first);
                       lengths.push_back(rows);
                       for (int64_t row = 0; row < rows; ++row) {
                         const float *line = logits + row * fakeVocabulary;
                         std::vector<int32_t> fed(
                             tokens.begin(), tokens.begin() + first + row + 1);
                         EXPECT_EQ(line[hash], hashOf(fed));
                         EXPECT_EQ(line[rowsOfStep], rows);
                         EXPECT_EQ(line[ropeLength], 17); // of the whole prompt
                       }
                     });
  EXPECT_EQ(firsts, (std::vector<int64_t>{0, 7, 14}));
  EXPECT_EQ(lengths, (std::vector<int64_t>{7, 7, 3}));
}

TEST(Session, aNegativeNumberOfTokensIsAUsageError) {
  Session session(load(), with(1, 4));
  std::vector<int32_t> tokens = prompt(4);
  Span<const int32_t> negative(tokens.data(), -1);
  EXPECT_THROW(session.prefill(0, negative, nullptr), Error);
  EXPECT_THROW(session.prefillAll(0, negative, {}), Error);
  for (Pooling pooling : {Pooling::mean, Pooling::last}) {
    EXPECT_THROW(session.embed(0, negative, pooling, nullptr), Error);
  }
}

TEST(Session, prefillWithoutLogitsWritesNone) {
  Session session(load(), with(1, 4));
  std::vector<int32_t> tokens = prompt(10);
  session.prefill(0, tokens, nullptr);
  EXPECT_EQ(session.position(0), 10);
}

TEST(Session, sequencesInOneStepDoNotMix) {
  Session session(load(), with(2, 0, 3));
  std::vector<int32_t> a = prompt(4), b = {5, 6};
  session.prefill(2, a, nullptr);
  // three more tokens of slot 2, two first ones of slot 0
  std::vector<int32_t> tokens = {5, 6, 1, 2, 3}, rows = {1, 4};
  std::vector<cheems_segment> segments = {{2, 2, 3, 4, 0, {}},
                                          {0, 0, 2, 0, 11, {}}};
  Row logits(2 * fakeVocabulary);
  session.step({tokens, segments, rows}, logits.data());
  a.insert(a.end(), {1, 2, 3});
  EXPECT_EQ(logits[hash], hashOf(b));
  EXPECT_EQ(logits[ropeLength], 11);
  EXPECT_EQ(logits[fakeVocabulary + hash], hashOf(a));
  EXPECT_EQ(logits[fakeVocabulary + ropeLength], 7);
  EXPECT_EQ(logits[fromDecode], 0);
  EXPECT_EQ(session.position(0), 2);
  EXPECT_EQ(session.position(1), 0);
  EXPECT_EQ(session.position(2), 7);
}

TEST(Session, batchOfSingleTokensTakesTheDecodeEntry) {
  Session session(load(), with(2, 2, 3));
  EXPECT_EQ(session.maxRows(),
            3); // a decode step has a row per slot, whatever the chunk
  std::vector<int32_t> tokens = {4, 5, 6}, rows = {0, 1, 2};
  std::vector<cheems_segment> segments = {
      {0, 0, 1, 0, 0, {}}, {1, 1, 1, 0, 0, {}}, {2, 2, 1, 0, 0, {}}};
  Row logits(3 * fakeVocabulary);
  session.step({tokens, segments, rows}, logits.data());
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(logits[row * fakeVocabulary + fromDecode], 1);
    EXPECT_EQ(logits[row * fakeVocabulary + hash], hashOf({tokens[row]}));
  }
}

/// Whether a step of `rows` single tokens takes the decode entry.
float decodesRows(const FakeArtifact &artifact, int rows) {
  Session session(load(artifact), with(1, 0, rows));
  std::vector<int32_t> tokens = prompt(rows), all(rows);
  std::vector<cheems_segment> segments(rows);
  for (int i = 0; i < rows; ++i) {
    segments[i].slot = all[i] = i;
    segments[i].start = i;
    segments[i].length = 1;
  }
  std::vector<float> logits(rows * fakeVocabulary);
  session.step({tokens, segments, all}, logits.data());
  return logits[fromDecode];
}

TEST(Session, theFileSaysHowManyRowsTheDecodeEntryTakes) {
  FakeArtifact artifact;
  EXPECT_EQ(decodesRows(artifact, 64), 1); // where it says nothing
  EXPECT_EQ(decodesRows(artifact, 65), 0);
  artifact.metadata["images"][0]["variants"][0]["decode_rows"] = 5;
  EXPECT_EQ(decodesRows(artifact, 5), 1);
  EXPECT_EQ(decodesRows(artifact, 6), 0);
}

TEST(Session, refusedStepLeavesTheStateAlone) {
  Session session(load(), with(1));
  std::vector<int32_t> tokens = prompt(5);
  session.prefill(0, tokens, nullptr);
  cheems_segment wrong = {0, 0, 1, 3, 0, {}};
  int32_t row = 0;
  Row logits(fakeVocabulary);
  EXPECT_THAT(failure(
                  [&] {
                    session.step({{tokens.data(), 1}, {&wrong, 1}, {&row, 1}},
                                 logits.data());
                  },
                  Status::usage),
              HasSubstr("has been fed 5"));
  EXPECT_THAT(failure(
                  [&] {
                    session.step({{nullptr, 1}, {nullptr, 1}, {&row, 1}},
                                 logits.data());
                  },
                  Status::usage),
              HasSubstr("null"));
  EXPECT_THAT(
      failure([&] { session.decode(0, 16, logits.data()); }, Status::usage),
      HasSubstr("outside the vocabulary"));
  EXPECT_THAT(
      failure([&] { session.decode(1, 1, logits.data()); }, Status::usage),
      HasSubstr("slot 1 does not exist"));
  EXPECT_THAT(failure([&] { session.prefill(0, {tokens.data(), 0}, nullptr); },
                      Status::usage),
              HasSubstr("at least one"));
  std::vector<int32_t> late = {1, 2, 3, -4};
  EXPECT_THAT(
      failure([&] { session.prefill(0, late, nullptr); }, Status::usage),
      HasSubstr("token -4 at index 3"));
  EXPECT_EQ(session.position(0), 5);
  session.decode(0, 1, logits.data());
  tokens.push_back(1);
  EXPECT_EQ(logits[hash], hashOf(tokens));
}

TEST(Session, fullContextEndsClearly) {
  Session session(load(), with(1, 5));
  EXPECT_EQ(session.context(), 32);
  EXPECT_FALSE(session.unlimited());
  std::vector<int32_t> tokens = prompt(33);
  EXPECT_THAT(
      failure([&] { session.prefill(0, tokens, nullptr); }, Status::failed),
      HasSubstr("do not fit in a context of 32"));
  EXPECT_EQ(session.position(0), 0); // not a chunk of it was fed
  session.prefill(0, {tokens.data(), 32}, nullptr);
  EXPECT_EQ(session.remaining(0), 0);
  Row logits(fakeVocabulary);
  EXPECT_THROW(session.decode(0, 1, logits.data()), ContextFull);
  EXPECT_EQ(session.position(0), 32);
  session.reset(0);
  session.decode(0, 1, logits.data());
  EXPECT_EQ(logits[hash], hashOf({1}));
}

TEST(Session, contextOptionLowersAndRaisesWithAWarning) {
  auto model = load();
  std::vector<std::string> warnings;
  SessionOptions options = with(1);
  options.warn = [&](const std::string &line) { warnings.push_back(line); };
  options.context = 8;
  EXPECT_EQ(Session(model, options).context(), 8);
  EXPECT_EQ(Session(model, options).prefillChunk(), 8);
  EXPECT_TRUE(warnings.empty());
  options.context = 100;
  EXPECT_EQ(Session(model, options).context(), 100);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("past the 32 tokens"));
}

TEST(Session, dynamicRopeRaisesWhatTheModelWasMadeFor) {
  FakeArtifact artifact;
  artifact.metadata["context"] = {
      {"default", 128}, {"trained", 32}, {"rope", "dynamic"}, {"factor", 4.0}};
  std::vector<std::string> warnings;
  SessionOptions options = with(1);
  options.warn = [&](const std::string &line) { warnings.push_back(line); };
  auto model = load(artifact);
  EXPECT_EQ(Session(model, options).context(), 128);
  options.context = 128;
  Session session(model, options);
  EXPECT_TRUE(warnings.empty());
  options.context = 129;
  Session longer(model, options);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(Session, impossibleOptionsAreRefused) {
  auto model = load();
  auto refused = [&](int64_t slots, int threads, int64_t context,
                     int64_t chunk) {
    SessionOptions options = with(threads, chunk, slots);
    options.context = context;
    return failure([&] { Session session(model, options); }, Status::usage);
  };
  EXPECT_THAT(refused(0, 1, 0, 0), HasSubstr("slots"));
  EXPECT_THAT(refused(1, -1, 0, 0), HasSubstr("threads"));
  EXPECT_THAT(refused(1, 1, -1, 0), HasSubstr("context"));
  EXPECT_THAT(refused(1, 1, int64_t(1) << 40, 0), HasSubstr("context"));
  EXPECT_THAT(refused(1, 1, 0, -1), HasSubstr("chunk"));
}

TEST(Session, memoryThatCannotBeHadIsNamedInBytes) {
  FakeArtifact artifact;
  artifact.metadata["state"][0]["shape"] = {"slots", 1 << 20, 1, "capacity"};
  auto model = load(artifact);
  SessionOptions options = with(1);
  options.context = INT32_MAX;
  int64_t bytes = int64_t(INT32_MAX) * (1 << 20) * 4;
  EXPECT_THAT(failure([&] { Session session(model, options); }, Status::failed),
              HasSubstr(std::to_string(bytes) + " bytes"));
  options.slots = 65536;
  EXPECT_THAT(failure([&] { Session session(model, options); }, Status::failed),
              HasSubstr("too large"));
}

TEST(Session, windowNeverEndsAndKeepsItsNewestTokens) {
  Session session(load(windowed(4, 0)), with(2, 4));
  EXPECT_TRUE(session.unlimited());
  std::vector<int32_t> tokens = prompt(1000);
  Row logits(fakeVocabulary);
  session.prefill(0, tokens, logits.data());
  EXPECT_EQ(logits[hash], hashOf(tokens, 4));
  session.decode(0, 3, logits.data());
  tokens.push_back(3);
  EXPECT_EQ(logits[hash], hashOf(tokens, 4));
  EXPECT_LE(session.bytes().state, 64);
}

TEST(Session, rewindForgetsTheNewestTokens) {
  Session session(load(), with(1));
  std::vector<int32_t> tokens = prompt(10);
  session.prefill(0, tokens, nullptr);
  EXPECT_TRUE(session.rewind(0, 6));
  EXPECT_EQ(session.position(0), 6);
  Row logits(fakeVocabulary);
  session.decode(0, 1, logits.data());
  tokens.resize(6);
  tokens.push_back(1);
  EXPECT_EQ(logits[hash], hashOf(tokens));
  EXPECT_THAT(failure([&] { session.rewind(0, 8); }, Status::usage),
              HasSubstr("it holds 7"));
  EXPECT_THAT(failure([&] { session.rewind(0, -1); }, Status::usage),
              HasSubstr("it holds 7"));
}

TEST(Session, rewindIsRefusedOnceKeysWereEvicted) {
  Session session(load(windowed(8, 0)), with(1, 4));
  std::vector<int32_t> tokens = prompt(9);
  session.prefill(0, {tokens.data(), 8}, nullptr);
  EXPECT_TRUE(session.rewind(0, 5));
  session.prefill(0, {tokens.data() + 5, 4}, nullptr);
  EXPECT_FALSE(session.rewind(0, 5));
  EXPECT_EQ(session.position(0), 9);
  EXPECT_TRUE(session.rewind(0, 9)); // nothing to forget
  EXPECT_TRUE(session.rewind(0, 0)); // nothing to remember
}

TEST(Session, rewindIsRefusedWhereAStateRuns) {
  FakeArtifact artifact;
  artifact.metadata["state"].push_back({{"name", "running"},
                                        {"role", "running"},
                                        {"type", "f32"},
                                        {"shape", {"slots", 3}}});
  Session session(load(artifact), with(1));
  std::vector<int32_t> tokens = prompt(5);
  session.prefill(0, tokens, nullptr);
  EXPECT_FALSE(session.rewind(0, 3));
  EXPECT_TRUE(session.rewind(0, 0));
}

TEST(Session, snapshotBringsBackASequenceAlsoInAnotherSlot) {
  for (int64_t window : {0, 4}) {
    FakeArtifact artifact = windowed(window, 32);
    artifact.metadata["state"].push_back(
        {{"name", "heads"},
         {"type", "bf16"},
         {"role", "keys"},
         {"shape", {"slots", 1, 2, "capacity", 3}}});
    Session session(load(artifact), with(1, 4, 2));
    std::vector<int32_t> tokens = prompt(11), other = {1, 1, 1, 1};
    size_t visible = window == 0 ? SIZE_MAX : static_cast<size_t>(window);
    session.prefill(0, tokens, nullptr);
    Snapshot snapshot = session.snapshot(0);
    session.prefill(0, {other.data(), 4}, nullptr);
    session.restore(0, snapshot);
    session.restore(1, snapshot);
    tokens.push_back(5);
    for (int64_t slot : {0, 1}) {
      Row logits(fakeVocabulary);
      session.decode(slot, 5, logits.data());
      EXPECT_EQ(logits[hash], hashOf(tokens, visible))
          << window << " slot " << slot;
      EXPECT_EQ(session.position(slot), 12);
    }
    Session smaller(load(), with(1));
    EXPECT_THROW(smaller.restore(0, snapshot), Error);
  }
}

TEST(Session, interruptedPrefillStopsBetweenChunks) {
  SessionOptions options = with(1, 4);
  int asked = 0;
  options.interrupted = [&] { return ++asked == 3; };
  Session session(load(), options);
  std::vector<int32_t> tokens = prompt(20);
  failure([&] { session.prefill(0, tokens, nullptr); }, Status::interrupted);
  EXPECT_EQ(session.position(0), 8);
}

TEST(Session, aForkedChildIsRefusedStepsAndMakesItsOwnSession) {
  auto model = load();
  auto session = std::make_unique<Session>(model, with(2));
  Row logits(fakeVocabulary);
  session->decode(0, 4, logits.data());
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // waiting for threads that are not there would never end
    std::string refusal =
        failure([&] { session->decode(0, 5, logits.data()); }, Status::usage);
    bool right = refusal.find("before a fork") != std::string::npos &&
                 session->position(0) == 1;
    session.reset();
    Session own(model, with(1)); // more threads are too much for TSan here
    own.decode(0, 4, logits.data());
    _exit(right && logits[hash] == hashOf({4}) ? 0 : 1);
  }
  int state = -1;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  session->decode(0, 5, logits.data());
  EXPECT_EQ(logits[hash], hashOf({4, 5}));
}

TEST(Session, sessionsOfOneModelRunSideBySide) {
  auto model = load();
  std::vector<int32_t> tokens = prompt(20);
  std::vector<std::thread> users;
  std::atomic<int> right{0};
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&] {
      Session session(model, with(2, 3));
      Row logits(fakeVocabulary);
      session.prefill(0, tokens, logits.data());
      right += logits[hash] == hashOf(tokens);
    });
  }
  for (std::thread &user : users) {
    user.join();
  }
  EXPECT_EQ(right, 4);
}

} // namespace
