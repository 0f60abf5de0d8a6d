// The C interface: statuses, messages, models, what the library exports.
#include "ApiFixture.h"
#include "plain.h"
#include "test/unit/Support/TestPaths.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace cheems::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

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
  EXPECT_EQ(cheems_model_open("/nonexistent", &other), CHEEMS_IO);
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

TEST_F(Api, modelsAreOpenedByDescriptor) {
  TemporaryFile file(FakeArtifact().bytes());
  int descriptor = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(unlink(file.path().c_str()), 0); // no path leads to it any more
  cheems_model *opened = nullptr;
  ASSERT_EQ(cheems_model_open_descriptor(descriptor, "what was passed", nullptr,
                                         &opened),
            CHEEMS_OK)
      << cheems_last_error();
  EXPECT_EQ(close(descriptor), 0); // it stayed ours
  const char *json = nullptr;
  EXPECT_EQ(cheems_model_describe(opened, &json), CHEEMS_OK);
  EXPECT_EQ(nlohmann::json::parse(json)["file"]["path"], "what was passed");
  EXPECT_EQ(cheems_model_verify(opened), CHEEMS_OK);
  ASSERT_EQ(cheems_session_create(opened, nullptr, &session), CHEEMS_OK);
  cheems_model_close(opened);
  EXPECT_EQ(cheems_session_decode(session, 0, 5, logits.data()), CHEEMS_OK);
  EXPECT_EQ(logits[0], hashOf({5}));

  EXPECT_EQ(cheems_model_open_descriptor(-1, "x", nullptr, &opened),
            CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_open_descriptor(descriptor, nullptr, nullptr, &opened),
            CHEEMS_USAGE);
  EXPECT_EQ(
      cheems_model_open_descriptor(1000000, "no number", nullptr, &opened),
      CHEEMS_IO);
  EXPECT_THAT(cheems_last_error(), HasSubstr("cannot open 'no number'"));
}

TEST_F(Api, damageIsToldFromOtherFailures) {
  auto statusOf = [](const FakeArtifact &artifact, size_t bytes) {
    TemporaryFile file(artifact.bytes().substr(0, bytes));
    cheems_model *opened = nullptr;
    cheems_status status = cheems_model_open(file.path().c_str(), &opened);
    cheems_model_close(opened);
    return status;
  };
  FakeArtifact artifact;
  EXPECT_EQ(statusOf(artifact, SIZE_MAX), CHEEMS_OK);
  for (size_t bytes : {size_t(0), size_t(9), artifact.bytes().size() - 1}) {
    EXPECT_EQ(statusOf(artifact, bytes), CHEEMS_CORRUPT) << bytes;
  }
  artifact.metadata["abi"] = 99;
  EXPECT_EQ(statusOf(artifact, SIZE_MAX), CHEEMS_CORRUPT);
  std::string bytes = FakeArtifact().bytes();
  bytes[entryOf(bytes, CHEEMS_SECTION_WEIGHTS).offset] ^= 1;
  TemporaryFile file(bytes);
  cheems_model *opened = nullptr;
  ASSERT_EQ(cheems_model_open(file.path().c_str(), &opened), CHEEMS_OK);
  EXPECT_EQ(cheems_model_verify(opened), CHEEMS_CORRUPT);
  EXPECT_THAT(cheems_last_error(), HasSubstr("weights block 0"));
  cheems_model_close(opened);
}

TEST_F(Api, variantsAreForcedAndWarningsHanded) {
  FakeArtifact artifact;
  artifact.metadata["warnings"] = {"a line of the compiler"};
  auto &variants = artifact.metadata["images"][0]["variants"];
  auto second = variants[0];
  second["name"] = "second";
  variants.push_back(second);
  for (auto &[name, text] : artifact.texts) {
    if (name == CHEEMS_SECTION_GENERATION_CONFIG) {
      text = R"({"num_beams": 3})";
    }
  }
  TemporaryFile file(artifact.bytes());
  std::vector<std::string> lines;
  cheems_model_options options = {};
  options.size = sizeof(options);
  options.user = &lines;
  options.warn = [](void *user, const char *line) {
    static_cast<std::vector<std::string> *>(user)->push_back(line);
  };
  auto chosen = [&](const char *variant) -> std::string {
    options.variant = variant;
    cheems_model *opened = nullptr;
    const char *json = nullptr;
    if (cheems_model_open_with(file.path().c_str(), &options, &opened) !=
        CHEEMS_OK) {
      return cheems_last_error();
    }
    EXPECT_EQ(cheems_model_describe(opened, &json), CHEEMS_OK);
    std::string name = nlohmann::json::parse(json)["file"]["variant"];
    cheems_model_close(opened);
    return name;
  };
  EXPECT_EQ(chosen(nullptr), variants[0]["name"]);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "a line of the compiler");
  EXPECT_THAT(lines[1], HasSubstr("num_beams is not supported"));
  EXPECT_EQ(chosen("second"), "second");
  EXPECT_THAT(chosen("third"),
              HasSubstr("the program asks for variant 'third', but the file "
                        "has "));
  options.warn = nullptr;
  EXPECT_EQ(chosen(""), variants[0]["name"]);
  EXPECT_EQ(lines.size(), 4u);
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
  EXPECT_EQ(cheems_model_open(folder.c_str(), &none), CHEEMS_IO);
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
      runCommand(std::string(cheems::test_paths::nameList) +
                 " -D --defined-only " + cheems::test_paths::cheemsLibrary);
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
      runCommand(std::string(cheems::test_paths::privateLoad) + " " +
                 cheems::test_paths::cheemsLibrary + " " + file.path());
  EXPECT_EQ(status, 0) << output;
}

} // namespace
