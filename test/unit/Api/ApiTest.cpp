// The C interface: statuses, messages, growth of the options, what the library
// exports.
#include "../Artifact/FakeArtifact.h"
#include "cheems/cheems.h"
#include "plain.h"
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <thread>

using namespace cheems::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr int32_t controlToken = fakeVocabulary;

/// A byte-level tokenizer of the 16 letters a…p, each its own token, and of a
/// control token spelled "end", which begins a text, too.
FakeArtifact withTokenizer() {
  FakeArtifact artifact;
  nlohmann::json control = {{"id", controlToken},   {"content", "end"},
                            {"single_word", false}, {"lstrip", false},
                            {"rstrip", false},      {"normalized", false},
                            {"special", true}};
  nlohmann::json frame = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "end"}, {"type_id", 0}}}},
        {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"pair", nlohmann::json::array()},
      {"special_tokens",
       {{"end",
         {{"id", "end"}, {"ids", {controlToken}}, {"tokens", {"end"}}}}}}};
  nlohmann::json vocabulary;
  for (int i = 0; i < fakeVocabulary; ++i) {
    vocabulary[std::string(1, static_cast<char>('a' + i))] = i;
  }
  nlohmann::json tokenizer = {
      {"version", "1.0"},
      {"added_tokens", nlohmann::json::array({control})},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "ByteLevel"},
        {"add_prefix_space", false},
        {"trim_offsets", true},
        {"use_regex", true}}},
      {"post_processor", frame},
      {"decoder",
       {{"type", "ByteLevel"},
        {"add_prefix_space", true},
        {"trim_offsets", true},
        {"use_regex", true}}},
      {"model",
       {{"type", "BPE"},
        {"vocab", vocabulary},
        {"merges", nlohmann::json::array()}}}};
  for (auto &[name, text] : artifact.texts) {
    if (name == CHEEMS_SECTION_TOKENIZER) {
      text = tokenizer.dump();
    } else if (name == CHEEMS_SECTION_TOKENIZER_CONFIG) {
      text = "{}";
    }
  }
  return artifact;
}

class Api : public testing::Test {
protected:
  void SetUp() override {
    TemporaryFile file(withTokenizer().bytes());
    ASSERT_EQ(cheems_model_open(file.path().c_str(), &model), CHEEMS_OK)
        << cheems_last_error();
  }
  void TearDown() override {
    cheems_session_destroy(session);
    cheems_model_close(model);
  }
  void start(int64_t threads = 2) {
    cheems_session_options options = {};
    options.size = sizeof(options);
    options.threads = threads;
    options.slots = 2;
    ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK)
        << cheems_last_error();
  }
  cheems_model *model = nullptr;
  cheems_session *session = nullptr;
  std::array<float, fakeVocabulary> logits = {};
};

/// FakeModel.c's hash.
float hashOf(const std::vector<int32_t> &tokens) {
  int64_t value = 0;
  for (int32_t token : tokens) {
    value = (value * 31 + token + 1) % 65521;
  }
  return static_cast<float>(value);
}

TEST_F(Api, versionIsThree) {
  EXPECT_THAT(cheems_version(),
              testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(Api, plainCProgramRuns) {
  TemporaryFile file(FakeArtifact().bytes());
  EXPECT_EQ(plain_run(file.path().c_str()), hashOf({1, 2, 3, 4}));
  EXPECT_EQ(plain_run("/nonexistent"), -1);
}

TEST_F(Api, failedOpenSaysWhyAndLeavesTheOutputAlone) {
  cheems_model *other = model;
  EXPECT_EQ(cheems_model_open("/nonexistent", &other), CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("/nonexistent"));
  EXPECT_EQ(other, model);
  FakeArtifact artifact;
  artifact.metadata["images"][0]["features"] = {"avx9000"};
  TemporaryFile file(artifact.bytes());
  EXPECT_EQ(cheems_model_open(file.path().c_str(), &other), CHEEMS_UNSUPPORTED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("avx9000"));
}

TEST_F(Api, modelsAreOpenedForADevice) {
  EXPECT_STREQ(cheems_model_device(model), "cpu");
  TemporaryFile file(FakeArtifact().bytes());
  cheems_model_options options = {};
  options.size = sizeof(options);
  auto open = [&](const char *device) {
    options.device = device;
    cheems_model *opened = nullptr;
    cheems_status status =
        cheems_model_open_with(file.path().c_str(), &options, &opened);
    if (status == CHEEMS_OK) {
      EXPECT_STREQ(cheems_model_device(opened), "cpu") << device;
    }
    cheems_model_close(opened);
    return status;
  };
  EXPECT_EQ(open(nullptr), CHEEMS_OK);
  EXPECT_EQ(open("auto"), CHEEMS_OK);
  EXPECT_EQ(open("cpu"), CHEEMS_OK);
  EXPECT_EQ(open("cuda:0"), CHEEMS_UNSUPPORTED);
  EXPECT_THAT(cheems_last_error(),
              HasSubstr("compiled for cpu only; use --target cpu,cuda"));
  EXPECT_EQ(open("gpu"), CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("not 'gpu'"));
  options.size = 0;
  EXPECT_EQ(open("cpu"), CHEEMS_USAGE);
  EXPECT_THAT(cheems_last_error(), HasSubstr("sizeof(cheems_model_options)"));
}

TEST_F(Api, messagesAreKeptForEachThread) {
  EXPECT_EQ(cheems_model_open(nullptr, nullptr), CHEEMS_USAGE);
  EXPECT_STREQ(cheems_model_device(nullptr), "");
  std::thread([] { EXPECT_STREQ(cheems_last_error(), ""); }).join();
  EXPECT_STREQ(cheems_last_error(), "path is null");
}

TEST_F(Api, nullHandlesAreRefusedOrHarmless) {
  const char *json;
  int64_t number;
  cheems_model_close(nullptr);
  cheems_session_destroy(nullptr);
  EXPECT_EQ(cheems_model_describe(nullptr, &json), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_describe(model, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_verify(nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_vocabulary(nullptr), 0);
  EXPECT_EQ(cheems_model_ends_text(nullptr, 1), 0);
  EXPECT_EQ(cheems_session_create(nullptr, nullptr, &session), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_context(nullptr), 0);
  EXPECT_EQ(cheems_session_position(nullptr, 0, &number), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_decode(nullptr, 0, 1, logits.data()), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_reset(nullptr, 0), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_rewind(nullptr, 0, 0), CHEEMS_USAGE);
  EXPECT_EQ(cheems_tokenize(nullptr, "a", 1, 0, nullptr, 0, &number),
            CHEEMS_USAGE);
  start();
  EXPECT_EQ(cheems_session_decode(session, 0, 1, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_prefill(session, 0, nullptr, 3, nullptr),
            CHEEMS_USAGE);
  EXPECT_EQ(
      cheems_session_step(session, nullptr, 1, nullptr, 1, nullptr, 0, nullptr),
      CHEEMS_USAGE);
}

TEST_F(Api, aModelFolderIsToBeCompiledFirst) {
  std::string folder = std::filesystem::temp_directory_path().string();
  cheems_model *none = nullptr;
  EXPECT_EQ(cheems_model_open(folder.c_str(), &none), CHEEMS_FAILED);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(cheems_last_error(),
              AllOf(HasSubstr(folder), HasSubstr("is a folder"),
                    HasSubstr("cheems-compile")));
}

TEST_F(Api, modelDescribesItself) {
  const char *json = nullptr;
  ASSERT_EQ(cheems_model_describe(model, &json), CHEEMS_OK);
  EXPECT_EQ(nlohmann::json::parse(json)["vocab_size"], fakeVocabulary);
  EXPECT_EQ(cheems_model_vocabulary(model), fakeVocabulary);
  EXPECT_EQ(cheems_model_ends_text(model, 2), 1);
  EXPECT_EQ(cheems_model_ends_text(model, 4), 0);
  EXPECT_EQ(cheems_model_verify(model), CHEEMS_OK);
}

TEST_F(Api, endTokensOfTheGenerationDefaultsComeFirst) {
  auto open = [](const std::string &generation, cheems_model **opened) {
    FakeArtifact artifact;
    for (auto &[name, text] : artifact.texts) {
      if (name == CHEEMS_SECTION_GENERATION_CONFIG) {
        text = generation;
      }
    }
    TemporaryFile file(artifact.bytes());
    return cheems_model_open(file.path().c_str(), opened);
  };
  cheems_model *other = nullptr;
  ASSERT_EQ(open(R"({"eos_token_id": [4, 5]})", &other), CHEEMS_OK)
      << cheems_last_error();
  for (int32_t token = 0; token < fakeVocabulary; ++token) {
    EXPECT_EQ(cheems_model_ends_text(other, token),
              int(token == 4 || token == 5))
        << token;
  }
  cheems_model_close(other);
  EXPECT_EQ(open(R"({"eos_token_id": "end"})", &other), CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("generation_config.json"));
}

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

TEST_F(Api, rewindBehindEvictedKeysIsUnsupported) {
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
  EXPECT_EQ(cheems_session_save(session, 0, "/no/such/folder/x"),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("/no/such/folder/x"));
  EXPECT_EQ(cheems_session_load(session, 0, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_session_load(session, 0, "/no/such/file"), CHEEMS_FAILED);
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
  older.prefill_chunk = -1; // behind its end: not looked at
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

TEST_F(Api, textBecomesTokensAndComesBack) {
  int64_t count = 0;
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, nullptr, 0, &count),
            CHEEMS_OK)
      << cheems_last_error();
  ASSERT_EQ(count, 5);
  std::vector<int32_t> tokens(5, -1);
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, tokens.data(), 3, &count),
            CHEEMS_OK);
  EXPECT_EQ(tokens, (std::vector<int32_t>{1, 0, 3, -1, -1}));
  ASSERT_EQ(cheems_tokenize(model, "badge", 5, 0, tokens.data(), 5, &count),
            CHEEMS_OK);
  EXPECT_EQ(cheems_tokenize(model, nullptr, 0, 0, nullptr, 0, &count),
            CHEEMS_OK);
  EXPECT_EQ(count, 0);

  size_t length = 0;
  char text[8];
  std::memset(text, '?', sizeof(text));
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, nullptr, 0, &length),
            CHEEMS_OK);
  EXPECT_EQ(length, 5u);
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, 4, &length),
            CHEEMS_OK);
  EXPECT_EQ(std::string(text, 5), "badg?");
  ASSERT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, sizeof(text),
                              &length),
            CHEEMS_OK);
  EXPECT_STREQ(text, "badge");
  tokens[0] = 99;
  EXPECT_EQ(cheems_detokenize(model, tokens.data(), 5, 0, text, sizeof(text),
                              &length),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("99"));
  EXPECT_EQ(cheems_detokenize(model, tokens.data(), -1, 0, text, sizeof(text),
                              &length),
            CHEEMS_USAGE);
}

TEST_F(Api, specialTokensInTextAreParsedOrStayText) {
  auto tokensOf = [&](const std::string &text, int flags) {
    std::vector<int32_t> tokens(16);
    int64_t count = 0;
    EXPECT_EQ(cheems_tokenize(model, text.data(), text.size(), flags,
                              tokens.data(), 16, &count),
              CHEEMS_OK)
        << cheems_last_error();
    tokens.resize(static_cast<size_t>(count));
    return tokens;
  };
  using Tokens = std::vector<int32_t>;
  EXPECT_EQ(tokensOf("bend", 0), (Tokens{1, controlToken}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_SPECIAL_AS_TEXT), (Tokens{1, 4, 13, 3}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_ADD_SPECIAL),
            (Tokens{controlToken, 1, controlToken}));
  EXPECT_EQ(tokensOf("bend", CHEEMS_ADD_SPECIAL | CHEEMS_SPECIAL_AS_TEXT),
            (Tokens{controlToken, 1, 4, 13, 3}));
  int64_t count = -1;
  EXPECT_EQ(cheems_tokenize(model, "b", 1, 4, nullptr, 0, &count),
            CHEEMS_USAGE);
  EXPECT_STREQ(cheems_last_error(),
               "flags has bits that are not cheems_tokenize_flags: 4");
  EXPECT_EQ(count, -1);
}

TEST_F(Api, modelWithoutTokenizerSaysSo) {
  FakeArtifact artifact;
  artifact.texts = {{CHEEMS_SECTION_CONFIG, "{}"}};
  TemporaryFile file(artifact.bytes());
  cheems_model *bare = nullptr;
  ASSERT_EQ(cheems_model_open(file.path().c_str(), &bare), CHEEMS_OK);
  int64_t count;
  EXPECT_EQ(cheems_tokenize(bare, "a", 1, 0, nullptr, 0, &count),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("no tokenizer"));
  cheems_model_close(bare);
}

/// Output of a shell command and its exit status.
std::pair<std::string, int> runCommand(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    output += static_cast<char>(c);
  }
  return {output, pclose(pipe)};
}

TEST_F(Api, libraryExportsOnlyItsInterface) {
  auto [output, status] =
      runCommand(CHEEMS_NM " -D --defined-only " CHEEMS_LIBRARY);
  ASSERT_EQ(status, 0) << output;
  std::istringstream lines(output);
  int symbols = 0;
  for (std::string address, kind, name; lines >> address >> kind >> name;
       ++symbols) {
    EXPECT_THAT(name, StartsWith("cheems_"));
  }
  EXPECT_GE(symbols, 20);
}

TEST_F(Api, privatelyLoadedLibraryOpensModels) {
  TemporaryFile file(FakeArtifact().bytes());
  // Sanitizers' runtimes want to be in the program itself, which this one is
  // built with as well.
  auto [output, status] =
      runCommand(CHEEMS_PRIVATE_LOAD " " CHEEMS_LIBRARY " " + file.path());
  EXPECT_EQ(status, 0) << output;
}

} // namespace
