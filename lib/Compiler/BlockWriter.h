// Writes the weight section and its block checksums, and reads back what it
// wrote, beside the thread that packs the weights.
#ifndef CHEEMS_LIB_COMPILER_BLOCKWRITER_H
#define CHEEMS_LIB_COMPILER_BLOCKWRITER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <future>
#include <string>
#include <vector>

namespace cheems {

/// A file that is written and read piece by piece: a mapping of it would count
/// as our memory.
class BlockFile {
public:
  static llvm::Expected<BlockFile> open(llvm::StringRef path);
  BlockFile(BlockFile &&other) noexcept
      : path(std::move(other.path)),
        file(std::exchange(other.file, llvm::sys::fs::kInvalidFile)) {}
  ~BlockFile();

  llvm::Error write(uint64_t offset, llvm::StringRef bytes) const;
  /// Some file systems tell only here that bytes were not stored.
  llvm::Error close();
  /// An error where the bytes there have another checksum.
  llvm::Error check(llvm::StringRef section, uint64_t offset, uint64_t size,
                    uint64_t checksum);

private:
  BlockFile(llvm::StringRef path, llvm::sys::fs::file_t file)
      : path(path), file(file) {}
  std::string path;
  llvm::sys::fs::file_t file;
  llvm::SmallVector<char, 0> bytes;
};

/// Puts what it is given into the file from `start` on. Errors wait until
/// finish().
class BlockWriter : public llvm::raw_ostream {
public:
  BlockWriter(BlockFile file, uint64_t start);
  ~BlockWriter() override;
  /// The checksum of every full or final block.
  llvm::Expected<std::vector<uint64_t>> finish();
  uint64_t size() const { return taken; }

private:
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return taken; }
  void startChunk();
  void endChunk();
  llvm::Error store(uint64_t offset);

  BlockFile file;
  uint64_t next, taken = 0; ///< where the next chunk goes; bytes given
  std::string filling;
  std::future<llvm::Error> chunk; ///< on its way, using the next three
  std::string storing;
  std::vector<uint64_t> sums;
  std::string failure; ///< the first one's message
};

} // namespace cheems

#endif
