// Writes blocks of a file and reads them back.
#include "BlockWriter.h"
#include "cheems/artifact.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

namespace cheems {
namespace {
// Linux caches what is written at once in pages of that size. So most of the
// file is in huge pages, also of a model that was just compiled.
constexpr size_t kChunk = size_t(16) * CHEEMS_ARTIFACT_BLOCK;

uint64_t checksumOf(const char *data, size_t size) {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(data), size));
}
} // namespace

llvm::Expected<BlockFile> BlockFile::open(llvm::StringRef path) {
  auto file = llvm::sys::fs::openNativeFileForReadWrite(
      path, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None);
  if (!file) {
    return llvm::createStringError("cannot write " + path + ": " +
                                   llvm::toString(file.takeError()));
  }
  return BlockFile(path, *file);
}

BlockFile::~BlockFile() {
  if (file != llvm::sys::fs::kInvalidFile) {
    (void)llvm::sys::fs::closeFile(file); // close() tells of failures
  }
}

llvm::Error BlockFile::write(uint64_t offset, llvm::StringRef bytes) const {
  while (!bytes.empty()) {
    ssize_t count = llvm::sys::RetryAfterSignal(
        -1, ::pwrite, file, bytes.data(), bytes.size(), off_t(offset));
    if (count < 0) {
      std::error_code error(errno, std::generic_category());
      return llvm::createStringError(error, "cannot write " + path + ": " +
                                                error.message());
    }
    bytes = bytes.drop_front(count);
    offset += count;
  }
  return llvm::Error::success();
}

llvm::Error BlockFile::close() {
  if (std::error_code error = llvm::sys::fs::closeFile(file)) {
    return llvm::createStringError(error, "cannot write " + path + ": " +
                                              error.message());
  }
  return llvm::Error::success();
}

llvm::Error BlockFile::check(llvm::StringRef section, uint64_t offset,
                             uint64_t size, uint64_t checksum) {
  bytes.resize_for_overwrite(size);
  bool whole = true;
  for (uint64_t done = 0; whole && done < size;) {
    auto count = llvm::sys::fs::readNativeFileSlice(
        file, llvm::MutableArrayRef(bytes).drop_front(done), offset + done);
    whole = count && *count != 0;
    done += whole ? *count : 0;
    llvm::consumeError(count.takeError());
  }
  if (!whole || checksumOf(bytes.data(), size) != checksum) {
    return llvm::createStringError(
        "section " + section + " of " + path +
        " does not read back as written; check the disk");
  }
  return llvm::Error::success();
}

BlockWriter::BlockWriter(BlockFile file, uint64_t start)
    : file(std::move(file)), next(start) {
  SetUnbuffered();
  filling.reserve(kChunk);
  storing.reserve(kChunk);
}

BlockWriter::~BlockWriter() { endChunk(); }

void BlockWriter::write_impl(const char *data, size_t size) {
  taken += size;
  while (size) {
    size_t part = std::min(size, kChunk - filling.size());
    filling.append(data, part);
    data += part;
    size -= part;
    if (filling.size() == kChunk) {
      startChunk();
    }
  }
}

void BlockWriter::startChunk() {
  endChunk();
  if (failure.empty()) {
    std::swap(filling, storing);
    chunk =
        std::async(std::launch::async, [this, at = next] { return store(at); });
    next += storing.size();
  }
  filling.clear();
}

void BlockWriter::endChunk() {
  if (!chunk.valid()) {
    return;
  }
  if (llvm::Error failed = chunk.get()) {
    failure = llvm::toString(std::move(failed));
  }
}

llvm::Error BlockWriter::store(uint64_t offset) {
  if (llvm::Error failed = file.write(offset, storing)) {
    return failed;
  }
  for (size_t at = 0; at < storing.size(); at += CHEEMS_ARTIFACT_BLOCK) {
    size_t size = std::min<size_t>(CHEEMS_ARTIFACT_BLOCK, storing.size() - at);
    sums.push_back(checksumOf(storing.data() + at, size));
    if (llvm::Error failed = file.check(CHEEMS_SECTION_WEIGHTS, offset + at,
                                        size, sums.back())) {
      return failed;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint64_t>> BlockWriter::finish() {
  startChunk();
  endChunk();
  if (!failure.empty()) {
    return llvm::createStringError(failure);
  }
  if (llvm::Error failed = file.close()) {
    return std::move(failed);
  }
  return std::move(sums);
}

} // namespace cheems
