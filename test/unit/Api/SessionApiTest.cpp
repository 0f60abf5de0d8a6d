// The C interface: sessions, and growth of their options.
#include "ApiFixture.h"
#include <cstddef>
#include <thread>

using namespace cheems::test;
using testing::HasSubstr;

namespace {

TEST_F(Api, sessionOutlivesTheModelHandle) {
  start();
  cheems_model_close(model);
  model = nullptr;
  EXPECT_EQ(cheems_session_decode(session, 0, 5, logits.data()), CHEEMS_OK);
  EXPECT_EQ(logits[0], hashOf({5}));
}

TEST_F(Api, stepsGoThroughEveryCheck) {
  start();
  int32_t tokens[] = {1, 2, 3}, rows[] = {1, 2};
  cheems_segment segments[] = {{0, 0, 2, 0, 0, {0, 0, 0}},
                               {1, 2, 1, 0, 0, {0, 0, 0}}};
  std::array<float, 2 * fakeVocabulary> both;
  ASSERT_EQ(cheems_session_step(session, tokens, 3, segments, 2, rows, 2,
                                both.data()),
            CHEEMS_OK);
  EXPECT_EQ(both[0], hashOf({1, 2}));
  EXPECT_EQ(both[fakeVocabulary], hashOf({3}));
  EXPECT_EQ(cheems_session_step(session, tokens, 3, segments, 2, rows, 2,
                                both.data()),
            CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("has been fed 2 tokens"));
  int64_t position = 0;
  EXPECT_EQ(cheems_session_position(session, 0, &position), CHEEMS_OK);
  EXPECT_EQ(position, 2);
  EXPECT_EQ(cheems_session_position(session, 2, &position), CHEEMS_USAGE);
}

TEST_F(Api, fullContextHasItsOwnStatus) {
  start();
  EXPECT_EQ(cheems_session_context(session), 32);
  std::vector<int32_t> tokens(33, 1);
  EXPECT_EQ(cheems_session_prefill(session, 0, tokens.data(), 33, nullptr),
            CHEEMS_CONTEXT_FULL);
  EXPECT_EQ(cheems_session_prefill(session, 0, tokens.data(), 32, nullptr),
            CHEEMS_OK);
  EXPECT_EQ(cheems_session_decode(session, 0, 1, logits.data()),
            CHEEMS_CONTEXT_FULL);
  EXPECT_EQ(cheems_session_rewind(session, 0, 31), CHEEMS_OK);
  EXPECT_EQ(cheems_session_decode(session, 0, 1, logits.data()), CHEEMS_OK);
  EXPECT_EQ(cheems_session_reset(session, 0), CHEEMS_OK);
  EXPECT_EQ(cheems_session_rewind(session, 0, 1), CHEEMS_USAGE);
}

TEST_F(Api, rewindAfterEvictedKeysIsUnsupported) {
  FakeArtifact artifact;
  artifact.metadata["keep_window"] = 4;
  TemporaryFile file(artifact.bytes());
  cheems_model *windowed = nullptr;
  ASSERT_EQ(cheems_model_open(file.path().c_str(), &windowed), CHEEMS_OK);
  ASSERT_EQ(cheems_session_create(windowed, nullptr, &session), CHEEMS_OK);
  cheems_model_close(windowed);
  std::vector<int32_t> tokens(9, 1);
  ASSERT_EQ(cheems_session_prefill(session, 0, tokens.data(), 9, nullptr),
            CHEEMS_OK);
  EXPECT_EQ(cheems_session_rewind(session, 0, 3), CHEEMS_UNSUPPORTED);
}

TEST_F(Api, statesAreCopiedSavedAndLoaded) {
  TemporaryFile place("");
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.slots = 3;
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  std::vector<int32_t> tokens = {4, 5, 6};
  ASSERT_EQ(cheems_session_prefill(session, 0, tokens.data(), 3, nullptr),
            CHEEMS_OK);
  ASSERT_EQ(cheems_session_copy(session, 0, 1), CHEEMS_OK);
  ASSERT_EQ(cheems_session_save(session, 0, place.path().c_str()), CHEEMS_OK)
      << cheems_last_error();
  ASSERT_EQ(cheems_session_load(session, 2, place.path().c_str()), CHEEMS_OK)
      << cheems_last_error();
  std::array<std::array<float, fakeVocabulary>, 3> logits;
  for (int64_t slot = 0; slot < 3; ++slot) {
    int64_t position = 0;
    ASSERT_EQ(cheems_session_position(session, slot, &position), CHEEMS_OK);
    EXPECT_EQ(position, 3);
    ASSERT_EQ(cheems_session_decode(session, slot, 7, logits[slot].data()),
              CHEEMS_OK);
    EXPECT_EQ(logits[slot], logits[0]);
  }

  EXPECT_EQ(cheems_session_copy(session, 0, 3), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_copy(session, -1, 0), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_copy(nullptr, 0, 0), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_save(session, 3, place.path().c_str()),
            CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_save(session, 0, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_save(session, 0, "/no/such/folder/x"), CHEEMS_IO);
  EXPECT_THAT(cheems_last_error(), HasSubstr("/no/such/folder/x"));
  EXPECT_EQ(cheems_session_load(session, 0, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_load(session, 0, "/no/such/file"), CHEEMS_IO);
  TemporaryFile noState("a text");
  EXPECT_EQ(cheems_session_load(session, 0, noState.path().c_str()),
            CHEEMS_CORRUPT);
  cheems_session_destroy(session);

  options.context = 2;
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  EXPECT_EQ(cheems_session_load(session, 0, place.path().c_str()),
            CHEEMS_CONTEXT_FULL);
  cheems_session_destroy(session);
  session = nullptr;

  FakeArtifact other = withTokenizer();
  other.weights[0] = 2;
  TemporaryFile file(other.bytes());
  cheems_model *stranger = nullptr;
  ASSERT_EQ(cheems_model_open(file.path().c_str(), &stranger), CHEEMS_OK);
  ASSERT_EQ(cheems_session_create(stranger, nullptr, &session), CHEEMS_OK);
  cheems_model_close(stranger);
  EXPECT_EQ(cheems_session_load(session, 0, place.path().c_str()),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("other weights"));
}

TEST_F(Api, statesGoToMemoryAndBack) {
  start();
  std::vector<int32_t> tokens = {4, 5, 6};
  ASSERT_EQ(cheems_session_prefill(session, 0, tokens.data(), 3, nullptr),
            CHEEMS_OK);
  for (int flags : {0, int(CHEEMS_STATE_PARTIAL)}) {
    size_t size = 0, written = 0;
    ASSERT_EQ(cheems_session_state_size(session, 0, flags, &size), CHEEMS_OK);
    std::string bytes(size + 1, '?');
    EXPECT_EQ(cheems_session_state_get(session, 0, flags, bytes.data(),
                                       size - 1, &written),
              CHEEMS_USAGE);
    EXPECT_EQ(bytes, std::string(size + 1, '?'));
    ASSERT_EQ(cheems_session_state_get(session, 0, flags, bytes.data(), size,
                                       &written),
              CHEEMS_OK);
    EXPECT_EQ(written, size);
    EXPECT_EQ(bytes.back(), '?');
    ASSERT_EQ(cheems_session_decode(session, 0, 7, logits.data()), CHEEMS_OK);
    EXPECT_EQ(logits[0], hashOf({4, 5, 6, 7}));
    ASSERT_EQ(cheems_session_state_set(session, 0, bytes.data(), size),
              CHEEMS_OK)
        << cheems_last_error();
    EXPECT_EQ(cheems_session_state_set(session, 1, bytes.data(), size),
              flags == 0 ? CHEEMS_OK : CHEEMS_USAGE);
    EXPECT_EQ(cheems_session_state_set(session, 0, bytes.data(), size - 1),
              CHEEMS_CORRUPT);
    EXPECT_THAT(cheems_last_error(), HasSubstr("the state: truncated"));
    int64_t position = 0;
    EXPECT_EQ(cheems_session_position(session, 0, &position), CHEEMS_OK);
    EXPECT_EQ(position, 3);
    ASSERT_EQ(cheems_session_reset(session, 1), CHEEMS_OK);
  }
  size_t size = 1;
  char byte = 0;
  EXPECT_EQ(cheems_session_state_size(session, 0, 2, &size), CHEEMS_USAGE);
  EXPECT_STREQ(cheems_last_error(),
               "flags has bits that are not cheems_state_flags: 2");
  EXPECT_EQ(cheems_session_state_size(session, 2, 0, &size), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_state_size(session, 0, 0, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_state_get(session, 0, 0, nullptr, 0, &size),
            CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_state_set(session, 0, nullptr, 0), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_state_set(session, 0, &byte, 0), CHEEMS_CORRUPT);
  EXPECT_EQ(cheems_session_state_set(nullptr, 0, &byte, 1), CHEEMS_USAGE);
}

TEST_F(Api, optionsMayBeOlderOrNewerThanTheLibrary) {
  struct {
    cheems_session_options known;
    int64_t unknown;
  } newer = {};
  newer.known.size = sizeof(newer);
  EXPECT_EQ(cheems_session_create(model, &newer.known, &session), CHEEMS_OK);
  cheems_session_destroy(session);
  session = nullptr;
  newer.unknown = 1;
  EXPECT_EQ(cheems_session_create(model, &newer.known, &session), CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("does not know"));
  cheems_session_options older = {};
  older.size = offsetof(cheems_session_options, prefill_chunk);
  older.context = 16;
  older.prefill_chunk = -1; // after its end: not looked at
  ASSERT_EQ(cheems_session_create(model, &older, &session), CHEEMS_OK);
  EXPECT_EQ(cheems_session_context(session), 16);
  older.size = 0;
  EXPECT_EQ(cheems_session_create(model, &older, &session), CHEEMS_USAGE);
}

TEST_F(Api, impossibleOptionsAreUsageErrors) {
  for (int64_t threads : {int64_t(-1), int64_t(1) << 40, INT64_MIN}) {
    cheems_session_options options = {};
    options.size = sizeof(options);
    options.threads = threads;
    EXPECT_EQ(cheems_session_create(model, &options, &session), CHEEMS_USAGE);
    EXPECT_THAT(cheems_last_error(), HasSubstr("threads"));
  }
}

TEST_F(Api, memoryThatNoMachineHasIsItsOwnStatus) {
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.slots = 65536;
  options.context = INT32_MAX;
  EXPECT_EQ(cheems_session_create(model, &options, &session), CHEEMS_MEMORY);
  EXPECT_THAT(cheems_last_error(), HasSubstr("the state of 65536 sequence(s)"));
  EXPECT_EQ(session, nullptr);
}

TEST_F(Api, callbacksGetTheirUserPointer) {
  struct Seen {
    std::string warning;
    int asked = 0;
  } seen;
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.context = 100;
  options.prefill_chunk = 4;
  options.user = &seen;
  options.warn = [](void *user, const char *line) {
    static_cast<Seen *>(user)->warning = line;
  };
  options.interrupted = [](void *user) {
    return int(++static_cast<Seen *>(user)->asked == 2);
  };
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  EXPECT_THAT(seen.warning, HasSubstr("past the 32 tokens"));
  std::vector<int32_t> tokens(20, 1);
  EXPECT_EQ(cheems_session_prefill(session, 0, tokens.data(), 20, nullptr),
            CHEEMS_INTERRUPTED);
  int64_t position = 0;
  EXPECT_EQ(cheems_session_position(session, 0, &position), CHEEMS_OK);
  EXPECT_EQ(position, 4);
}

TEST_F(Api, sessionSaysWhatItWasMadeWith) {
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.slots = 3;
  options.threads = 2;
  options.prefill_chunk = 5;
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  EXPECT_EQ(cheems_session_slots(session), 3);
  EXPECT_EQ(cheems_session_threads(session), 2);
  EXPECT_EQ(cheems_session_prefill_chunk(session), 5);
  EXPECT_EQ(cheems_session_rows(session), 5);
  cheems_session_destroy(session);
  session = nullptr;

  options.rows = -1;
  EXPECT_EQ(cheems_session_create(model, &options, &session), CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("rows"));
  options.rows = 12;
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  EXPECT_EQ(cheems_session_rows(session), 12);
  EXPECT_EQ(cheems_session_prefill_chunk(session), 5);
  std::vector<int32_t> tokens(13, 1);
  cheems_segment segment = {};
  segment.length = 13;
  EXPECT_EQ(cheems_session_step(session, tokens.data(), 13, &segment, 1,
                                nullptr, 0, nullptr),
            CHEEMS_USAGE);
  segment.length = 12;
  EXPECT_EQ(cheems_session_step(session, tokens.data(), 12, &segment, 1,
                                nullptr, 0, nullptr),
            CHEEMS_OK)
      << cheems_last_error();

  EXPECT_EQ(cheems_session_slots(nullptr), 0);
  EXPECT_EQ(cheems_session_threads(nullptr), 0);
  EXPECT_EQ(cheems_session_prefill_chunk(nullptr), 0);
  EXPECT_EQ(cheems_session_rows(nullptr), 0);
}

TEST_F(Api, memoryIsWhatWasEstimated) {
  for (int64_t slots : {1, 3}) {
    for (int64_t rows : {0, 20}) {
      cheems_session_options options = {};
      options.size = sizeof(options);
      options.slots = slots;
      options.threads = 2;
      options.context = 100; // past the trained length
      options.prefill_chunk = 7;
      options.rows = rows;
      options.warn = [](void *, const char *line) { ADD_FAILURE() << line; };
      cheems_memory estimate = {}, memory = {};
      estimate.size = memory.size = sizeof(cheems_memory);
      ASSERT_EQ(cheems_model_estimate(model, &options, &estimate), CHEEMS_OK)
          << cheems_last_error();
      options.warn = nullptr;
      ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
      ASSERT_EQ(cheems_session_memory(session, &memory), CHEEMS_OK);
      EXPECT_EQ(memory.weights, estimate.weights);
      EXPECT_EQ(memory.slot, estimate.slot);
      EXPECT_EQ(memory.state, estimate.state);
      EXPECT_EQ(memory.workspace, estimate.workspace);
      EXPECT_EQ(memory.weights, 8); // FakeArtifact's
      EXPECT_EQ(memory.slot, 400);  // an i32 of each token
      EXPECT_EQ(memory.state, 400 * slots);
      EXPECT_GE(memory.workspace, 100 + 64 * std::max<int64_t>(7, rows));
      cheems_session_destroy(session);
      session = nullptr;
    }
  }
}

TEST_F(Api, estimatesRefuseWhatSessionsRefuse) {
  cheems_memory memory = {};
  memory.size = sizeof(memory);
  cheems_session_options options = {};
  options.size = sizeof(options);
  for (int64_t cheems_session_options::*field :
       {&cheems_session_options::slots, &cheems_session_options::threads,
        &cheems_session_options::context,
        &cheems_session_options::prefill_chunk,
        &cheems_session_options::rows}) {
    options.*field = -1;
    EXPECT_EQ(cheems_model_estimate(model, &options, &memory), CHEEMS_USAGE);
    std::string reason = cheems_last_error();
    EXPECT_EQ(cheems_session_create(model, &options, &session), CHEEMS_USAGE);
    EXPECT_EQ(cheems_last_error(), reason);
    options.*field = 0;
  }
  EXPECT_EQ(memory.slot, 0);
  EXPECT_EQ(cheems_model_estimate(model, nullptr, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_estimate(nullptr, nullptr, &memory), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_memory(nullptr, &memory), CHEEMS_USAGE);
  memory.size = 0;
  EXPECT_EQ(cheems_model_estimate(model, nullptr, &memory), CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("sizeof(cheems_memory)"));
  // An older program's struct is shorter.
  memory.size = offsetof(cheems_memory, slot);
  memory.slot = -1;
  EXPECT_EQ(cheems_model_estimate(model, nullptr, &memory), CHEEMS_OK);
  EXPECT_EQ(memory.weights, 8);
  EXPECT_EQ(memory.slot, -1);
}

TEST_F(Api, aSequenceUsesSoManyBytesOfItsSlot) {
  auto bytesOf = [&](int64_t tokens) {
    int64_t bytes = -1;
    EXPECT_EQ(cheems_model_state_bytes(model, tokens, &bytes), CHEEMS_OK);
    return bytes;
  };
  EXPECT_EQ(bytesOf(0), 0);
  EXPECT_EQ(bytesOf(1), 4);
  EXPECT_EQ(bytesOf(32), 128);
  int64_t bytes = -1;
  EXPECT_EQ(cheems_model_state_bytes(model, -1, &bytes), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_state_bytes(model, int64_t(1) << 31, &bytes),
            CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_state_bytes(nullptr, 1, &bytes), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_state_bytes(model, 1, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(bytes, -1);
}

TEST_F(Api, interruptEndsOnePrefill) {
  start();
  std::vector<int32_t> tokens(8, 1);
  auto prefill = [&] {
    return cheems_session_prefill(session, 0, tokens.data(), 8, nullptr);
  };
  auto position = [&] {
    int64_t result = -1;
    EXPECT_EQ(cheems_session_position(session, 0, &result), CHEEMS_OK);
    return result;
  };
  cheems_session_interrupt(nullptr, 1);
  cheems_session_interrupt(session, 1);
  EXPECT_EQ(cheems_session_decode(session, 0, 1, logits.data()), CHEEMS_OK);
  EXPECT_EQ(prefill(), CHEEMS_INTERRUPTED);
  EXPECT_EQ(position(), 1);
  EXPECT_EQ(prefill(), CHEEMS_OK); // it was done with
  EXPECT_EQ(position(), 9);
  cheems_session_interrupt(session, 1);
  cheems_session_interrupt(session, 0);
  EXPECT_EQ(prefill(), CHEEMS_OK);
  EXPECT_EQ(position(), 17);
  // Refused for another reason, the request still waits.
  cheems_session_interrupt(session, 1);
  tokens[0] = -1;
  EXPECT_EQ(prefill(), CHEEMS_USAGE);
  tokens[0] = 1;
  EXPECT_EQ(prefill(), CHEEMS_INTERRUPTED);
}

TEST_F(Api, anotherThreadInterruptsARunningPrefill) {
  struct Chunks {
    cheems_session *session = nullptr;
    int asked = 0;
  } chunks;
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.prefill_chunk = 4;
  options.user = &chunks;
  options.interrupted = [](void *user) {
    auto *chunks = static_cast<Chunks *>(user);
    if (++chunks->asked == 2) { // two of five chunks will be fed
      std::thread(cheems_session_interrupt, chunks->session, 1).join();
    }
    return 0;
  };
  ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK);
  chunks.session = session;
  std::vector<int32_t> tokens(20, 1);
  EXPECT_EQ(cheems_session_prefill(session, 0, tokens.data(), 20, nullptr),
            CHEEMS_INTERRUPTED);
  int64_t position = 0;
  EXPECT_EQ(cheems_session_position(session, 0, &position), CHEEMS_OK);
  EXPECT_EQ(position, 8);
}

} // namespace
