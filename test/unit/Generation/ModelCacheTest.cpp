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
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

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
  int64_t limit = 0;
  std::vector<std::string> cpu = {"avx2", "fma"};

  void SetUp() override {
    fs::create_directory(model);
    write(model / "config.json", "{}");
    write(model / "model.safetensors", "weights");
    setCompiler("cp '" + artefact.path() + "' \"$3\"");
  }
  /// $1 is the folder, $3 the output.
  void setCompiler(const std::string &command) {
    write(compiler, "#!/bin/sh\necho run $4 $5 >> '" + log.string() + "'\n" +
                        command + "\n");
    fs::permissions(compiler, fs::perms::owner_all);
  }
  /// `settling` 0: a file's time tells whether it changed, however fresh.
  ModelCache cache(std::chrono::nanoseconds settling = {}) const {
    return ModelCache({compiler.string(), kept.string(), limit, settling, cpu});
  }
  std::shared_ptr<const Model>
  open(const std::vector<std::string> &arguments = {}) {
    return cache().open(
        model.string(),
        [&](const std::string &message) { messages.push_back(message); },
        arguments);
  }
  /// What opening the folder is refused with.
  std::string refusal() {
    try {
      open();
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }
  std::vector<CachedModel> list() const {
    return CacheFolder(kept.string()).models();
  }
  size_t compilations() const {
    std::ifstream file(log);
    return static_cast<size_t>(
        std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  size_t filesKept() const { return list().size(); }
  /// Names in the cache that start so.
  size_t leftovers(const std::string &start = "compiling-") const {
    return static_cast<size_t>(
        std::count_if(fs::directory_iterator(kept), {}, [&](const auto &file) {
          return file.path().filename().string().rfind(start, 0) == 0;
        }));
  }
  fs::perms mode(const fs::path &path) const {
    return fs::status(path).permissions();
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
  fs::create_directory(model / "additional_chat_templates");
  EXPECT_FALSE(changes());
  write(model / "additional_chat_templates/tool_use.jinja", "{{ tools }}");
  EXPECT_TRUE(changes());
  write(model / "model.safetensors", "more weights");
  EXPECT_TRUE(changes());
  write(model / "second.safetensors", "weights");
  EXPECT_TRUE(changes());
  setCompiler("exit 1; another build");
  EXPECT_TRUE(changes());
  cpu = {"amx-tile", "avx2", "fma"};
  EXPECT_TRUE(changes());
  cpu = {"fma"};
  EXPECT_TRUE(changes());
  for (const std::vector<std::string> &arguments :
       std::vector<std::vector<std::string>>{
           {"--weights", "int8"}, {"--weights", "int4"}, {"--weightsint4"}}) {
    EXPECT_TRUE(names.insert(cache().path(model.string(), arguments)).second);
  }
}

TEST_F(ModelCacheTest, whatTheResultDoesNotDependOnIsNot) {
  open();
  auto later = [&](const fs::path &file) {
    fs::last_write_time(file,
                        fs::last_write_time(file) + std::chrono::seconds(5));
  };
  later(model / "model.safetensors");
  later(compiler);
  open();
  write(model / "README.md", "of no matter");
  open();
  fs::rename(model, root / "moved");
  model = root / "moved";
  open();
  EXPECT_EQ(compilations(), 1u);
  EXPECT_EQ(list()[0].origin.folder, fs::canonical(model).string());
}

TEST_F(ModelCacheTest, filesThatDidNotChangeAreNotRead) {
  std::string path = cache().path(model.string());
  CacheFolder folder(kept.string());
  std::string file = fs::canonical(model / "model.safetensors").string();
  auto lie = [&](CacheIndex &index) { index.files.at(file).hash = "another"; };
  folder.update(lie);
  EXPECT_NE(cache().path(model.string()), path); // as the index says
  write(model / "model.safetensors", "Weights");
  write(model / "model.safetensors", "weights");
  EXPECT_EQ(cache().path(model.string()), path);
}

TEST_F(ModelCacheTest, aFileThatHasJustChangedIsReadAgain) {
  // its times may be those of the next change, too
  std::string path = cache(std::chrono::hours(1)).path(model.string());
  EXPECT_EQ(CacheFolder(kept.string()).index().files.size(), 0u);
  write(model / "model.safetensors", "Weights");
  EXPECT_NE(cache(std::chrono::hours(1)).path(model.string()), path);
}

TEST_F(ModelCacheTest, aBrokenIndexIsMadeAgain) {
  open();
  for (const char *text : {"", "{", "[]", "{\"files\": {\"a\": 1}}", "\xff"}) {
    write(kept / "index.json", text);
    open();
    EXPECT_EQ(list()[0].origin.folder, fs::canonical(model).string());
  }
  EXPECT_EQ(compilations(), 1u);
}

TEST_F(ModelCacheTest, pathsThatAreNoTextComeBackFromTheIndex) {
  fs::rename(model, root / "b\xff\xc3\xa4\x01");
  model = root / "b\xff\xc3\xa4\x01";
  std::vector<std::string> arguments = {"\xe2\x82", "\\u00ff", "\xc3\xa4"};
  open(arguments);
  CacheIndex index = CacheFolder(kept.string()).index();
  fs::path folder = fs::canonical(model);
  EXPECT_EQ(index.files.count((folder / "model.safetensors").string()), 1u);
  ASSERT_EQ(index.models.size(), 1u);
  EXPECT_EQ(index.models.begin()->second.folder, folder.string());
  EXPECT_EQ(index.models.begin()->second.arguments, arguments);
}

TEST_F(ModelCacheTest, anIndexThatCannotBeWrittenStopsNoModel) {
  open();
  fs::remove(kept / "index.json");
  fs::create_symlink("/no/such/folder/index.json", kept / "index.json");
  messages.clear();
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_EQ(compilations(), 1u);
  ASSERT_THAT(messages, testing::Not(IsEmpty()));
  EXPECT_THAT(messages, testing::Each(testing::AllOf(HasSubstr("index.json"),
                                                     HasSubstr("going on"))));
  write(model / "model.safetensors", "more weights");
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_EQ(compilations(), 2u);
}

TEST_F(ModelCacheTest, compilingIsSaidWithItsOptionsAndOnlyThen) {
  open({"--weights", "int8"});
  ASSERT_EQ(messages.size(), 1u); // standard error is no terminal here
  EXPECT_THAT(messages[0],
              testing::AllOf(HasSubstr("compiling " + model.string()),
                             HasSubstr("--weights int8"),
                             HasSubstr(kept.string())));
  open({"--weights", "int8"});
  EXPECT_EQ(messages.size(), 1u);
  std::ifstream file(log);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "run --weights int8");
}

TEST_F(ModelCacheTest, theFolderIsItsUsersAlone) {
  open();
  for (const fs::path &path : {kept, kept.parent_path()}) {
    EXPECT_EQ(mode(path), fs::perms::owner_all) << path;
  }
  fs::permissions(kept, fs::perms(0755)); // as older versions made it
  open();
  EXPECT_EQ(mode(kept), fs::perms::owner_all);
}

TEST_F(ModelCacheTest, aFolderThatOthersCanWriteIsRefused) {
  open();
  for (int bits : {0777, 0770, 0702, 01777}) {
    fs::permissions(kept, fs::perms(bits));
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr(kept.string()),
                                          HasSubstr("other users"),
                                          HasSubstr("XDG_CACHE_HOME")));
  }
  fs::permissions(kept, fs::perms::owner_all);
  fs::permissions(kept.parent_path(), fs::perms(0777));
  EXPECT_THAT(refusal(), HasSubstr("every user can replace it"));
  fs::permissions(kept.parent_path(), fs::perms(01777)); // as /tmp is
  EXPECT_EQ(refusal(), "");
}

TEST_F(ModelCacheTest, whatBelongsToAnotherUserIsRefused) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  std::string path = open()->path();
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal(),
              testing::AllOf(HasSubstr(path), HasSubstr("another user")));
  ASSERT_EQ(chown(kept.c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr(kept.string()),
                                        HasSubstr("another user")));
}

TEST_F(ModelCacheTest, theModelsNotUsedForLongestMakeRoom) {
  auto size = static_cast<int64_t>(fs::file_size(artefact.path()));
  open({"--max-context", "1"});
  open({"--max-context", "2"});
  auto used = open({"--max-context", "3"});
  open({"--max-context", "1"}); // again
  limit = 3 * size;
  open({"--max-context", "4"}); // 2 was not used for longest
  auto kept = [&] {
    std::set<std::string> contexts;
    for (const CachedModel &model : list()) {
      contexts.insert(model.origin.arguments.at(1));
    }
    return contexts;
  };
  EXPECT_THAT(kept(), testing::ElementsAre("1", "3", "4"));
  EXPECT_THAT(messages.back(), HasSubstr("removed 1 model"));
  limit = 1; // what is used now stays: the new one, and 3
  open({"--max-context", "5"});
  EXPECT_THAT(kept(), testing::ElementsAre("3", "5"));
  EXPECT_EQ(CacheFolder(this->kept.string()).index().models.size(), 2u);
  EXPECT_EQ(used->metadata().modelType, "fake");
}

TEST_F(ModelCacheTest, aFolderThatChangesMeanwhileIsNotKept) {
  setCompiler("cp '" + artefact.path() +
              "' \"$3\"; echo '{}' > \"$1/x.safetensors\"");
  EXPECT_THAT(refusal(), HasSubstr("changed while it was compiled"));
  EXPECT_EQ(filesKept() + leftovers(), 0u);
}

TEST_F(ModelCacheTest, whatIsNoModelIsNotKept) {
  setCompiler("true");
  EXPECT_THAT(refusal(), HasSubstr("made no model"));
  setCompiler("echo text > \"$3\"");
  EXPECT_THAT(refusal(), HasSubstr("not a cheems file"));
  EXPECT_EQ(filesKept() + leftovers(), 0u);
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
  EXPECT_EQ(compilations(), 1u); // the others waited
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(ModelCacheTest, theCompilersExitCodeIsHandedOnAndNothingStays) {
  setCompiler("echo half > \"$3\"; exit 3");
  try {
    open();
    FAIL();
  } catch (const CompileFailed &failed) {
    EXPECT_EQ(failed.code, 3);
  }
  EXPECT_EQ(filesKept() + leftovers(), 0u);
}

TEST_F(ModelCacheTest, aCompilerThatMemoryMayHaveEndedIsSaidToBeSo) {
  for (auto [signal, told] : {std::pair("KILL", true), std::pair("ABRT", true),
                              std::pair("USR1", false)}) {
    setCompiler("ulimit -c 0; kill -" + std::string(signal) + " $$");
    std::string said = refusal();
    EXPECT_THAT(said, HasSubstr("was ended by signal"));
    EXPECT_EQ(said.find("memory may have run out") != said.npos, told) << said;
  }
  EXPECT_EQ(filesKept() + leftovers(), 0u);
}

TEST_F(ModelCacheTest, aDamagedFileIsMadeAgainAndSaid) {
  std::string path = open()->path();
  fs::resize_file(path, 1000);
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_THAT(messages,
              testing::ElementsAre(HasSubstr("compiling"), HasSubstr("again"),
                                   HasSubstr("compiling")));
  EXPECT_EQ(compilations(), 2u);
}

TEST_F(ModelCacheTest, aSoundFileThatCannotBeLoadedIsKept) {
  std::string path = open()->path();
  FakeArtifact unloadable = talkingArtifact();
  unloadable.code = "no machine's code";
  write(path, unloadable.bytes());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("cannot be loaded"),
                                          HasSubstr(kept.string()),
                                          HasSubstr("XDG_CACHE_HOME")));
  }
  EXPECT_EQ(compilations(), 1u);
  EXPECT_EQ(filesKept(), 1u);
  write(artefact.path(), unloadable.bytes()); // just compiled it is kept, too
  write(model / "model.safetensors", "more weights");
  EXPECT_THAT(refusal(), HasSubstr("XDG_CACHE_HOME"));
  EXPECT_EQ(compilations(), 2u);
  EXPECT_EQ(filesKept(), 2u);
}

TEST_F(ModelCacheTest, leftoversOfACrashAreRemovedByTheNextCompile) {
  cache().path(model.string());
  for (const char *name : {"compiling-abcdef", "compiling-other"}) {
    fs::create_directories(kept / name / "deep");
    write(kept / name / "model", "half");
  }
  write(kept / "index.json.a1b2c3", "half");
  // one of them is at work
  auto works = FileLock::create((kept / "compiling-other" / "lock").string());
  ASSERT_TRUE(works && works->tryTake(FileLock::Kind::exclusive));
  EXPECT_EQ(open()->metadata().modelType, "fake");
  EXPECT_EQ(leftovers("index.json."), 0u);
  EXPECT_EQ(leftovers(), 1u);
  EXPECT_TRUE(fs::exists(kept / "compiling-other" / "model"));
}

TEST_F(ModelCacheTest, aModelIsRemovedAndWhoRunsItGoesOn) {
  auto running = open();
  CacheFolder folder(kept.string());
  folder.remove(folder.models().at(0));
  EXPECT_EQ(filesKept() + folder.index().models.size(), 0u);
  EXPECT_NO_THROW(running->verify());
  open();
  EXPECT_EQ(compilations(), 2u);
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

TEST(ModelCache, theLimitIsANumberWithAUnit) {
  unsetenv("CHEEMS_CACHE_SIZE");
  EXPECT_EQ(CacheFolder::standardLimit(), 20000000000);
  for (auto [text, bytes] :
       std::initializer_list<std::pair<const char *, int64_t>>{
           {"0", 0},
           {"123", 123},
           {"5K", 5000},
           {"7M", 7000000},
           {"20G", 20000000000},
           {"1T", 1000000000000}}) {
    setenv("CHEEMS_CACHE_SIZE", text, 1);
    EXPECT_EQ(CacheFolder::standardLimit(), bytes) << text;
  }
  for (const char *text : {"G", "-1", "1X", "1GB", "1.5G", " 1", "all",
                           "99999999999999999999", "9999999999T"}) {
    setenv("CHEEMS_CACHE_SIZE", text, 1);
    EXPECT_THROW(CacheFolder::standardLimit(), Error) << text;
  }
  unsetenv("CHEEMS_CACHE_SIZE");
}

TEST(ModelCache, aFolderIsCompiledForTheDeviceOfThisMachineAlone) {
  using Words = std::vector<std::string>;
  DeviceChoice any, gpu;
  gpu.kind = DeviceChoice::Kind::cuda;
  unsetenv("CHEEMS_CPU");
  EXPECT_EQ(compileArguments({}, any), (Words{"--cpu", "native"}));
  EXPECT_EQ(compileArguments({"--weights", "int8"}, any),
            (Words{"--weights", "int8", "--cpu", "native"}));
  EXPECT_EQ(compileArguments({"--target", "cuda,cpu"}, any),
            (Words{"--target", "cuda,cpu", "--cpu", "native"}));
  EXPECT_EQ(compileArguments({}, gpu), (Words{"--target", "cuda"}));
  for (const Words &said : {Words{"--cpu", "avx2"}, Words{"--cpu=portable"},
                            Words{"--target", "cuda"}, Words{"--target=cuda"},
                            Words{"--target", "own-cpu"}}) {
    EXPECT_EQ(compileArguments(said, any), said);
  }
  // who compares variants has one file of all
  setenv("CHEEMS_CPU", "avx2", 1);
  EXPECT_EQ(compileArguments({}, any), Words());
  setenv("CHEEMS_CPU", "", 1);
  EXPECT_EQ(compileArguments({}, any), (Words{"--cpu", "native"}));
  unsetenv("CHEEMS_CPU");
}

TEST(ModelCache, aCompiledModelTakesNoOptions) {
  TemporaryFile file(talkingArtifact().bytes());
  auto ignore = [](const std::string &) {};
  EXPECT_NO_THROW(openModel(file.path(), ignore));
  try {
    openModel(file.path(), ignore, {"--weights", "int8"});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::usage);
    EXPECT_THAT(error.what(),
                testing::AllOf(HasSubstr(file.path()), HasSubstr("already"),
                               HasSubstr("--weights int8")));
  }
}

TEST(ModelCache, followsTheCacheSpecification) {
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(CacheFolder::standard(), "/somewhere/cheems");
  setenv("HOME", "/home/someone", 1);
  for (const char *ignored : {"", "relative/path"}) {
    setenv("XDG_CACHE_HOME", ignored, 1);
    EXPECT_EQ(CacheFolder::standard(), "/home/someone/.cache/cheems");
  }
}

} // namespace
