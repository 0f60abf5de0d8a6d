// Chooses an executor by the target of a model's image.
#include "runtime/Executor/Executor.h"
#include "runtime/Artifact/ExecutorPlugins.h"
#include "runtime/Error.h"
#include "runtime/Executor/CpuExecutor.h"
#include "runtime/Executor/CudaExecutor.h"
#include "runtime/Executor/PluginExecutor.h"

using namespace cheems;

static void checkRuns(const Model &model) {
  if (!model.canRun()) {
    throw Error(Status::usage,
                model.path() + ": was opened to be read; open it for a device");
  }
}

cheems_step cheems::callOf(const StepRequest &request) {
  const StepView &step = request.step;
  cheems_step call = {};
  call.tokens = step.tokens.data();
  call.token_count = step.tokens.size();
  call.segments = step.segments.data();
  call.segment_count = step.segments.size();
  call.rows = step.rows.data();
  call.row_count = step.rows.size();
  call.logits = request.logits;
  call.embedding_rows = step.embeddingRows.data();
  call.embedding_row_count = step.embeddingRows.size();
  call.embeddings = step.embeddings;
  return call;
}

PoolSizes cheems::poolSizes(const Model &model, int64_t context, int64_t rows) {
  const Metadata &data = model.metadata();
  // Where a window covers the context, code for GPUs drops none, and knows
  // that by pools that have no more than the window.
  bool covers = data.keepWindow != 0 && context <= data.keepWindow;
  return {covers && model.image().target == CudaImage::target
              ? context
              : data.capacity(context),
          data.ring(context, rows)};
}

ExecutorBytes cheems::estimateExecutor(const Model &model,
                                       const ExecutorOptions &options) {
  checkRuns(model);
  const std::string &target = model.image().target;
  if (target == CpuImage::target) {
    return CpuExecutor::estimate(model, options);
  }
  if (target == CudaImage::target) {
    return CudaExecutor::estimate(model, options);
  }
  return PluginExecutor::estimate(model, *findExecutorPlugin(target), options);
}

std::unique_ptr<Executor> cheems::makeExecutor(const Model &model,
                                               const ExecutorOptions &options) {
  checkRuns(model);
  const std::string &target = model.image().target;
  if (target == CpuImage::target) {
    return std::make_unique<CpuExecutor>(model, options);
  }
  if (target == CudaImage::target) {
    return std::make_unique<CudaExecutor>(model, options);
  }
  if (options.profile) {
    throw Error(Status::unsupported, model.path() + ": runs on " + target +
                                         ", of which no profile can be made");
  }
  // The model was opened because it is there.
  return std::make_unique<PluginExecutor>(model, *findExecutorPlugin(target),
                                          options);
}
