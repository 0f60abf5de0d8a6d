// Files that appear whole or not at all.
#include "runtime/Process/NewFile.h"
#include "../Artifact/FakeArtifact.h"
#include "runtime/Process/Interrupt.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// How often the mask of the process was changed.
static int maskChanges = 0;

extern "C" mode_t umask(mode_t mask) noexcept {
  ++maskChanges;
  return static_cast<mode_t>(syscall(SYS_umask, mask));
}

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

void replace(const std::string &path, const std::string &bytes) {
  NewFile file(path);
  file.write(bytes.data(), bytes.size(), 0);
  file.finish();
}

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

TEST_F(NewFileTest, aSecondSignalLeavesNoTemporaryFile) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    interrupt::install();
    NewFile file(path), other(path);
    replace(path, "new"); // no longer to be removed
    raise(SIGTERM);
    raise(SIGTERM); // ends the process at once
    _exit(0);
  }
  int state = -1;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 128 + SIGTERM);
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(contents(), "new");
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

/// The permissions of a file.
mode_t modeOf(const std::string &path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

TEST_F(NewFileTest, theMaskOfTheProcessIsAppliedAndNotTouched) {
  mode_t before = umask(0);
  for (mode_t mask : {0, 022, 027, 077}) {
    umask(mask);
    fs::remove(path);
    int changes = maskChanges;
    replace(path, "new");
    EXPECT_EQ(maskChanges, changes); // it is that of all threads
    EXPECT_EQ(modeOf(path), 0666 & ~mask);
  }
  umask(before);
}

TEST_F(NewFileTest, permissionsOfTheOldOneStay) {
  for (mode_t mode : {0600, 0640, 0666}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    NewFile file(path);
    file.finish();
    EXPECT_EQ(modeOf(path), mode);
  }
}

TEST_F(NewFileTest, linksStayAndLeadToTheNewFile) {
  fs::path folder = fs::path(path).parent_path(), other = folder / "other";
  fs::create_directory(other);
  fs::create_symlink(path, other / "whole");
  fs::create_symlink("whole", other / "chain");
  fs::create_symlink("../absent", other / "dangling");
  replace(other / "chain", "by a chain");
  EXPECT_EQ(contents(), "by a chain");
  replace(other / "dangling", "by a link to nothing");
  path = folder / "absent";
  EXPECT_EQ(contents(), "by a link to nothing");
  for (const char *link : {"whole", "chain", "dangling"}) {
    EXPECT_TRUE(fs::is_symlink(other / link)) << link;
  }
  EXPECT_EQ(files(), 3); // the two, and the folder of links
  EXPECT_EQ(std::distance(fs::directory_iterator(other), {}), 3);
}

TEST_F(NewFileTest, linksThatLeadNowhereAreRefused) {
  fs::path folder = fs::path(path).parent_path();
  fs::create_symlink("circle", folder / "circle");
  fs::create_symlink("no/such/folder", folder / "lost");
  for (const char *link : {"circle", "lost"}) {
    EXPECT_THROW(NewFile(folder / link), Error) << link;
    EXPECT_TRUE(fs::is_symlink(folder / link)) << link;
  }
}

TEST_F(NewFileTest, anEmptyNameIsRefusedAtOnce) {
  try {
    NewFile file("");
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot write '': No such file"));
  }
}

TEST_F(NewFileTest, placesThatNoFileMayTakeAreNamed) {
  std::string folder = fs::path(path).parent_path(), pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &place :
       {folder, pipe, std::string("/no/such/folder/x"),
        std::string("/dev/zero")}) {
    try {
      NewFile file(place);
      ADD_FAILURE() << place;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot write " + place));
    }
  }
}

} // namespace
