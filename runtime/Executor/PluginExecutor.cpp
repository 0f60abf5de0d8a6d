#include "runtime/Executor/PluginExecutor.h"
#include "runtime/Error.h"
#include <unistd.h>

using namespace cheems;

namespace {

void *create(const Model &model, const cheems_executor_plugin &plugin) {
  cheems_executor_image image = {};
  std::string_view bytes = model.imageBytes();
  image.bytes = bytes.data();
  image.size = bytes.size();
  image.fields = model.image().fields.c_str();
  image.parameters = model.parameters();
  image.vocabulary = model.metadata().vocabulary;
  char message[512] = {};
  void *executor = plugin.create(&image, message, sizeof(message) - 1);
  if (!executor) {
    throw Error(
        model.path() + ": its code for " + plugin.target +
        " cannot be loaded: " + (message[0] ? message : "unknown reason"));
  }
  return executor;
}

} // namespace

PluginExecutor::PluginExecutor(const Model &model,
                               const cheems_executor_plugin &plugin,
                               const ExecutorOptions &options)
    : model(model), plugin(plugin), executor(nullptr), process(getpid()),
      state(model.metadata(), options.slots, options.sizes),
      slots(options.slots) {
  executor = create(model, plugin);
  try {
    workspace = std::make_unique<Memory>(
        plugin.workspace(executor, options.rows),
        "the workspace of steps of " + std::to_string(options.rows) +
            " rows; lower the prefill chunk");
  } catch (...) { // no destructor runs for what was never made
    plugin.destroy(executor);
    throw;
  }
}

ExecutorBytes PluginExecutor::estimate(const Model &model,
                                       const cheems_executor_plugin &plugin,
                                       const ExecutorOptions &options) {
  void *asked = create(model, plugin);
  int64_t workspace = plugin.workspace(asked, options.rows);
  plugin.destroy(asked);
  return {model.weightBytes(), Memory::sizeOf(workspace)};
}

bool PluginExecutor::isOfThisProcess() const { return process == getpid(); }

void PluginExecutor::run(const StepRequest &request) {
  cheems_step step = callOf(request);
  step.parameters = model.parameters();
  step.pools = state.bases();
  step.slot_count = slots;
  step.capacity = state.poolSizes().capacity;
  step.ring = state.poolSizes().ring;
  step.workspace = workspace->data();
  plugin.run(executor, &step);
}
