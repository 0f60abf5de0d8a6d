// Writes the artefact behind its ELF image.
#include "ArtifactWriter.h"
#include "cheems/artifact.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

namespace cheems {
namespace {
llvm::ArrayRef<uint8_t> bytesOf(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// Passes bytes on and keeps the checksum of every full or final block.
class BlockChecksums : public llvm::raw_ostream {
public:
  explicit BlockChecksums(llvm::raw_ostream &out) : out(out) {
    SetUnbuffered();
  }
  std::vector<uint64_t> finish() {
    if (!block.empty()) {
      closeBlock();
    }
    return std::move(sums);
  }
  uint64_t size() const { return written; }

private:
  void write_impl(const char *data, size_t size) override {
    out.write(data, size);
    written += size;
    while (size) {
      size_t part =
          std::min<size_t>(size, CHEEMS_ARTIFACT_BLOCK - block.size());
      block.append(data, part);
      data += part;
      size -= part;
      if (block.size() == CHEEMS_ARTIFACT_BLOCK) {
        closeBlock();
      }
    }
  }
  uint64_t current_pos() const override { return written; }
  void closeBlock() {
    sums.push_back(llvm::xxh3_64bits(bytesOf(block)));
    block.clear();
  }

  llvm::raw_ostream &out;
  std::string block;
  std::vector<uint64_t> sums;
  uint64_t written = 0;
};

class Sections {
public:
  Sections(llvm::raw_ostream &os, uint64_t at) : os(os), at(at) {}

  void record(llvm::StringRef name, uint64_t offset, uint64_t size,
              uint64_t checksum) {
    cheems_index_entry entry{};
    std::memcpy(entry.name, name.data(),
                std::min(name.size(), sizeof entry.name - 1));
    entry.offset = offset;
    entry.size = size;
    entry.checksum = checksum;
    entries.push_back(entry);
  }
  void align() {
    uint64_t next = llvm::alignTo(at, CHEEMS_ARTIFACT_ALIGNMENT);
    os.write_zeros(next - at);
    at = next;
  }
  void text(llvm::StringRef name, llvm::StringRef bytes) {
    align();
    record(name, at, bytes.size(), llvm::xxh3_64bits(bytesOf(bytes)));
    write(bytes);
  }
  void write(llvm::StringRef bytes) {
    os << bytes;
    at += bytes.size();
  }

  llvm::raw_ostream &os;
  uint64_t at;
  std::vector<cheems_index_entry> entries;
};

template <typename T> llvm::StringRef rawBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

/// Reads a file piece by piece: a mapping of it would count as our memory.
class ReadBack {
public:
  static llvm::Expected<ReadBack> open(llvm::StringRef path) {
    auto file = llvm::sys::fs::openNativeFileForRead(path);
    if (!file) {
      return llvm::createStringError("cannot read back " + path + ": " +
                                     llvm::toString(file.takeError()));
    }
    return ReadBack(*file);
  }
  ReadBack(ReadBack &&other)
      : file(std::exchange(other.file, llvm::sys::fs::kInvalidFile)) {}
  ~ReadBack() {
    if (file != llvm::sys::fs::kInvalidFile) {
      llvm::sys::fs::closeFile(file);
    }
  }

  /// Whether the bytes there have this checksum.
  bool matches(uint64_t offset, uint64_t size, uint64_t checksum) {
    bytes.resize_for_overwrite(size);
    for (uint64_t done = 0; done < size;) {
      auto count = llvm::sys::fs::readNativeFileSlice(
          file, llvm::MutableArrayRef(bytes).drop_front(done), offset + done);
      if (!count || *count == 0) {
        llvm::consumeError(count.takeError());
        return false;
      }
      done += *count;
    }
    return llvm::xxh3_64bits(bytesOf(
               llvm::StringRef(bytes.data(), bytes.size()))) == checksum;
  }

private:
  explicit ReadBack(llvm::sys::fs::file_t file) : file(file) {}
  llvm::sys::fs::file_t file;
  llvm::SmallVector<char, 0> bytes;
};

/// What a disk wrote is what it reads: every section against the checksum
/// computed on the way in.
llvm::Error verify(llvm::StringRef path, const Sections &sections,
                   llvm::ArrayRef<uint64_t> blocks) {
  auto file = ReadBack::open(path);
  if (!file) {
    return file.takeError();
  }
  for (const cheems_index_entry &entry : sections.entries) {
    bool same = true;
    if (llvm::StringRef(entry.name) != CHEEMS_SECTION_WEIGHTS) {
      same = file->matches(entry.offset, entry.size, entry.checksum);
    } else {
      for (auto [i, sum] : llvm::enumerate(blocks)) {
        uint64_t at = i * CHEEMS_ARTIFACT_BLOCK;
        same &= file->matches(
            entry.offset + at,
            std::min<uint64_t>(CHEEMS_ARTIFACT_BLOCK, entry.size - at), sum);
      }
    }
    if (!same) {
      return llvm::createStringError(
          "section " + llvm::StringRef(entry.name) + " of " + path +
          " does not read back as written; check the disk");
    }
  }
  return llvm::Error::success();
}
} // namespace

llvm::Error
finishArtifact(llvm::StringRef path, const ArtifactTexts &texts,
               llvm::function_ref<llvm::Error(llvm::raw_ostream &)> weights) {
  auto image = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!image) {
    return llvm::createStringError(image.getError(),
                                   "cannot read " + path + ": " +
                                       image.getError().message());
  }
  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::CD_OpenExisting,
                          llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (error) {
    return llvm::createStringError(error, "cannot write " + path + ": " +
                                              error.message());
  }
  // Linux caches what is written at once in pages as large: whole huge pages
  // for most of the file, so that a model that was just compiled has them, too.
  os.SetBufferSize(size_t{16} << 20);
  Sections sections(os, (*image)->getBufferSize());
  sections.record(CHEEMS_SECTION_CODE, 0, sections.at,
                  llvm::xxh3_64bits(bytesOf((*image)->getBuffer())));

  sections.align();
  BlockChecksums blocks(os);
  uint64_t start = sections.at;
  if (llvm::Error failed = weights(blocks)) {
    return failed;
  }
  sections.record(CHEEMS_SECTION_WEIGHTS, start, blocks.size(), 0);
  sections.at += blocks.size();
  std::vector<uint64_t> sums = blocks.finish();

  sections.text(CHEEMS_SECTION_METADATA, texts.metadata);
  sections.text(CHEEMS_SECTION_CONFIG, texts.config);
  std::pair<llvm::StringRef, llvm::StringRef> optional[] = {
      {CHEEMS_SECTION_GENERATION_CONFIG, texts.generationConfig},
      {CHEEMS_SECTION_TOKENIZER, texts.tokenizer},
      {CHEEMS_SECTION_TOKENIZER_CONFIG, texts.tokenizerConfig},
      {CHEEMS_SECTION_CHAT_TEMPLATE, texts.chatTemplate}};
  for (auto [name, text] : optional) {
    if (!text.empty()) {
      sections.text(name, text);
    }
  }
  sections.text(CHEEMS_SECTION_CHECKSUMS, rawBytes(sums));

  sections.align();
  cheems_footer footer{};
  std::memcpy(footer.magic, CHEEMS_ARTIFACT_MAGIC, sizeof footer.magic);
  footer.version = CHEEMS_ARTIFACT_VERSION;
  footer.index_offset = sections.at;
  footer.entry_count = sections.entries.size();
  footer.index_checksum =
      llvm::xxh3_64bits(bytesOf(rawBytes(sections.entries)));
  sections.write(rawBytes(sections.entries));
  footer.file_size = sections.at + sizeof footer;
  llvm::StringRef head(reinterpret_cast<const char *>(&footer),
                       sizeof footer - sizeof footer.footer_checksum);
  footer.footer_checksum = llvm::xxh3_64bits(bytesOf(head));
  os.write(reinterpret_cast<const char *>(&footer), sizeof footer);
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return llvm::createStringError(error, "cannot write " + path + ": " +
                                              error.message());
  }
  return verify(path, sections, sums);
}

} // namespace cheems
