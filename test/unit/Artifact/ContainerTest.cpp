// Files that lie: each must be refused with the reason, whatever part of it is
// wrong.
#include "runtime/Artifact/Container.h"
#include "FakeArtifact.h"
#include "runtime/Error.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

/// The message that reading `file` ends with, empty when it is accepted.
std::string refusal(const std::string &file, bool weights = false) {
  try {
    Container container = Container::parse(file, "m.cheems");
    container.checkSections();
    auto bad = weights ? container.firstBadBlock() : std::nullopt;
    return bad ? "bad block " + std::to_string(*bad) : "";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::failed);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find("m.cheems: "), 0u);
    return error.what();
  }
}

TEST(Container, soundFileGivesItsSections) {
  FakeArtifact artifact;
  std::string file = artifact.bytes();
  EXPECT_EQ(refusal(file, true), "");
  Container container = Container::parse(file, "m.cheems");
  EXPECT_EQ(container.bytes(CHEEMS_SECTION_CODE), artifact.code);
  EXPECT_EQ(container.bytes(CHEEMS_SECTION_CHAT_TEMPLATE), "{{ messages }}");
  EXPECT_EQ(container.sections().size(), 9u);
  EXPECT_EQ(container.find("nothing"), nullptr);
}

TEST(Container, missingTextsAreEmptyAndUnknownSectionsAreAllowed) {
  FakeArtifact artifact;
  artifact.texts = {{CHEEMS_SECTION_CONFIG, "{}"},
                    {"gpu_image", std::string(5000, 'x')},
                    {"empty", ""}};
  std::string file = artifact.bytes();
  EXPECT_EQ(refusal(file), "");
  EXPECT_EQ(Container::parse(file, "m.cheems").bytes(CHEEMS_SECTION_TOKENIZER),
            "");
  file[entryOf(file, "gpu_image").offset + 100] ^= 1;
  EXPECT_THAT(refusal(file), HasSubstr("section 'gpu_image'"));
}

TEST(Container, everyTruncationIsRefused) {
  std::string file = FakeArtifact().bytes();
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  std::vector<size_t> lengths = {1, 3, 4, 63, 64, 65, 4095, 4096, 4097};
  for (size_t length = 0; length < file.size(); length += 997) {
    lengths.push_back(length);
  }
  for (size_t back = 1; back < 300; ++back) {
    lengths.push_back(file.size() - back);
  }
  for (size_t length : lengths) {
    std::string reason = refusal(file.substr(0, length));
    EXPECT_FALSE(reason.empty()) << length;
    if (length >= 4) {
      EXPECT_THAT(reason, HasSubstr("truncated")) << length;
    }
  }
}

TEST(Container, cutInTheMiddleIsCalledTruncated) {
  std::string file = FakeArtifact().bytes();
  file.erase(8192, 4096);
  EXPECT_THAT(refusal(file), HasSubstr("truncated"));
}

TEST(Container, appendedBytesAreRefused) {
  std::string file = FakeArtifact().bytes();
  EXPECT_NE(refusal(file + "x"), "");
  EXPECT_THAT(refusal(file + file), HasSubstr("corrupted"));
}

TEST(Container, foreignFilesAreNotCheemsFiles) {
  EXPECT_THAT(refusal("hello"), HasSubstr("not a cheems file"));
  EXPECT_THAT(refusal(std::string(100000, 'x')),
              HasSubstr("not a cheems file"));
  EXPECT_THAT(refusal(std::string(100000, '\0')),
              HasSubstr("not a cheems file"));
}

TEST(Container, flippedByteInEachSectionNamesIt) {
  FakeArtifact artifact;
  artifact.weights.resize(100);
  const std::string file = artifact.bytes();
  for (const char *name :
       {CHEEMS_SECTION_CODE, CHEEMS_SECTION_METADATA, CHEEMS_SECTION_CONFIG,
        CHEEMS_SECTION_GENERATION_CONFIG, CHEEMS_SECTION_TOKENIZER,
        CHEEMS_SECTION_TOKENIZER_CONFIG, CHEEMS_SECTION_CHAT_TEMPLATE,
        CHEEMS_SECTION_CHECKSUMS}) {
    cheems_index_entry entry = entryOf(file, name);
    for (uint64_t at : {uint64_t(0), entry.size / 2, entry.size - 1}) {
      std::string broken = file;
      broken[entry.offset + at] ^= 0x10;
      EXPECT_THAT(refusal(broken),
                  HasSubstr("corrupted: section '" + std::string(name) + "'"))
          << at;
    }
  }
}

TEST(Container, flippedByteAnywhereButInTheWeightsIsNoticed) {
  const std::string file = FakeArtifact().bytes();
  cheems_index_entry weights = entryOf(file, CHEEMS_SECTION_WEIGHTS);
  size_t front = footerOf(file).index_offset;
  for (size_t at = 0; at < file.size(); at += at < front ? 61 : 1) {
    if (at >= weights.offset && at < weights.offset + weights.size) {
      continue;
    }
    std::string broken = file;
    broken[at] ^= 0x04;
    EXPECT_NE(refusal(broken), "") << at;
  }
}

TEST(Container, damagedFooterFieldsAreCorruptedNotForeign) {
  const std::string file = FakeArtifact().bytes();
  for (size_t at = file.size() - sizeof(cheems_footer); at < file.size();
       ++at) {
    std::string broken = file;
    broken[at] ^= 0x01;
    EXPECT_THAT(refusal(broken), HasSubstr("corrupted")) << at;
  }
}

TEST(Container, foreignVersionNamesBoth) {
  std::string file = FakeArtifact().bytes();
  cheems_footer footer = footerOf(file);
  footer.version = 7;
  setFooter(file, footer);
  reseal(file);
  EXPECT_THAT(refusal(file), HasSubstr("format version 7"));
  EXPECT_THAT(
      refusal(file),
      HasSubstr("reads version " + std::to_string(CHEEMS_ARTIFACT_VERSION)));
}

TEST(Container, badWeightBlocksAreFoundOnDemand) {
  FakeArtifact artifact;
  artifact.weights.resize(CHEEMS_ARTIFACT_BLOCK / sizeof(float) * 2 + 5);
  const std::string file = artifact.bytes();
  EXPECT_EQ(refusal(file, true), "");
  uint64_t start = entryOf(file, CHEEMS_SECTION_WEIGHTS).offset;
  for (uint64_t block : {0, 1, 2}) {
    std::string broken = file;
    broken[start + block * CHEEMS_ARTIFACT_BLOCK + 7] ^= 1;
    EXPECT_EQ(refusal(broken), "");
    EXPECT_EQ(refusal(broken, true), "bad block " + std::to_string(block));
  }
}

/// An index with right checksums whose entry for `section` was changed.
std::string lie(const std::string &section,
                void (*change)(cheems_index_entry &)) {
  std::string file = FakeArtifact().bytes();
  cheems_index_entry entry = entryOf(file, section);
  change(entry);
  setEntry(file, section, entry);
  return refusal(file);
}

TEST(Container, lyingIndexIsRefused) {
  const char *name = CHEEMS_SECTION_TOKENIZER;
  using Entry = cheems_index_entry;
  EXPECT_THAT(lie(name, [](Entry &e) { e.offset = UINT64_MAX - 10; }),
              HasSubstr("outside the file"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.size = UINT64_MAX; }),
              HasSubstr("outside the file"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.size = UINT64_MAX - e.offset + 2; }),
              HasSubstr("outside the file"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.size += 8192; }),
              HasSubstr("after the one before it"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.offset -= 4096; }),
              HasSubstr("after the one before it"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.offset += 1; }),
              HasSubstr("after the one before it"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.size -= 1; }), HasSubstr("padding"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.checksum ^= 1; }),
              HasSubstr("section 'tokenizer'"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.reserved[1] = 1; }),
              HasSubstr("no valid name"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.name[0] = 0; }),
              HasSubstr("no valid name"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.name[2] = '\n'; }),
              HasSubstr("no valid name"));
  EXPECT_THAT(
      lie(name, [](Entry &e) { std::memset(e.name, 'x', sizeof(e.name)); }),
      HasSubstr("no valid name"));
  EXPECT_THAT(lie(name, [](Entry &e) { e.name[20] = 'x'; }),
              HasSubstr("no valid name"));
  EXPECT_THAT(lie(name,
                  [](Entry &e) {
                    std::strcpy(e.name, "config\0\0");
                    std::memset(e.name + 6, 0, 18);
                  }),
              HasSubstr("two entries"));
  EXPECT_THAT(lie(CHEEMS_SECTION_CONFIG, [](Entry &e) { e.name[0] = 'k'; }),
              HasSubstr("no section 'config'"));
  EXPECT_THAT(lie(CHEEMS_SECTION_WEIGHTS, [](Entry &e) { e.checksum = 1; }),
              HasSubstr("checks the weights"));
  EXPECT_THAT(lie(CHEEMS_SECTION_CHECKSUMS, [](Entry &e) { e.size = 0; }),
              HasSubstr("corrupted"));
}

TEST(Container, lyingFooterIsRefused) {
  auto lieInFooter = [](void (*change)(cheems_footer &)) {
    std::string file = FakeArtifact().bytes();
    cheems_footer footer = footerOf(file);
    change(footer);
    setFooter(file, footer);
    reseal(file);
    return refusal(file);
  };
  using Footer = cheems_footer;
  EXPECT_THAT(
      lieInFooter([](Footer &f) { f.entry_count = UINT64_MAX / 64 + 2; }),
      HasSubstr("index"));
  EXPECT_THAT(lieInFooter([](Footer &f) { f.entry_count = 0; }),
              HasSubstr("index"));
  EXPECT_THAT(lieInFooter([](Footer &f) { f.index_offset = UINT64_MAX - 63; }),
              HasSubstr("index"));
  EXPECT_THAT(
      lieInFooter([](Footer &f) { f.index_offset += 64, f.entry_count -= 1; }),
      HasSubstr("index"));
  EXPECT_THAT(lieInFooter([](Footer &f) { f.reserved = 1; }),
              HasSubstr("footer"));
  EXPECT_THAT(lieInFooter([](Footer &f) { f.file_size += 1; }),
              HasSubstr("truncated"));
}

TEST(Container, codeMustComeFirst) {
  FakeArtifact artifact;
  std::string file = layOut({{"weights", ""},
                             {"code", artifact.code},
                             {"metadata", "{}"},
                             {"config", "{}"},
                             {"checksums", ""}});
  EXPECT_EQ(refusal(file), ""); // an empty section in front moves nothing
  file = layOut({{"weights", "1234"},
                 {"code", artifact.code},
                 {"metadata", "{}"},
                 {"config", "{}"},
                 {"checksums", "12345678"}});
  EXPECT_THAT(refusal(file), HasSubstr("places the code"));
}

} // namespace
