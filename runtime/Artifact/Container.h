// The outer layer of a compiled file: footer, index, sections, checksums. Works
// on bytes in memory; runs nothing.
#ifndef CHEEMS_RUNTIME_ARTIFACT_CONTAINER_H
#define CHEEMS_RUNTIME_ARTIFACT_CONTAINER_H

#include "cheems/artifact.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

struct Section {
  std::string name;
  uint64_t offset;
  std::string_view bytes;
  uint64_t checksum;
};

class Container {
public:
  /// Checks the footer and the index of `file` (include/cheems/artifact.h) and
  /// keeps views into it. `name` starts every message. Throws DamagedFile: not
  /// a cheems file, truncated, corrupted, foreign version.
  static Container parse(std::string_view file, const std::string &name);

  /// Null when the file has none of this name.
  const Section *find(std::string_view name) const;
  /// The bytes of a section, empty when there is none.
  std::string_view bytes(std::string_view name) const;
  /// Ascending by offset.
  const std::vector<Section> &sections() const { return table; }

  /// Reads every section but the weights: code, tokenizer files, configuration
  /// files, then the rest. Throws DamagedFile naming the first corrupted one.
  void checkSections() const;
  /// Reads the weights; the first bad block, counted from 0, or nothing when
  /// all are good. `interrupted` is asked before each; throws Error.
  std::optional<uint64_t>
  firstBadBlock(const std::function<bool()> &interrupted = nullptr) const;

private:
  std::string fileName;
  std::vector<Section> table;
};

} // namespace cheems

#endif
