// An operation of the paper, timed alone inside of a compiled model.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPERATIONTEST_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPERATIONTEST_H

#include "Load.h"
#include "LoopTimes.h"
#include "Options.h"
#include "RandomCompile.h"
#include "Tests.h"
#include <functional>

namespace cheems::bench {

/// A model that has the operation, of the weights and groups of `options`, for
/// up to `longest` rows.
RandomCompile operationToCompile(const Operation &operation, int64_t longest,
                                 const Options &options);

/// What a row of a report tells of an operation besides its timing.
struct OperationFacts {
  std::string kind;
  std::vector<std::pair<const char *, std::optional<int64_t>>> numbers;
  int64_t chunk = 0;      ///< 0: none, or not told
  int64_t passes = 1;     ///< whose mean each of Timing::seconds is
  int64_t workingSet = 0; ///< bytes that a step works on
  std::map<std::string, double> loops; ///< seconds of a pass, by name
};

struct OperationTiming {
  Timing timing;
  OperationFacts facts;
};

/// A pass is `operation.rows` rows after `depth` others, one row per step of
/// the decode entry, more `prefillChunk` per step. Throws Error.
OperationCode codeOf(const Model &model);

/// Runs it once, with what goes before it; `begin` is called in between.
void runOperation(const std::shared_ptr<const Model> &model,
                  const Operation &operation, int64_t depth,
                  const Options &options, const std::function<void()> &begin);

OperationTiming timeOperation(const std::shared_ptr<const Model> &model,
                              const Operation &operation, int64_t depth,
                              int threads, const Options &options,
                              const Tell &tell);

} // namespace cheems::bench

#endif
