#include "FakeArtifact.h"
#include "cheems/abi.h"
#include "test/unit/Support/TestPaths.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <xxhash.h>

using nlohmann::json;

namespace cheems::test {

static uint64_t hash(const char *data, size_t size) {
  return XXH3_64bits(data, size);
}

json fakeMetadata() {
  json workspace = {100, 64, 64};
  return {
      {"abi", CHEEMS_ABI_VERSION},
      {"state_layout", CHEEMS_STATE_LAYOUT_VERSION},
      {"compiler", "cheems 0.1.0 test"},
      {"model_type", "fake"},
      {"vocab_size", fakeVocabulary},
      {"hidden_size", 8},
      {"layers", 1},
      {"heads", 1},
      {"experts_per_token", 0},
      {"max_position_embeddings", 32},
      {"context",
       {{"default", 32},
        {"trained", 32},
        {"rope", "default"},
        {"factor", 1.0}}},
      {"keep_window", 0},
      {"block", 4},
      {"precision", "f32"},
      {"kv_type", "f32"},
      {"weights", "f32"},
      {"bos_token_id", 1},
      {"eos_token_ids", {2, 3}},
      {"pad_token_id", nullptr},
      {"images",
       {{{"target", "cpu"},
         {"section", "code"},
         {"cpu", "x86-64"},
         {"features", {"sse2"}},
         {"variants",
          {{{"name", "only"},
            {"features", {"sse2"}},
            {"wants", json::array()},
            {"general", "cheems_step_any"},
            {"decode", "cheems_step_decode"},
            {"workspace", {{"general", workspace}, {"decode", workspace}}}}}},
         {"marks",
          {{"general", {"first", "second"}},
           {"decode", {"first", "second"}}}}}}},
      {"state",
       {{{"name", "tokens"},
         {"role", "positions"},
         {"type", "i32"},
         {"shape", {"slots", 1, 1, "capacity"}}}}},
      {"parameters",
       {{{"name", "w"},
         {"use", "vector"},
         {"type", "f32"},
         {"shape", {2}},
         {"offset", 0}}}},
      {"pipeline", "scalar"},
      {"warnings", json::array()}};
}

FakeArtifact::FakeArtifact()
    : texts({{CHEEMS_SECTION_CONFIG, "{\"model_type\": \"fake\"}"},
             {CHEEMS_SECTION_GENERATION_CONFIG, "{}"},
             {CHEEMS_SECTION_TOKENIZER, "{\"version\": \"1.0\"}"},
             {CHEEMS_SECTION_TOKENIZER_CONFIG, "{\"bos\": 1}"},
             {CHEEMS_SECTION_CHAT_TEMPLATE, "{{ messages }}"}}) {
  std::ifstream file(cheems::test_paths::fakeModel, std::ios::binary);
  code.assign(std::istreambuf_iterator<char>(file), {});
  if (code.empty()) {
    throw std::runtime_error(std::string("cannot read ") +
                             cheems::test_paths::fakeModel);
  }
}

std::string FakeArtifact::bytes() const {
  std::string weightBytes(reinterpret_cast<const char *>(weights.data()),
                          weights.size() * sizeof(float)),
      checksums;
  for (size_t at = 0; at < weightBytes.size(); at += CHEEMS_ARTIFACT_BLOCK) {
    uint64_t sum =
        hash(weightBytes.data() + at,
             std::min<size_t>(CHEEMS_ARTIFACT_BLOCK, weightBytes.size() - at));
    checksums.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
  }
  std::vector<std::pair<std::string, std::string>> sections = {
      {CHEEMS_SECTION_CODE, code},
      {CHEEMS_SECTION_WEIGHTS, weightBytes},
      {CHEEMS_SECTION_METADATA, metadata.dump()}};
  sections.insert(sections.end(), texts.begin(), texts.end());
  sections.emplace_back(CHEEMS_SECTION_CHECKSUMS, checksums);
  return layOut(sections);
}

std::string
layOut(const std::vector<std::pair<std::string, std::string>> &sections) {
  std::string file, index;
  auto pad = [&] {
    file.resize((file.size() + CHEEMS_ARTIFACT_ALIGNMENT - 1) /
                CHEEMS_ARTIFACT_ALIGNMENT * CHEEMS_ARTIFACT_ALIGNMENT);
  };
  for (const auto &[name, bytes] : sections) {
    pad();
    cheems_index_entry entry = {};
    name.copy(entry.name, sizeof(entry.name) - 1);
    entry.offset = file.size();
    entry.size = bytes.size();
    entry.checksum =
        name == CHEEMS_SECTION_WEIGHTS ? 0 : hash(bytes.data(), bytes.size());
    index.append(reinterpret_cast<const char *>(&entry), sizeof(entry));
    file += bytes;
  }
  pad();
  cheems_footer footer = {};
  std::memcpy(footer.magic, CHEEMS_ARTIFACT_MAGIC, sizeof(footer.magic));
  footer.version = CHEEMS_ARTIFACT_VERSION;
  footer.index_offset = file.size();
  footer.entry_count = sections.size();
  footer.file_size = file.size() + index.size() + sizeof(footer);
  file += index;
  file.append(reinterpret_cast<const char *>(&footer), sizeof(footer));
  reseal(file);
  return file;
}

cheems_footer footerOf(const std::string &file) {
  cheems_footer footer;
  std::memcpy(&footer, file.data() + file.size() - sizeof(footer),
              sizeof(footer));
  return footer;
}

void setFooter(std::string &file, const cheems_footer &footer) {
  std::memcpy(file.data() + file.size() - sizeof(footer), &footer,
              sizeof(footer));
}

void reseal(std::string &file) {
  cheems_footer footer = footerOf(file);
  size_t end = file.size() - sizeof(footer);
  if (footer.index_offset <= end) {
    footer.index_checksum =
        hash(file.data() + footer.index_offset, end - footer.index_offset);
  }
  footer.footer_checksum = hash(reinterpret_cast<const char *>(&footer),
                                offsetof(cheems_footer, footer_checksum));
  setFooter(file, footer);
}

static size_t placeOf(const std::string &file, const std::string &section) {
  cheems_footer footer = footerOf(file);
  for (uint64_t i = 0; i < footer.entry_count; ++i) {
    size_t place = footer.index_offset + i * sizeof(cheems_index_entry);
    if (section == file.data() + place) {
      return place;
    }
  }
  throw std::runtime_error("no section " + section);
}

cheems_index_entry entryOf(const std::string &file,
                           const std::string &section) {
  cheems_index_entry entry;
  std::memcpy(&entry, file.data() + placeOf(file, section), sizeof(entry));
  return entry;
}

void setEntry(std::string &file, const std::string &section,
              const cheems_index_entry &entry) {
  std::memcpy(file.data() + placeOf(file, section), &entry, sizeof(entry));
  reseal(file);
}

TemporaryFile::TemporaryFile(const std::string &bytes) {
  folder =
      (std::filesystem::temp_directory_path() / "cheems-test-XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    throw std::runtime_error("cannot make " + folder);
  }
  file = folder + "/model.cheems";
  std::ofstream(file, std::ios::binary) << bytes;
}

TemporaryFile::~TemporaryFile() { std::filesystem::remove_all(folder); }

} // namespace cheems::test
