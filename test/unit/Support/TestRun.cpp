// Reads the environment.
#include "test/unit/Support/TestRun.h"
#include <cstdlib>

namespace cheems::test {

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::stoull(text) : otherwise;
}

bool isLongRun() { return std::getenv("CHEEMS_TEST_LONG") != nullptr; }

uint64_t testSeed() { return setting("CHEEMS_TEST_SEED", 1); }

bool isDrawn(uint64_t number, uint64_t share) {
  return isLongRun() || (number + testSeed()) % share == 0;
}

/// FNV-1a: the same in every build, so that a seed repeats a run.
bool isDrawn(const std::string &name, uint64_t share) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char letter : name) {
    hash = (hash ^ letter) * 0x100000001b3;
  }
  return isDrawn(hash % share, share);
}

} // namespace cheems::test
