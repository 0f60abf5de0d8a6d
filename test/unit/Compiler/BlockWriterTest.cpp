// The weights' way into the file: pieces of every size, and disks that fail.
#include "lib/Compiler/BlockWriter.h"
#include "cheems/artifact.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

/// The next close tells of bytes that were not stored.
static bool closeFails = false;

extern "C" int close(int file) {
  int result = static_cast<int>(syscall(SYS_close, file));
  if (closeFails) {
    closeFails = false;
    errno = EIO;
    return -1;
  }
  return result;
}

using namespace cheems;

namespace {
std::string failureOf(const char *path) {
  BlockWriter writer(llvm::cantFail(BlockFile::open(path)), 0);
  writer << std::string(40 << 20, 'x');
  auto sums = writer.finish();
  return sums ? "" : llvm::toString(sums.takeError());
}
} // namespace

TEST(BlockWriter, WritesPiecesAndSumsBlocks) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("cheems", "blocks", path));
  llvm::FileRemover remover(path);
  constexpr uint64_t kStart = 4096;
  // Two chunks, a block of the third and a part of a block.
  std::string bytes((33 << 20) + 5, 0);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  }
  BlockWriter writer(llvm::cantFail(BlockFile::open(path)), kStart);
  llvm::StringRef left(bytes);
  for (size_t piece = 1; !left.empty(); piece = piece * 3 + 1) {
    writer << left.take_front(piece);
    left = left.drop_front(std::min(piece, left.size()));
  }
  EXPECT_EQ(writer.size(), bytes.size());
  std::vector<uint64_t> sums = llvm::cantFail(writer.finish());
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->getBuffer().drop_front(kStart) == bytes);
  ASSERT_EQ(sums.size(), 34u);
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(sums[i], llvm::xxh3_64bits(llvm::StringRef(bytes).substr(
                           i * CHEEMS_ARTIFACT_BLOCK, CHEEMS_ARTIFACT_BLOCK)));
  }
}

TEST(BlockWriter, FullDisk) {
  EXPECT_EQ(failureOf("/dev/full"),
            "cannot write /dev/full: No space left on device");
}

TEST(BlockWriter, DiskThatFailsOnClosing) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("cheems", "blocks", path));
  llvm::FileRemover remover(path);
  BlockWriter writer(llvm::cantFail(BlockFile::open(path)), 0);
  writer << "some";
  closeFails = true;
  auto sums = writer.finish();
  closeFails = false;
  ASSERT_FALSE(sums);
  EXPECT_EQ(llvm::toString(sums.takeError()),
            "cannot write " + path.str().str() + ": Input/output error");
}

TEST(BlockWriter, ForgetfulDisk) {
  EXPECT_EQ(failureOf("/dev/zero"),
            "section weights of /dev/zero does not read back as written; "
            "check the disk");
}
