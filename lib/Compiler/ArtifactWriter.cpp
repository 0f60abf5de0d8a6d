// Writes the artefact section by section.
#include "ArtifactWriter.h"
#include "BlockWriter.h"
#include "cheems/artifact.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

namespace cheems {
namespace {
llvm::ArrayRef<uint8_t> bytesOf(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

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

/// Checks that the disk reads what was written: each section against the
/// checksum that was computed while it was written. The checksums of the
/// weights were compared at once.
llvm::Error verify(llvm::StringRef path, const Sections &sections) {
  auto file = BlockFile::open(path);
  if (!file) {
    return file.takeError();
  }
  for (const cheems_index_entry &entry : sections.entries) {
    llvm::StringRef name(entry.name);
    if (name == CHEEMS_SECTION_WEIGHTS) {
      continue;
    }
    if (llvm::Error failed =
            file->check(name, entry.offset, entry.size, entry.checksum)) {
      return failed;
    }
  }
  return llvm::Error::success();
}
} // namespace

llvm::Error
writeArtifact(llvm::StringRef path, llvm::ArrayRef<TargetImage> images,
              const ArtifactTexts &texts,
              llvm::function_ref<llvm::Error(llvm::raw_ostream &)> weights) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::CD_OpenExisting,
                          llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (error) {
    return llvm::createStringError(error, "cannot write " + path + ": " +
                                              error.message());
  }
  Sections sections(os, 0);
  auto writeImages = [&](bool code) { // the file starts with that of CPUs
    for (const TargetImage &each : images) {
      if ((each.section() == CHEEMS_SECTION_CODE) == code) {
        sections.text(each.section(), each.image.bytes);
      }
    }
  };
  writeImages(true);

  sections.align();
  os.flush();
  auto file = BlockFile::open(path);
  if (!file) {
    return file.takeError();
  }
  BlockWriter blocks(std::move(*file), sections.at);
  if (llvm::Error failed = weights(blocks)) {
    return failed;
  }
  auto sums = blocks.finish();
  if (!sums) {
    return sums.takeError();
  }
  sections.record(CHEEMS_SECTION_WEIGHTS, sections.at, blocks.size(), 0);
  sections.at += blocks.size();

  writeImages(false);
  sections.text(CHEEMS_SECTION_METADATA, texts.metadata);
  sections.text(CHEEMS_SECTION_CONFIG, texts.config);
  std::pair<llvm::StringRef, llvm::StringRef> optional[] = {
      {CHEEMS_SECTION_GENERATION_CONFIG, texts.generationConfig},
      {CHEEMS_SECTION_TOKENIZER, texts.tokenizer},
      {CHEEMS_SECTION_TOKENIZER_CONFIG, texts.tokenizerConfig},
      {CHEEMS_SECTION_CHAT_TEMPLATE, texts.chatTemplate},
      {CHEEMS_SECTION_TOOL_USE_TEMPLATE, texts.toolUseTemplate}};
  for (auto [name, text] : optional) {
    if (!text.empty()) {
      sections.text(name, text);
    }
  }
  sections.text(CHEEMS_SECTION_CHECKSUMS, rawBytes(*sums));

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
  return verify(path, sections);
}

} // namespace cheems
