// Footer, index and metadata of a compiled file, from memory. The first byte
// says which: 'r' a whole file as it is, 'i' an index to which body and right
// checksums are made, so that mutations get past them, else metadata.
#include "runtime/Artifact/Container.h"
#include "runtime/Artifact/CpuImage.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/Artifact/StepCost.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cstring>
#include <xxhash.h>

using namespace cheems;

static void readContainer(std::string_view file) {
  Container container = Container::parse(file, "fuzz");
  uint64_t bytes = 0;
  for (const Section &section : container.sections()) {
    bytes += section.bytes.size();
  }
  if (bytes > file.size()) {
    __builtin_trap(); // sections overlap
  }
  container.firstBadBlock();
  container.checkSections();
}

/// A body of zeros up to the multiple of 4096 after the last byte the index
/// names, within reason.
static std::string fileAround(std::string_view entries) {
  entries = entries.substr(0, entries.size() / sizeof(cheems_index_entry) *
                                  sizeof(cheems_index_entry));
  uint64_t end = 0;
  for (size_t at = 0; at < entries.size(); at += sizeof(cheems_index_entry)) {
    cheems_index_entry entry;
    std::memcpy(&entry, entries.data() + at, sizeof(entry));
    end = std::max(end, entry.offset % 65536 + entry.size % 65536);
  }
  std::string file((end + CHEEMS_ARTIFACT_ALIGNMENT - 1) /
                       CHEEMS_ARTIFACT_ALIGNMENT * CHEEMS_ARTIFACT_ALIGNMENT,
                   '\0');
  cheems_footer footer = {};
  std::memcpy(footer.magic, CHEEMS_ARTIFACT_MAGIC, sizeof(footer.magic));
  footer.version = CHEEMS_ARTIFACT_VERSION;
  footer.index_offset = file.size();
  footer.entry_count = entries.size() / sizeof(cheems_index_entry);
  footer.index_checksum = XXH3_64bits(entries.data(), entries.size());
  footer.file_size = file.size() + entries.size() + sizeof(footer);
  footer.footer_checksum =
      XXH3_64bits(&footer, offsetof(cheems_footer, footer_checksum));
  file += entries;
  return file.append(reinterpret_cast<const char *>(&footer), sizeof(footer));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  // A copy of exactly this size, so that reading past its end is noticed.
  std::string_view input(reinterpret_cast<const char *>(data) + 1, size - 1);
  try {
    if (data[0] == 'r') {
      readContainer(input);
    } else if (data[0] == 'i') {
      readContainer(fileAround(input));
    } else {
      Metadata metadata = Metadata::parse(input, 1 << 20, "fuzz");
      PoolSizes sizes(metadata.capacity(metadata.defaultContext),
                      metadata.ring(metadata.defaultContext, 512));
      for (const StateKind &kind : metadata.state) {
        kind.slotBytes(sizes);
      }
      if (const ImageEntry *cpu = metadata.image(CpuImage::target)) {
        for (const Variant &variant : CpuImage::parse(*cpu, "fuzz").variants) {
          variant.generalWorkspace.bytes(512, 4);
        }
      }
      (void)StepCost(metadata);
    }
  } catch (const Error &) { // the only exception that may leave
  }
  return 0;
}
