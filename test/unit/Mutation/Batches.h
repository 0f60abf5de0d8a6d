// Runs numbered jobs in child processes, so that a crash or a hang of one is an
// observation.
#ifndef CHEEMS_TEST_UNIT_MUTATION_BATCHES_H
#define CHEEMS_TEST_UNIT_MUTATION_BATCHES_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cheems::test {

/// How a job ended that did not return.
struct Crash {
  int64_t job;
  std::string stage;  ///< what it last noted
  std::string how;    ///< a signal's name, or the exit code
  std::string input;  ///< what it last kept
  std::string frames; ///< innermost first, one per line: object and symbol
};

/// What a job tells about itself while it runs.
class Notes {
public:
  virtual ~Notes() = default;
  virtual void stage(const std::string &name) = 0;
  virtual void keep(const std::string &input) = 0;
  /// Added up over all jobs.
  virtual void count(int64_t sound) = 0;
};

struct Summary {
  std::vector<Crash> crashes;
  int64_t counted = 0;
};

/// Runs `job` for 0 to count - 1, up to `seconds` each, in `processes` children
/// at a time; `start` runs first in every child. This process must not have
/// other threads.
Summary runJobs(int64_t count, unsigned seconds, int processes,
                const std::function<void()> &start,
                const std::function<void(int64_t, Notes &)> &job);

} // namespace cheems::test

#endif
