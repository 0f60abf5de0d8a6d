#include "Tests.h"
#include "runtime/Artifact/StepCost.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Sampler/Highest.h"
#include "runtime/Session/Session.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

namespace cheems::bench {

namespace {

std::vector<int32_t> randomTokens(int64_t count, int64_t vocabulary) {
  std::mt19937 random(1);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t &token : tokens) {
    token = static_cast<int32_t>(random() % static_cast<uint64_t>(vocabulary));
  }
  return tokens;
}

/// The sequences of a test: the same tokens up to its depth, then each its own.
class Run {
public:
  Run(Session &session, const Test &test)
      : session(session), test(test),
        tokens(randomTokens(test.depth + test.tokens * test.sequences,
                            session.vocabulary())),
        segments(static_cast<size_t>(test.sequences)),
        rows(static_cast<size_t>(test.sequences)), chosen(rows.size()),
        logits(static_cast<size_t>(session.vocabulary())) {
    std::iota(rows.begin(), rows.end(), 0);
    if (test.depth > 0) {
      session.prefill(0, {tokens.data(), test.depth}, nullptr);
      before = session.snapshot(0);
    }
  }

  /// Back to the test's depth.
  void prepare() {
    for (int64_t slot = 0; slot < test.sequences; ++slot) {
      if (test.depth > 0) {
        session.restore(slot, before);
      } else {
        session.reset(slot);
      }
    }
  }

  void go() {
    const int32_t *next = tokens.data() + test.depth;
    if (test.prompt) {
      session.prefill(0, {next, test.tokens}, logits.data());
      return;
    }
    for (int64_t i = 0; i < test.tokens; ++i) {
      if (interrupt::requested()) {
        throw Error(Status::interrupted, "interrupted");
      }
      decode(next, test.depth + i);
      if (test.greedy) {
        choose();
        next = chosen.data();
      } else {
        next += test.sequences;
      }
    }
  }

private:
  void decode(const int32_t *next, int64_t position) {
    for (int64_t slot = 0; slot < test.sequences; ++slot) {
      cheems_segment &segment = segments[static_cast<size_t>(slot)];
      segment = {};
      segment.slot = segment.start = static_cast<int32_t>(slot);
      segment.length = 1;
      segment.position = static_cast<int32_t>(position);
    }
    session.stepKeeping({{next, test.sequences}, segments, rows});
  }

  /// The tokens of the highest logits, found by the threads that compute, or by
  /// the GPU.
  void choose() {
    auto chooseRange = [](void *context, int64_t begin, int64_t end, int64_t) {
      for (int64_t i = begin; i < end; ++i) {
        static_cast<Run *>(context)->choose(i);
      }
    };
    if (ThreadPool *threads = session.hostThreads()) {
      threads->parallelFor(chooseRange, this, test.sequences, "choose");
    } else {
      chooseRange(this, 0, test.sequences, 0);
    }
    if (std::count(chosen.begin(), chosen.end(), session.vocabulary()) != 0) {
      throw Error("--greedy: the model gave a logit that is infinite or no "
                  "number; compile its checkpoint again, or leave --greedy "
                  "away");
    }
  }

  /// Where there is none, it is as many as there are tokens.
  void choose(int64_t row) {
    std::optional<TopLogits> best = session.topLogits(1, row);
    chosen[size_t(row)] = best ? best->tokens[0]
                               : int32_t(highest(session.keptLogits(row),
                                                 size_t(session.vocabulary())));
  }

  Session &session;
  const Test &test;
  std::vector<int32_t> tokens;
  std::vector<cheems_segment> segments;
  std::vector<int32_t> rows, chosen;
  std::vector<float> logits; ///< of a prompt
  Snapshot before;
};

} // namespace

void addCosts(const StepCost &cost, const Test &test, int64_t chunk,
              Timing &timing) {
  for (int64_t done = 0; done < test.tokens;) {
    StepShape step;
    step.sequences = test.sequences;
    step.rows = test.prompt ? std::min(chunk, test.tokens - done) : 1;
    step.position = test.depth + done;
    done += step.rows;
    step.logitRows =
        test.prompt ? int64_t(done == test.tokens) : test.sequences;
    timing.bytes += cost.bytes(step);
    timing.operations += cost.operations(step);
  }
}

std::string Test::name() const {
  std::string text = (prompt ? "pp" : "tg") + std::to_string(tokens);
  if (sequences > 1) {
    text += " b" + std::to_string(sequences);
  }
  text += greedy ? " greedy" : "";
  return depth > 0 ? text + " @ d" + std::to_string(depth) : text;
}

double Timing::rate(double amount) const {
  double sum = 0;
  for (double each : seconds) {
    sum += amount / each;
  }
  return sum / static_cast<double>(seconds.size());
}

double Timing::deviation(double amount) const {
  if (seconds.size() < 2) {
    return 0;
  }
  double mean = rate(amount), sum = 0;
  for (double each : seconds) {
    sum += (amount / each - mean) * (amount / each - mean);
  }
  return std::sqrt(sum / static_cast<double>(seconds.size() - 1));
}

double Timing::medianSeconds() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::vector<Test> testsOf(const Options &options) {
  std::vector<Test> tests;
  auto add = [&](const Test &test) {
    if (test.tokens > 0) {
      tests.push_back(test);
    }
  };
  for (int64_t threads : options.threads) {
    for (int64_t depth : options.depths) {
      Test test;
      test.depth = depth;
      test.threads = static_cast<int>(threads);
      for (int64_t tokens : options.prompts) {
        test.tokens = tokens;
        add(test);
      }
      test.prompt = false;
      test.greedy = options.greedy;
      for (int64_t tokens : options.generated) {
        for (int64_t sequences : options.sequences) {
          test.tokens = tokens;
          test.sequences = sequences;
          add(test);
        }
      }
    }
  }
  return tests;
}

static SessionOptions
settingsOf(const Test &test, const Options &options,
           const std::function<void(const std::string &)> &warn) {
  int64_t needed = test.depth + test.tokens;
  if (needed > INT32_MAX ||
      (options.context != 0 && needed > options.context)) {
    throw Error(Status::usage, test.name() + " needs a context of " +
                                   std::to_string(needed) +
                                   " tokens; raise -c, or lower -d, -p or -n");
  }
  SessionOptions settings;
  settings.slots = test.sequences;
  settings.threads = test.threads;
  settings.context = options.context == 0 ? needed : options.context;
  settings.prefillChunk = options.prefillChunk;
  settings.warn = warn;
  settings.interrupted = interrupt::requested;
  return settings;
}

void runOnce(const std::shared_ptr<const Model> &model, const Test &test,
             const Options &options,
             const std::function<void(const std::string &)> &warn,
             const std::function<void(const Session &)> &begin) {
  Session session(model, settingsOf(test, options, warn));
  Run run(session, test);
  run.prepare();
  begin(session);
  run.go();
}

Timing runTest(const std::shared_ptr<const Model> &model, const Test &test,
               const Options &options,
               const std::function<void(const std::string &)> &warn) {
  Session session(model, settingsOf(test, options, warn));

  Timing timing;
  timing.test = test.name();
  timing.tokens = test.tokens * test.sequences;
  timing.depth = test.depth;
  timing.sequences = test.sequences;
  timing.threads = session.threads();
  timing.prompt = test.prompt;
  timing.greedy = test.greedy;
  addCosts(StepCost(model->metadata(), model->image().target), test,
           session.prefillChunk(), timing);
  Run run(session, test);
  for (int64_t i = 0; i <= options.repetitions; ++i) {
    run.prepare();
    auto begin = std::chrono::steady_clock::now();
    run.go();
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    if (i > 0) { // the first one warms up
      timing.seconds.push_back(passed.count());
    }
  }
  timing.peakMemory = peakMemory();
  return timing;
}

void resetPeakMemory() { std::ofstream("/proc/self/clear_refs") << "5"; }

int64_t peakMemory() {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    int64_t kilobytes = 0;
    if (word == "VmHWM:" && file >> kilobytes) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

} // namespace cheems::bench
