// One test: a prompt to process or tokens to generate, timed again and again.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_TESTS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_TESTS_H

#include "Options.h"
#include "runtime/Artifact/Model.h"
#include "runtime/Artifact/StepCost.h"
#include "runtime/Session/Session.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cheems::bench {

struct Test {
  bool prompt = true; ///< else generation
  int64_t tokens = 0; ///< of each sequence
  int64_t depth = 0;  ///< tokens each sequence has before
  int64_t sequences = 1;
  int threads = 0;     ///< 0: the cores
  bool greedy = false; ///< generation chooses the tokens that it feeds

  /// "pp512", "tg128 b8 @ d512", "tg128 greedy".
  std::string name() const;
};

/// What came out; tokens, bytes and operations are those of one repetition.
struct Timing {
  std::string test;
  int64_t tokens = 0; ///< of all sequences
  int64_t depth = 0, sequences = 1;
  int threads = 0;
  bool prompt = false, greedy = false;
  std::vector<double> seconds; ///< a repetition each
  int64_t bytes = 0;
  double operations = 0;
  int64_t peakMemory = 0; ///< of this process for this model so far, in bytes

  double medianSeconds() const;
  /// Mean and deviation of `amount` a second.
  double rate(double amount) const;
  double deviation(double amount) const;
};

/// All tests that the options ask for, in llama-bench's order.
std::vector<Test> testsOf(const Options &options);

/// Runs it once, then as often as asked for, each time from the same state. The
/// tokens are random and the same in every process, or the model's. Throws
/// Error.
Timing runTest(const std::shared_ptr<const Model> &model, const Test &test,
               const Options &options,
               const std::function<void(const std::string &)> &warn);

/// Adds up the steps of a repetition as a session makes them that feeds prompts
/// in chunks.
void addCosts(const StepCost &cost, const Test &test, int64_t chunk,
              Timing &timing);

/// Runs it once; `begin` is called when the sequences have the test's depth.
/// Throws Error.
void runOnce(const std::shared_ptr<const Model> &model, const Test &test,
             const Options &options,
             const std::function<void(const std::string &)> &warn,
             const std::function<void(const Session &)> &begin);

/// The most memory this process has used at once since `resetPeakMemory`, in
/// bytes; since it began where the system lets no one reset that.
int64_t peakMemory();
void resetPeakMemory();

} // namespace cheems::bench

#endif
