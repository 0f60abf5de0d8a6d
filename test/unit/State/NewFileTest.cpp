// Files that appear whole or not at all.
#include "runtime/State/NewFile.h"
#include "../Artifact/FakeArtifact.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class NewFileTest : public testing::Test {
protected:
  TemporaryFile old{"old"};
  std::string path = old.path();

  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  long files() const {
    return std::distance(fs::directory_iterator(fs::path(path).parent_path()),
                         {});
  }
};

TEST_F(NewFileTest, replacesTheOldOneWhenItIsWhole) {
  for (NewFile::Sync sync : {NewFile::Sync::none, NewFile::Sync::disk}) {
    NewFile file(path);
    file.write("cd", 2, 2);
    file.write("ab", 2, 0);
    EXPECT_NE(contents(), "abcd");
    file.finish(sync);
    EXPECT_EQ(contents(), "abcd");
    std::ofstream(path) << "old";
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, unfinishedLeavesTheOldOne) {
  {
    NewFile file(path);
    file.write("new", 3, 0);
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(contents(), "old");
}

TEST_F(NewFileTest, aFullDiskLeavesTheOldOne) {
  std::signal(SIGXFSZ, SIG_IGN); // a file's size limit stands for the disk's
  rlimit before, limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = {1 << 16, before.rlim_max};
  std::string message;
  try {
    NewFile file(path);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::string large(1 << 17, 'x');
    file.write(large.data(), large.size(), 0);
  } catch (const Error &error) {
    message = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(message, HasSubstr("cannot write " + path + ": File too large"));
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(contents(), "old");
}

TEST_F(NewFileTest, placesThatNoFileMayTakeAreNamed) {
  std::string folder = fs::path(path).parent_path(), pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &place :
       {folder, pipe, std::string("/no/such/folder/x"),
        std::string("/dev/null")}) {
    try {
      NewFile file(place);
      ADD_FAILURE() << place;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot write " + place));
    }
  }
}

} // namespace
