// Builds artefacts around the stand-in model, sound ones and broken ones.
#ifndef CHEEMS_TEST_UNIT_ARTIFACT_FAKEARTIFACT_H
#define CHEEMS_TEST_UNIT_ARTIFACT_FAKEARTIFACT_H

#include "cheems/artifact.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace cheems::test {

constexpr int64_t fakeVocabulary = 16;

/// Metadata of FakeModel.c: a context of 32, every key kept.
nlohmann::json fakeMetadata();

/// What goes into a file; a default one is sound.
struct FakeArtifact {
  nlohmann::json metadata = fakeMetadata();
  std::vector<float> weights = {0.5f, 0.0f}; ///< see FakeModel.c
  std::string code;                          ///< the stand-in's shared object
  std::vector<std::pair<std::string, std::string>> texts;
  FakeArtifact();
  /// The file's bytes.
  std::string bytes() const;
};

/// Lays out sections as include/cheems/artifact.h says, checksums included.
std::string
layOut(const std::vector<std::pair<std::string, std::string>> &sections);
/// Recomputes the checksums of index and footer after an edit, so that only the
/// edit itself is wrong.
void reseal(std::string &file);

cheems_footer footerOf(const std::string &file);
void setFooter(std::string &file, const cheems_footer &footer);
cheems_index_entry entryOf(const std::string &file, const std::string &section);
void setEntry(std::string &file, const std::string &section,
              const cheems_index_entry &entry);

/// A file in a folder of its own that goes away with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &bytes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const std::string &path() const { return file; }

private:
  std::string folder, file;
};

} // namespace cheems::test

#endif
