// Files appear under their names whole and on the disk, or not at all.
#include "lib/Support/TemporaryFile.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

/// Asked before a file or folder goes to the disk: what fsync returns then.
static std::function<int(int)> onSync;

extern "C" int fsync(int file) {
  if (int error = onSync ? onSync(file) : 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, file));
}

using cheems::TemporaryFile;
using cheems::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

class TemporaryFileTest : public testing::Test {
protected:
  TemporaryFolder folder;
  std::string target = folder.path / "50%" / "a%b";

  TemporaryFileTest() { fs::create_directory(folder.path / "50%"); }
  ~TemporaryFileTest() override { onSync = nullptr; }

  TemporaryFile write() const {
    auto file = TemporaryFile::create(target + ".", ".tmp");
    EXPECT_TRUE(file) << file.getError().message();
    std::ofstream(file->path()) << "bytes";
    return std::move(*file);
  }
  long files() const {
    return std::distance(fs::directory_iterator(folder.path / "50%"), {});
  }
};

TEST_F(TemporaryFileTest, IsOnTheDiskBeforeItHasItsName) {
  std::vector<bool> isFolder, isThere;
  onSync = [&](int file) {
    struct stat status = {};
    EXPECT_EQ(fstat(file, &status), 0);
    isFolder.push_back(S_ISDIR(status.st_mode));
    isThere.push_back(fs::exists(target));
    return 0;
  };
  TemporaryFile file = write();
  EXPECT_FALSE(file.keep(target));
  EXPECT_EQ(isFolder, (std::vector<bool>{false, true}));
  EXPECT_EQ(isThere, (std::vector<bool>{false, true}));
  std::ifstream kept(target);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "bytes");
  EXPECT_EQ(files(), 1);
}

TEST_F(TemporaryFileTest, ADiskThatFailsLeavesNothing) {
  onSync = [](int) { return EIO; };
  {
    TemporaryFile file = write();
    EXPECT_EQ(file.keep(target), std::errc::io_error);
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(TemporaryFileTest, GoesAwayUnlessKept) {
  {
    TemporaryFile file = write(), other = write();
    EXPECT_NE(file.path(), other.path());
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(TemporaryFileTest, NeedsAFolder) {
  auto file = TemporaryFile::create(target + "/no/folder.", ".tmp");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.getError(), std::errc::no_such_file_or_directory);
}

} // namespace
