// A checkpoint, what it is compiled to, and the two held against each other.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_COMPARED_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_COMPARED_H

#include "Agreement.h"
#include <filesystem>

namespace cheems::test {

/// What cheems-compile is told.
struct Build {
  std::string pipeline = "fast", cpu = "native", kv = "stored",
              weights = "stored";
  int64_t expertGroup = 0;
};

class Compared {
public:
  /// Compiles the model in a folder. Throws std::runtime_error.
  Compared(const std::filesystem::path &model, const Build &build,
           const std::filesystem::path &scratch);

  const Checkpoint &checkpoint() const { return *opened; }
  const std::string &artefact() const { return path; }
  const std::string &variant() const { return chosen; }
  /// What the artefact rounds to bf16, of a bf16 checkpoint, and to quantized
  /// values.
  reference::Rounding rounding() const;
  Evaluator evaluator() const { return {*opened, rounding()}; }

  /// Runs sequences of one length in steps of `chunk` rows and expects each to
  /// agree on its firm rows. Ties that were found to have gone the other way
  /// stay so. Of the sequences the one that comes nearest to its bound.
  Evaluator::Agreement run(std::vector<Sequence> &sequences, int64_t chunk,
                           int64_t threads) const;

  /// What evaluator() says of the keys and values that are stored when a
  /// sequence has run so; none of them may have been dropped.
  Evaluator::Turned turnedEntries(const std::vector<int64_t> &ids,
                                  int64_t chunk, int64_t threads) const;

private:
  std::filesystem::path scratch;
  Build build;
  std::unique_ptr<Checkpoint> opened;
  std::string path, chosen;
};

} // namespace cheems::test

#endif
