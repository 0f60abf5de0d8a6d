#include "Counts.h"
#include "Load.h"
#include "OperationTest.h"
#include "Ops.h"
#include "Tests.h"
#include "cheems/emulator.h"
#include "runtime/Artifact/StepCost.h"
#include "runtime/CUDA/Driver.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Process/Output.h"
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace cheems::bench {

namespace {

void warn(const std::string &line) {
  printMessage("cheems-bench: warning: " + line);
}

/// What is counted, test by test, as it is to be printed.
class Counting {
public:
  explicit Counting(const Options &options) : options(options) {}

  std::string text() const {
    return options.json ? printJson(list, 1) + "\n" : tables;
  }

  void models() {
    for (const std::string &given : options.models) {
      std::shared_ptr<const Model> model =
          openModel(given, say, options.compileArguments, options.device);
      if (!options.ops.empty()) {
        products(matmulShapes(*model, options), model->metadata().weights);
        continue;
      }
      for (Test test : testsOf(options)) {
        if (!test.prompt) {
          test.tokens = 1;
        }
        int64_t chunk = 0;
        runOnce(model, test, options, warn, [&](const Session &session) {
          chunk = session.prefillChunk();
          take();
        });
        Timing cost;
        addCosts(StepCost(model->metadata(), model->image().target), test,
                 chunk, cost);
        add(given, test.name(), cost.bytes);
      }
    }
  }

  void operations() {
    for (const OperationPointer &operation : options.operations) {
      for (int64_t depth : options.depths) {
        LoadedModel loaded = make(
            operationToCompile(*operation, depth + operation->rows, options));
        runOperation(loaded.model, *operation, depth, options,
                     [this] { take(); });
        OperationStep step;
        step.rows = operation->rows;
        step.position = depth;
        add(operation->kind,
            operation->name() +
                (depth > 0 ? " @ d" + std::to_string(depth) : std::string()),
            operation->bytes(step, codeOf(*loaded.model)));
      }
    }
  }

  void products(const std::vector<MatmulShape> &shapes,
                const std::string &weights) {
    for (const MatmulShape &shape : shapes) {
      LoadedModel loaded = make(matmulToCompile(shape, weights));
      runMatmul(loaded.model, shape, [this] { take(); });
      StepShape step;
      step.rows = step.logitRows = shape.rows;
      add("matmul", shape.name(),
          StepCost(loaded.model->metadata(), "cuda").bytes(step));
    }
  }

private:
  LoadedModel make(const RandomCompile &what) const {
    return makeRandom(what, options, 1, [](const std::string &) {}, say);
  }

  /// All since the last call.
  std::string take() const {
    cheems_emulator emulator{};
    cheems_emulator_find(
        [](void *, const char *name) {
          return cuda::Driver::get().extension(name);
        },
        nullptr, &emulator);
    auto *take = options.json ? emulator.counts_json : emulator.counts;
    const char *text = take ? take() : nullptr;
    if (!text) {
      throw Error(Status::unsupported,
                  "--counts needs the software GPU: set CHEEMS_CUDA_DRIVER to "
                  "libcheems-cuda-emulator.so");
    }
    return text;
  }

  /// `least` are the bytes that such a step must read.
  void add(const std::string &of, const std::string &test, int64_t least) {
    std::string counts = take();
    if (options.json) {
      list.push_back(
          {{"of", of},
           {"test", test},
           {"bytes", least},
           {"counts", parseJsonOrThrow<nlohmann::ordered_json>(counts)}});
    } else {
      tables += of + ", " + test + ": " + counts + "\n";
    }
  }

  const Options &options;
  std::string tables;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
};

} // namespace

void prepareCounts() {
  // Counts are taken test by test: what is left at the end is of no use.
  setenv("CHEEMS_EMULATOR_COUNTS", "/dev/null", /*overwrite=*/1);
}

std::string countSteps(const Options &options) {
  Counting counting(options);
  if (!options.operations.empty()) {
    counting.operations();
  } else if (!options.shapes.empty()) {
    counting.products(options.shapes, options.weights);
  } else {
    counting.models();
  }
  return counting.text();
}

} // namespace cheems::bench
