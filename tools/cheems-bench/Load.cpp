#include "Load.h"
#include "Limits.h"
#include "runtime/Session/Session.h"
#include <chrono>

namespace cheems::bench {

namespace {

/// Seconds since it was last asked.
class Clock {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed = now - last;
    last = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

LoadTime timeLoad(const std::string &path, int threads, int64_t context,
                  const DeviceChoice &device) {
  LoadTime time;
  Clock clock;
  std::shared_ptr<const Model> model = Model::open(path, {device});
  time.open = clock.lap();
  SessionOptions options;
  options.threads = threads;
  options.context = context;
  Session session(model, options);
  std::vector<float> logits(static_cast<size_t>(session.vocabulary()));
  time.session = clock.lap();
  session.decode(0, 0, logits.data());
  time.decode = clock.lap();
  return time;
}

} // namespace

LoadedModel loadModel(const std::string &given, const std::string &name,
                      int threads, int64_t context,
                      const std::vector<std::string> &arguments,
                      const Notify &notify, const DeviceChoice &device) {
  // Closed again before the clock starts: what is loaded already costs nothing.
  std::string path = openModel(given, notify, arguments, device)->path();
  timeLoad(path, threads, context, device);
  LoadedModel loaded;
  ModelFacts &facts = loaded.facts;
  facts.load = timeLoad(path, threads, context, device);
  loaded.model = openModel(given, notify, arguments, device); // kept
  const Metadata &data = loaded.model->metadata();
  facts.path = path;
  facts.name = name;
  facts.type = data.modelType;
  facts.weights = data.weights;
  facts.variant = loaded.model->variant().name;
  facts.pipeline = data.pipeline;
  facts.compiler = data.compiler;
  facts.fileBytes = loaded.model->fileBytes();
  facts.parameters = data.parameterCount;
  facts.device = loaded.model->deviceName();
  if (const cuda::DeviceInfo *gpu = loaded.model->gpu()) {
    facts.gpu = gpu->name;
  } else {
    facts.productUnit = productUnitOf(loaded.model->variant(), data);
  }
  return loaded;
}

} // namespace cheems::bench
