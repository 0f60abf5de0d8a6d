// Folders compiled on demand, by a stand-in compiler that copies an artefact.
#include "runtime/Generation/ModelCache.h"
#include "TalkingArtifact.h"
#include "runtime/Error.h"
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <thread>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

void write(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

class ModelCacheTest : public testing::Test {
protected:
  TemporaryFile artefact{talkingArtifact().bytes()};
  fs::path root = fs::path(artefact.path()).parent_path();
  fs::path model = root / "a model", kept = root / "cache" / "cheems",
           compiler = root / "cheems-compile", log = root / "log";
  std::vector<std::string> messages;

  void SetUp() override {
    fs::create_directory(model);
    write(model / "config.json", "{}");
    write(model / "model.safetensors", "weights");
    setCompiler("cp '" + artefact.path() + "' \"$3\"");
  }
  /// $1 is the folder, $3 the output.
  void setCompiler(const std::string &command) {
    write(compiler, "#!/bin/sh\n[ \"$1\" = --version ] && echo one && exit\n"
                    "echo run >> '" +
                        log.string() + "'\n" + command + "\n");
    fs::permissions(compiler, fs::perms::owner_all);
  }
  ModelCache cache() const { return {compiler.string(), kept.string()}; }
  std::shared_ptr<const Model> open() {
    return cache().open(model.string(), [&](const std::string &message) {
      messages.push_back(message);
    });
  }
  size_t compilations() const {
    std::ifstream file(log);
    return static_cast<size_t>(
        std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  size_t filesKept() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(kept), {}));
  }
};

TEST_F(ModelCacheTest, compilesOnce) {
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_EQ(open()->path(), cache().path(model.string()));
  EXPECT_EQ(compilations(), 1u);
  EXPECT_EQ(filesKept(), 1u);
}

TEST_F(ModelCacheTest, whateverTheResultDependsOnIsInTheName) {
  std::set<std::string> names = {cache().path(model.string())};
  auto changes = [&] {
    return names.insert(cache().path(model.string())).second;
  };
  EXPECT_FALSE(changes());
  for (const char *text :
       {"config.json", "generation_config.json", "tokenizer.json",
        "tokenizer_config.json", "chat_template.jinja"}) {
    write(model / text, "{\"a\": 1}");
    EXPECT_TRUE(changes()) << text;
    write(model / text, "{\"a\": 2}");
    EXPECT_TRUE(changes()) << text;
  }
  write(model / "model.safetensors", "more weights");
  EXPECT_TRUE(changes());
  fs::last_write_time(model / "model.safetensors",
                      fs::last_write_time(model / "model.safetensors") +
                          std::chrono::seconds(5));
  EXPECT_TRUE(changes());
  write(model / "second.safetensors", "weights");
  EXPECT_TRUE(changes());
  setCompiler("exit 1; another build");
  EXPECT_TRUE(changes());
  fs::rename(model, root / "moved");
  model = root / "moved";
  EXPECT_TRUE(changes());
  write(model / "README.md", "of no matter");
  EXPECT_FALSE(changes());
}

TEST_F(ModelCacheTest, manyAtOnceDoNotCollide) {
  setCompiler("sleep 0.2; cp '" + artefact.path() + "' \"$3\"");
  std::vector<std::thread> threads;
  std::vector<std::string> types(4);
  for (std::string &type : types) {
    threads.emplace_back([&] {
      type = cache()
                 .open(model.string(), [](const std::string &) {})
                 ->metadata()
                 .modelType;
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_THAT(types, testing::Each("fake"));
  EXPECT_EQ(filesKept(), 1u);
}

TEST_F(ModelCacheTest, theCompilersExitCodeIsHandedOnAndNothingStays) {
  setCompiler("echo half > \"$3\"; exit 3");
  try {
    open();
    FAIL();
  } catch (const CompileFailed &failed) {
    EXPECT_EQ(failed.code, 3);
  }
  EXPECT_EQ(filesKept(), 0u);
}

TEST_F(ModelCacheTest, aDamagedFileIsMadeAgainAndSaid) {
  std::string path = open()->path();
  fs::resize_file(path, 1000);
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("again")));
  EXPECT_EQ(compilations(), 2u);
}

TEST_F(ModelCacheTest, leftoversOfACrashDoNoHarm) {
  fs::create_directories(kept / "compiling-abcdef");
  write(kept / "compiling-abcdef" / "model", "half");
  EXPECT_EQ(open()->metadata().modelType, "fake");
}

TEST_F(ModelCacheTest, foldersThatAreNoModelsAreNamed) {
  fs::remove(model / "config.json");
  auto refusal = [&](const std::string &folder) {
    try {
      cache().path(folder);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(model.string()), HasSubstr("config.json"));
  EXPECT_THAT(refusal("/no/such/folder"), HasSubstr("/no/such/folder"));
  write(model / "config.json", "{}");
  fs::remove(compiler);
  EXPECT_THAT(refusal(model.string()), HasSubstr("cheems-compile"));
}

TEST_F(ModelCacheTest, aCacheThatCannotBeMadeIsNamed) {
  write(root / "cache", "a file");
  try {
    open();
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("XDG_CACHE_HOME"));
  }
}

TEST(ModelCache, followsTheCacheSpecification) {
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(ModelCache::defaultDirectory(), "/somewhere/cheems");
  setenv("HOME", "/home/someone", 1);
  for (const char *ignored : {"", "relative/path"}) {
    setenv("XDG_CACHE_HOME", ignored, 1);
    EXPECT_EQ(ModelCache::defaultDirectory(), "/home/someone/.cache/cheems");
  }
}

} // namespace
