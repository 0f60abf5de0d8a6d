//===- Warnings.h - What is reported and runs on ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SUPPORT_WARNINGS_H
#define CHEEMS_EMULATOR_SUPPORT_WARNINGS_H

#include "Error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace cheems::emulator {

/// The warnings of a grid: Findings about what NVIDIA ships and GPUs run,
/// though the ISA asks for more. A rule is
/// reported once for a statement of the PTX text (and the other access's), of
/// the first cluster that breaks it. So the reports are the same for any number
/// of host threads, each of which may add some.
class Warnings {
public:
  /// `areErrors`: Options::isStrict.
  explicit Warnings(bool areErrors) : areErrors(areErrors) {}

  /// Throws the finding if warnings are errors. `cluster` is the number of the
  /// cluster that runs.
  void add(uint64_t cluster, const Finding &finding);
  /// A cluster has ended with an error: those with higher numbers may not have
  /// run, so what they did is not told.
  void dropAfter(uint64_t cluster);
  /// What was added since the last call, by rule and lines.
  std::vector<Finding> take();

private:
  struct First {
    uint64_t cluster;
    std::optional<Finding> finding; ///< none: it was taken
  };
  using Key = std::tuple<std::string, int, int>; ///< rule, line, other line

  const bool areErrors;
  std::mutex mutex;
  std::map<Key, First> firsts;
};

} // namespace cheems::emulator

#endif
