#include "Suite.h"
#include "Compile.h"
#include "OperationTest.h"
#include "Ops.h"
#include "Progress.h"
#include "runtime/Error.h"
#include <algorithm>
#include <filesystem>
#include <optional>

namespace cheems::bench {

namespace {

/// The last part of a path, without .cheems.
std::string nameOf(const std::string &path) {
  std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  std::filesystem::path last =
      whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return last.extension() == ".cheems" ? last.stem().string() : last.string();
}

/// A name per model; where several would have one name, what was given.
std::vector<std::string> namesOf(const std::vector<std::string> &paths) {
  std::vector<std::string> names;
  for (const std::string &path : paths) {
    std::string name = nameOf(path);
    bool shared =
        std::any_of(paths.begin(), paths.end(), [&](const std::string &other) {
          return other != path && nameOf(other) == name;
        });
    names.push_back(shared ? path : name);
  }
  return names;
}

class Suite {
public:
  explicit Suite(const Options &options) : options(options) {}

  Report run() {
    if (!options.operations.empty()) {
      timeOperations();
    } else if (!options.shapes.empty()) {
      timeMatmuls(options.shapes, options.weights);
    } else if (options.compile) {
      timeLoaded(compileGiven());
    } else {
      std::vector<std::string> names = namesOf(options.models);
      for (size_t i = 0; i < names.size(); ++i) {
        resetPeakMemory(); // the one before is gone
        progress.show("loading " + options.models[i]);
        timeLoaded(loadModel(
            options.models[i], names[i], firstThreads(), options.context,
            options.compileArguments,
            [&](const std::string &text) { tell(text); }, options.device));
      }
    }
    // After all else: their memory shall not count as the model's.
    if (options.limits) {
      measureMachine();
    }
    progress.clear();
    return std::move(report);
  }

private:
  void measureMachine() {
    for (const Row &row : report.rows) {
      int threads = row.timing.threads;
      bool host = row.model->gpu.empty();
      if (host && report.limits.count(threads) == 0) {
        progress.show("limits of the machine, threads: " +
                      std::to_string(threads));
        auto rounds = std::min<int64_t>(2 * options.repetitions - 1, 7);
        report.limits[threads] =
            measureLimits(threads, static_cast<int>(rounds));
      }
    }
  }

  int firstThreads() const { return static_cast<int>(options.threads[0]); }

  LoadedModel compileGiven() {
    const std::string &source = options.compile.value();
    progress.show("compiling " + source);
    TemporaryFolder folder; // the model stays mapped when its file is gone
    std::string output = folder.path() + "/model.cheems";
    ChildCost cost = compileModel(
        source, output,
        compileArguments(options.compileArguments, options.device));
    LoadedModel loaded = loadModel(output, nameOf(source), firstThreads(),
                                   options.context, {}, say, options.device);
    loaded.facts.compile = cost;
    loaded.facts.path = source;
    return loaded;
  }

  void timeLoaded(const LoadedModel &loaded) {
    if (options.ops.empty()) {
      timeModel(loaded);
      return;
    }
    if (loaded.facts.weights == "int4") {
      throw Error(Status::usage,
                  loaded.facts.path +
                      " has int4 weights, but --ops matmul times matmuls with "
                      "f32, bf16 or int8; give it such a model");
    }
    timeMatmuls(matmulShapes(*loaded.model, options), loaded.facts.weights);
  }

  void noteSoftware(const LoadedModel &loaded) {
    if (loaded.model->gpu() && loaded.model->gpu()->software) {
      warn("times of the software GPU mean nothing; --counts says what it is "
           "asked for");
    }
  }

  void timeModel(const LoadedModel &loaded) {
    noteSoftware(loaded);
    auto facts = std::make_shared<ModelFacts>(loaded.facts);
    std::vector<Test> tests = testsOf(options);
    for (size_t i = 0; i < tests.size(); ++i) {
      progress.show(tests[i].name() + ", test " + std::to_string(i + 1) +
                    " of " + std::to_string(tests.size()));
      report.rows.push_back(
          {facts,
           runTest(loaded.model, tests[i], options,
                   [&](const std::string &text) { warn(text); }),
           std::nullopt});
    }
  }

  void timeMatmuls(const std::vector<MatmulShape> &shapes,
                   const std::string &weights) {
    std::optional<MatmulShape> made;
    LoadedModel loaded;
    std::shared_ptr<ModelFacts> facts;
    for (const MatmulShape &shape : shapes) {
      progress.show(shape.name());
      if (!made || made->columns != shape.columns ||
          made->length != shape.length) {
        made = shape;
        loaded = makeRandom(
            matmulToCompile(shape, weights), options, firstThreads(),
            [](const std::string &) {},
            [&](const std::string &text) { tell(text); });
        noteSoftware(loaded);
        facts = std::make_shared<ModelFacts>(loaded.facts);
      }
      for (int64_t threads : options.threads) {
        Timing timing =
            timeMatmul(loaded.model, shape, static_cast<int>(threads),
                       options.repetitions);
        OperationFacts operation;
        operation.kind = "matmul";
        operation.numbers = {{"rows", shape.rows},
                             {"columns", shape.columns},
                             {"length", shape.length}};
        operation.workingSet = timing.bytes;
        report.rows.push_back({facts, std::move(timing), operation});
      }
    }
  }

  void timeOperations() {
    int64_t deepest =
        *std::max_element(options.depths.begin(), options.depths.end());
    std::string made; // the configuration of what is loaded
    LoadedModel loaded;
    std::shared_ptr<ModelFacts> facts;
    for (const OperationPointer &operation : options.operations) {
      Tell tell = [&](const std::string &what) {
        progress.show(operation->name() + ": " + what);
      };
      int64_t longest = deepest + operation->rows;
      RandomCompile what = operationToCompile(*operation, longest, options);
      if (what.model.config != made) {
        loaded = {}; // its memory goes before the next one's is taken
        loaded = makeRandom(what, options, firstThreads(), tell,
                            [&](const std::string &text) { this->tell(text); });
        noteSoftware(loaded);
        facts = std::make_shared<ModelFacts>(loaded.facts);
        made = what.model.config;
      }
      for (int64_t threads : options.threads) {
        for (int64_t depth : options.depths) {
          OperationTiming timed =
              timeOperation(loaded.model, *operation, depth,
                            static_cast<int>(threads), options, tell);
          report.rows.push_back(
              {facts, std::move(timed.timing), std::move(timed.facts)});
        }
      }
    }
  }

  /// Each warning once, however many sessions give it.
  void warn(const std::string &text) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(text);
      tell("warning: " + text);
    }
  }

  void tell(const std::string &text) {
    progress.clear();
    say(text);
  }

  const Options &options;
  Report report;
  ProgressLine progress;
  std::vector<std::string> warnings;
};

} // namespace

Report runSuite(const Options &options) { return Suite(options).run(); }

} // namespace cheems::bench
