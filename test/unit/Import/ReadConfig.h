// config.json on its own, for tests of its fields.
#ifndef CHEEMS_TEST_UNIT_IMPORT_READCONFIG_H
#define CHEEMS_TEST_UNIT_IMPORT_READCONFIG_H

#include "cheems/Import/Error.h"
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Json.h"
#include "gtest/gtest.h"

namespace cheems::test {

struct Read {
  std::optional<DogeLikeFields> config;
  std::string error;
  bool unsupported = false;
  std::vector<std::string> warnings;
};

/// Reads an object whose braces are left out.
inline Read read(const std::string &fields,
                 const DogeLikeKind &kind = dogeKind()) {
  Read result;
  auto object = parseJsonObject(spellFloats("{" + fields + "}"), "config.json");
  if (!object) {
    result.error = llvm::toString(object.takeError());
    return result;
  }
  auto warn = [&](llvm::StringRef warning) {
    result.warnings.push_back(warning.str());
  };
  auto config = readDogeLike(
      {*object, "config.json", kind.modelType, /*leastLayers=*/1, warn}, kind);
  if (config) {
    result.config = std::move(*config);
  } else {
    result.unsupported = config.errorIsA<UnsupportedError>();
    result.error = llvm::toString(config.takeError());
    EXPECT_EQ(result.error.find('\n'), std::string::npos) << result.error;
    EXPECT_EQ(result.error.find("config.json: "), 0u) << result.error;
  }
  return result;
}

} // namespace cheems::test

#endif
