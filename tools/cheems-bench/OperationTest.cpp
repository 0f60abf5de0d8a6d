#include "OperationTest.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Session/Session.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace cheems::bench {

namespace {

/// One sequence of the model, with the steps of a pass.
class Passes {
public:
  Passes(const std::shared_ptr<const Model> &model, const Operation &operation,
         int64_t depth, const SessionOptions &options)
      : session(model, options), profile(*options.profile),
        operation(operation), depth(depth), onGPU(model->gpu()) {
    draw(depth);
    if (depth > 0) {
      session.prefill(0, tokens, nullptr);
      if (operation.rows > 1) {
        before = session.snapshot(0);
      }
    }
  }

  int threads() const { return session.threads(); }
  int64_t prefillChunk() const { return session.prefillChunk(); }

  void once() {
    if (interrupt::requested()) {
      throw Error(Status::interrupted, "interrupted");
    }
    operation.rows == 1 ? decode() : prefill();
  }

  /// Returns the times of so many passes together.
  LoopTimes run(int64_t count) {
    profile.take();
    times = {};
    for (int64_t i = 0; i < count; ++i) {
      once();
    }
    collect();
    if (times.seconds == 0) {
      throw Error("the profile of " + operation.name() +
                  " shows none of its loops: are this cheems-bench and the "
                  "cheems-compile beside it of the same version?");
    }
    return times;
  }

private:
  /// New ones each time: experts come from all over their tables.
  void draw(int64_t count) {
    tokens.resize(static_cast<size_t>(count));
    for (int32_t &token : tokens) {
      token = static_cast<int32_t>(random() %
                                   static_cast<uint64_t>(session.vocabulary()));
    }
  }

  /// Where nothing tells the state before, the next row costs the same.
  void decode() {
    draw(1);
    session.rewind(0, depth);
    cheems_segment segment = {};
    segment.length = 1;
    segment.position = static_cast<int32_t>(session.position(0));
    session.step({tokens, {&segment, 1}}, nullptr);
    if (++pending == mostSteps) {
      collect();
    }
  }

  void prefill() {
    if (depth > 0) {
      session.restore(0, before);
    } else {
      session.reset(0);
    }
    int64_t part = mostSteps * session.prefillChunk();
    for (int64_t done = 0; done < operation.rows; done += part) {
      int64_t count = std::min(part, operation.rows - done);
      draw(count);
      session.prefill(0, tokens, nullptr);
      collect();
    }
  }

  void collect() {
    LoopTimes more = loopTimes(profile.take(), operation, onGPU);
    times.seconds += more.seconds;
    for (const auto &[name, seconds] : more.loops) {
      times.loops[name] += seconds;
    }
    pending = 0;
  }

  /// Whose loops a profile has room for on any number of threads.
  static constexpr int64_t mostSteps = 32;

  Session session;
  Profile &profile;
  const Operation &operation;
  int64_t depth;
  bool onGPU;
  std::mt19937 random{1};
  std::vector<int32_t> tokens;
  Snapshot before;
  LoopTimes times;
  int64_t pending = 0; ///< decode steps that are not in `times`
};

SessionOptions sessionOptions(const Metadata &data, const Operation &operation,
                              int64_t depth, int threads,
                              const Options &options) {
  SessionOptions result;
  result.threads = threads;
  result.prefillChunk = options.prefillChunk;
  result.interrupted = interrupt::requested;
  result.profile = std::make_shared<Profile>();
  // Where the state is bounded, more room costs nothing.
  bool bounded = data.defaultContext == 0;
  result.context = bounded ? INT32_MAX : depth + operation.rows;
  return result;
}

} // namespace

RandomCompile operationToCompile(const Operation &operation, int64_t longest,
                                 const Options &options) {
  RandomCompile what;
  what.model = operation.model();
  what.name = operation.name();
  what.kind = "layer";
  // The model is the same for all numbers of rows.
  what.file = operation.kind + "-" +
              operation.shape.substr(operation.shape.find('x') + 1);
  what.weights = options.weights;
  what.flags = {"--weights", options.weights};
  if (options.groupExperts > 0) { // which the target cuda refuses
    what.flags.insert(what.flags.end(), {"--group-experts",
                                         std::to_string(options.groupExperts)});
  }
  what.stateBytes =
      operation.stateBytes(longest, options.weights == "f32" ? 4 : 2);
  return what;
}

OperationCode codeOf(const Model &model) {
  const std::string &weights = model.metadata().weights;
  OperationCode code;
  code.elementBytes = weights == "f32" ? 4 : 2;
  code.codes = weights == "int8" || weights == "int4";
  code.chunk = model.variant().ssdChunk;
  return code;
}

void runOperation(const std::shared_ptr<const Model> &model,
                  const Operation &operation, int64_t depth,
                  const Options &options, const std::function<void()> &begin) {
  Passes passes(
      model, operation, depth,
      sessionOptions(model->metadata(), operation, depth, 1, options));
  begin();
  passes.once();
}

OperationTiming timeOperation(const std::shared_ptr<const Model> &model,
                              const Operation &operation, int64_t depth,
                              int threads, const Options &options,
                              const Tell &tell) {
  const Metadata &data = model->metadata();
  if (depth + operation.rows > INT32_MAX) {
    throw Error(Status::usage, operation.name() +
                                   " at this depth has more than the 2^31 - 1 "
                                   "rows of a sequence; lower -d");
  }
  tell("rows before: " + std::to_string(depth));
  SessionOptions settings =
      sessionOptions(data, operation, depth, threads, options);
  Passes passes(model, operation, depth, settings);

  OperationTiming result;
  OperationCode code = codeOf(*model);
  OperationFacts &facts = result.facts;
  facts.kind = operation.kind;
  facts.numbers = operation.numbers;
  facts.chunk = operation.kind == "ssd" ? code.chunk : 0;
  Timing &timing = result.timing;
  timing.test = operation.name() +
                (depth > 0 ? " @ d" + std::to_string(depth) : std::string());
  timing.tokens = operation.rows;
  timing.depth = depth;
  timing.threads = passes.threads();
  for (int64_t done = 0; done < operation.rows;) {
    OperationStep step;
    step.rows = std::min(passes.prefillChunk(), operation.rows - done);
    step.position = depth + done;
    done += step.rows;
    timing.operations += operation.operations(step, code);
    timing.bytes += operation.bytes(step, code);
    facts.workingSet =
        std::max(facts.workingSet, operation.workingSet(step, code));
  }

  passes.run(1);
  double once = passes.run(1).seconds;
  // Enough to fill some hundredths of a second. Times of the software GPU are
  // none.
  facts.passes = model->gpu() && model->gpu()->software
                     ? 1
                     : static_cast<int64_t>(
                           std::ceil(std::clamp(0.03 / once, 1.0, 1000.0)));
  // Rows of a large table are all over it: the first passes wait for the kernel
  // to map them.
  if (facts.passes > 1) {
    passes.run(facts.passes);
  }
  for (int64_t i = 0; i < options.repetitions; ++i) {
    tell("repetition " + std::to_string(i + 1) + " of " +
         std::to_string(options.repetitions));
    LoopTimes times = passes.run(facts.passes);
    auto count = static_cast<double>(facts.passes);
    timing.seconds.push_back(times.seconds / count);
    for (const auto &[name, seconds] : times.loops) {
      facts.loops[name] +=
          seconds / count / static_cast<double>(options.repetitions);
    }
  }
  timing.peakMemory = peakMemory();
  return result;
}

} // namespace cheems::bench
