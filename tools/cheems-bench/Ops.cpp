#include "Ops.h"
#include "LoopTimes.h"
#include "runtime/Artifact/StepCost.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Session/Session.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace cheems::bench {

namespace {

using nlohmann::json;

RandomModel matmulModel(int64_t columns, int64_t length) {
  json config = {{"model_type", "doge"},       {"vocab_size", columns},
                 {"hidden_size", length},      {"num_hidden_layers", 0},
                 {"num_attention_heads", 1},   {"head_dim", 2},
                 {"tie_word_embeddings", true}};
  return {printJson(config),
          {{"model.embed_tokens.weight", {columns, length}},
           {"model.norm.weight", {length}}}};
}

/// The model's one step: M rows of one sequence, all logits wanted.
class Product {
public:
  Product(const std::shared_ptr<const Model> &model, int64_t rowCount,
          const SessionOptions &options)
      : session(model, options), profile(options.profile),
        tokens(static_cast<size_t>(rowCount)),
        rows(static_cast<size_t>(rowCount)),
        logits(static_cast<size_t>(rowCount * session.vocabulary())) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] =
          static_cast<int32_t>(i % static_cast<size_t>(session.vocabulary()));
    }
    std::iota(rows.begin(), rows.end(), 0);
  }

  int threads() const { return session.threads(); }

  /// On a GPU those of the matmul's kernels, else those of the steps.
  double seconds(int64_t times) {
    double ofKernels = 0;
    auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < times; ++i) {
      step();
      if (profile) {
        ofKernels += loopTimes(profile->take(), roleOf).seconds;
      }
    }
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    return profile ? ofKernels : passed.count();
  }

  void step() {
    cheems_segment segment = {};
    segment.length = static_cast<int32_t>(tokens.size());
    session.reset(0);
    session.step({tokens, {&segment, 1}, rows}, logits.data());
  }

private:
  static LoopRole roleOf(std::string_view kernel) {
    return kernel.substr(0, 6) == "matmul" ? LoopRole::own : LoopRole::other;
  }

  Session session;
  std::shared_ptr<Profile> profile; ///< on a GPU
  std::vector<int32_t> tokens, rows;
  std::vector<float> logits;
};

} // namespace

RandomCompile matmulToCompile(const MatmulShape &shape,
                              const std::string &weights) {
  RandomCompile what;
  what.model = matmulModel(shape.columns, shape.length);
  what.name = shape.name();
  what.kind = "matmul";
  what.file = "matmul-" + std::to_string(shape.columns) + "x" +
              std::to_string(shape.length);
  what.weights = weights;
  what.flags = {"--no-layers"};
  if (weights == "int8") {
    what.flags.insert(what.flags.end(), {"--weights", weights});
  }
  return what;
}

std::vector<MatmulShape> matmulShapes(const Model &model,
                                      const Options &options) {
  std::vector<MatmulShape> shapes;
  StepCost cost(model.metadata(), model.image().target);
  for (const StepCost::Product &product : cost.products()) {
    shapes.push_back({1, product.columns, product.length});
    for (int64_t rows : options.prompts) {
      if (rows > 1) {
        shapes.push_back({rows, product.columns, product.length});
      }
    }
  }
  return shapes;
}

static SessionOptions optionsOf(const MatmulShape &shape, int threads) {
  SessionOptions options;
  options.threads = threads;
  options.prefillChunk = shape.rows;
  options.context = shape.rows;
  return options;
}

void runMatmul(const std::shared_ptr<const Model> &model,
               const MatmulShape &shape, const std::function<void()> &begin) {
  Product product(model, shape.rows, optionsOf(shape, 1));
  begin();
  product.step();
}

Timing timeMatmul(const std::shared_ptr<const Model> &model,
                  const MatmulShape &shape, int threads, int64_t repetitions) {
  SessionOptions options = optionsOf(shape, threads);
  if (model->gpu()) {
    options.profile = std::make_shared<Profile>();
  }
  Product product(model, shape.rows, options);
  Timing timing;
  timing.test = shape.name();
  timing.tokens = shape.rows;
  timing.threads = product.threads();
  StepShape step;
  step.rows = step.logitRows = shape.rows;
  StepCost cost(model->metadata(), model->image().target);
  timing.bytes = cost.bytes(step);
  timing.operations = cost.operations(step);

  product.seconds(1);
  // A clock cannot tell a microsecond: as many as fill some hundredths of a
  // second count as one.
  double once = std::max(product.seconds(1), 1e-7);
  bool software = model->gpu() && model->gpu()->software;
  auto times =
      software ? 1
               : static_cast<int64_t>(std::ceil(std::max(1.0, 0.03 / once)));
  for (int64_t i = 0; i < repetitions; ++i) {
    if (interrupt::requested()) {
      throw Error(Status::interrupted, "interrupted");
    }
    timing.seconds.push_back(product.seconds(times) /
                             static_cast<double>(times));
  }
  timing.peakMemory = peakMemory();
  return timing;
}

} // namespace cheems::bench
