#include "runtime/Artifact/Container.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <set>
#include <xxhash.h>

using namespace cheems;

namespace {

constexpr uint64_t alignment = CHEEMS_ARTIFACT_ALIGNMENT;
constexpr uint64_t blockSize = CHEEMS_ARTIFACT_BLOCK;

// More entries than any file has use for; keeps a lying count from costing
// memory.
constexpr uint64_t maxEntries = 4096;

uint64_t hash(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t alignUp(uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool isZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char byte) { return byte == 0; });
}

/// The file has no footer: was it one of ours before it was cut short?
bool looksTruncated(std::string_view file) {
  Elf64_Ehdr header;
  if (file.size() < 4 || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    return false;
  }
  if (file.size() < sizeof(header)) {
    return true;
  }
  std::memcpy(&header, file.data(), sizeof(header));
  bool sectionsMissing = header.e_shoff > file.size() ||
                         uint64_t(header.e_shnum) * header.e_shentsize >
                             file.size() - header.e_shoff;
  // The symbol names of our entries lie near the front of the image.
  return sectionsMissing ||
         file.substr(0, 1 << 16).find(CHEEMS_ARTIFACT_ENTRY_PREFIX) !=
             std::string_view::npos;
}

std::string number(uint64_t value) { return std::to_string(value); }

} // namespace

static cheems_footer readFooter(std::string_view file,
                                const std::string &name) {
  cheems_footer footer;
  if (file.empty()) {
    throw DamagedFile(name + ": the file is empty");
  }
  bool hasFooter = file.size() > sizeof(footer);
  if (hasFooter) {
    std::memcpy(&footer, file.data() + file.size() - sizeof(footer),
                sizeof(footer));
  }
  std::string_view checked =
      file.substr(hasFooter ? file.size() - sizeof(footer) : 0,
                  offsetof(cheems_footer, footer_checksum));
  bool sound = hasFooter && footer.footer_checksum == hash(checked);
  if (!hasFooter || std::memcmp(footer.magic, CHEEMS_ARTIFACT_MAGIC,
                                sizeof(footer.magic)) != 0) {
    if (hasFooter && footer.file_size == file.size()) {
      throw DamagedFile(name +
                        ": corrupted: the footer's magic is damaged; compile "
                        "or copy it again");
    }
    if (looksTruncated(file)) {
      throw DamagedFile(name + ": truncated: the last part is missing (" +
                        number(file.size()) +
                        " bytes are there); compile or copy it again");
    }
    throw DamagedFile(name + ": not a cheems file (no footer at its end)");
  }
  // A damaged version is told from a foreign one by the checksum, whose offset
  // is the same in all versions.
  if (sound && footer.version != CHEEMS_ARTIFACT_VERSION) {
    throw DamagedFile(
        name + ": format version " + number(footer.version) +
        ", but this runtime reads version " + number(CHEEMS_ARTIFACT_VERSION) +
        "; compile the model again with the matching cheems-compile");
  }
  if (!sound || footer.reserved != 0 || footer.reserved_zero != 0) {
    throw DamagedFile(name +
                      ": corrupted: the footer does not match its checksum; "
                      "compile or copy it again");
  }
  if (footer.file_size != file.size()) {
    throw DamagedFile(
        name +
        (file.size() < footer.file_size ? ": truncated: " : ": corrupted: ") +
        "it should have " + number(footer.file_size) + " bytes and has " +
        number(file.size()) + "; compile or copy it again");
  }
  return footer;
}

Container Container::parse(std::string_view file, const std::string &name) {
  cheems_footer footer = readFooter(file, name);
  auto corrupted = [&](const std::string &what) {
    return DamagedFile(name + ": corrupted: " + what +
                       "; compile or copy it again");
  };
  uint64_t end = file.size() - sizeof(cheems_footer);
  if (footer.entry_count > maxEntries || footer.index_offset > end ||
      end - footer.index_offset !=
          footer.entry_count * sizeof(cheems_index_entry) ||
      footer.index_offset % alignment != 0) {
    throw corrupted("the index is not right before the footer");
  }
  std::string_view index =
      file.substr(footer.index_offset, end - footer.index_offset);
  if (hash(index) != footer.index_checksum) {
    throw corrupted("the index does not match its checksum");
  }

  Container container;
  container.fileName = name;
  uint64_t next = 0;
  std::set<std::string> names;
  for (uint64_t i = 0; i < footer.entry_count; ++i) {
    cheems_index_entry entry;
    std::memcpy(&entry, index.data() + i * sizeof(entry), sizeof(entry));
    std::string section(entry.name, strnlen(entry.name, sizeof(entry.name)));
    std::string_view padding(entry.name + section.size(),
                             sizeof(entry.name) - section.size());
    bool plain = !section.empty() &&
                 std::all_of(section.begin(), section.end(),
                             [](char c) { return c > ' ' && c < 127; });
    if (!plain || padding.empty() || !isZero(padding) ||
        entry.reserved[0] != 0 || entry.reserved[1] != 0) {
      throw corrupted("index entry " + number(i) + " has no valid name");
    }
    if (!names.insert(section).second) {
      throw corrupted("the index has two entries '" + section + "'");
    }
    if (entry.offset > footer.index_offset ||
        entry.size > footer.index_offset - entry.offset) {
      throw corrupted("section '" + section + "' reaches outside the file");
    }
    if (entry.offset != alignUp(next)) {
      throw corrupted("section '" + section +
                      "' is not at the next multiple of " + number(alignment) +
                      " after the one before it");
    }
    if (!isZero(file.substr(next, entry.offset - next))) {
      throw corrupted("the padding before section '" + section +
                      "' is not zero");
    }
    next = entry.offset + entry.size;
    container.table.push_back({section, entry.offset,
                               file.substr(entry.offset, entry.size),
                               entry.checksum});
  }
  if (footer.index_offset != alignUp(next)) {
    throw corrupted("the index is not at the next multiple of " +
                    number(alignment) + " after the sections");
  }
  if (!isZero(file.substr(next, footer.index_offset - next))) {
    throw corrupted("the padding before the index is not zero");
  }

  for (const char *required :
       {CHEEMS_SECTION_WEIGHTS, CHEEMS_SECTION_METADATA, CHEEMS_SECTION_CONFIG,
        CHEEMS_SECTION_CHECKSUMS}) {
    if (!container.find(required)) {
      throw corrupted(std::string("the index has no section '") + required +
                      "'");
    }
  }
  const Section &weights = *container.find(CHEEMS_SECTION_WEIGHTS);
  const Section *code = container.find(CHEEMS_SECTION_CODE);
  if ((code && code->offset != 0) || weights.checksum != 0) {
    throw corrupted(
        "the index places the code or checks the weights in an unknown way");
  }
  uint64_t blocks = weights.bytes.size() / blockSize +
                    (weights.bytes.size() % blockSize != 0);
  if (container.find(CHEEMS_SECTION_CHECKSUMS)->bytes.size() !=
      blocks * sizeof(uint64_t)) {
    throw corrupted("section 'checksums' does not fit the weights");
  }
  return container;
}

const Section *Container::find(std::string_view name) const {
  for (const Section &section : table) {
    if (section.name == name) {
      return &section;
    }
  }
  return nullptr;
}

std::string_view Container::bytes(std::string_view name) const {
  const Section *section = find(name);
  return section ? section->bytes : std::string_view();
}

void Container::checkSections() const {
  std::vector<std::string> order = {CHEEMS_SECTION_CODE,
                                    CHEEMS_SECTION_TOKENIZER,
                                    CHEEMS_SECTION_TOKENIZER_CONFIG,
                                    CHEEMS_SECTION_CHAT_TEMPLATE,
                                    CHEEMS_SECTION_TOOL_USE_TEMPLATE,
                                    CHEEMS_SECTION_CONFIG,
                                    CHEEMS_SECTION_GENERATION_CONFIG};
  for (const Section &section : table) {
    if (section.name != CHEEMS_SECTION_WEIGHTS &&
        std::find(order.begin(), order.end(), section.name) == order.end()) {
      order.push_back(section.name);
    }
  }
  for (const std::string &name : order) {
    const Section *section = find(name);
    if (section && hash(section->bytes) != section->checksum) {
      throw DamagedFile(
          fileName + ": corrupted: section '" + name +
          "' does not match its checksum; compile or copy it again");
    }
  }
}

std::optional<uint64_t>
Container::firstBadBlock(const std::function<bool()> &interrupted) const {
  std::string_view weights = bytes(CHEEMS_SECTION_WEIGHTS),
                   checksums = bytes(CHEEMS_SECTION_CHECKSUMS);
  for (uint64_t block = 0; block * blockSize < weights.size(); ++block) {
    if (interrupted && interrupted()) {
      throw Error(Status::interrupted, "interrupted");
    }
    uint64_t expected;
    std::memcpy(&expected, checksums.data() + block * sizeof(expected),
                sizeof(expected));
    if (hash(weights.substr(block * blockSize, blockSize)) != expected) {
      return block;
    }
  }
  return std::nullopt;
}
