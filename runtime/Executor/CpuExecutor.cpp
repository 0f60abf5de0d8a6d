#include "runtime/Executor/CpuExecutor.h"
#include "runtime/ThreadPool/Cores.h"
#include "runtime/ThreadPool/Denormals.h"
#include <algorithm>

using namespace cheems;

namespace {

/// Returns the workspace of whichever entry needs more: a decode step has at
/// most one row per slot.
int64_t workspaceSize(const Variant &variant, const ExecutorOptions &options,
                      int64_t threads) {
  return std::max(variant.generalWorkspace.bytes(options.rows, threads),
                  variant.decodeWorkspace.bytes(options.slots, threads));
}

} // namespace

ExecutorBytes CpuExecutor::estimate(const Model &model,
                                    const ExecutorOptions &options) {
  int threads = ThreadPool::chooseThreads(options.threads, CoreLimits::host());
  return {model.weightBytes(),
          Memory::sizeOf(workspaceSize(model.variant(), options, threads))};
}

CpuExecutor::CpuExecutor(const Model &model, const ExecutorOptions &options)
    : model(model), profile(options.profile),
      flushesDenormals(model.variant().flushesDenormals()),
      pool(options.threads),
      state(model.metadata(), options.slots, options.sizes),
      workspace(workspaceSize(model.variant(), options, pool.threads()),
                "the workspace of steps of " + std::to_string(options.rows) +
                    " rows; lower the prefill chunk"),
      slots(options.slots) {
  pool.keepSmallRegionsTogether();
  if (profile) {
    profile->begin({model.path(), model.metadata().compiler,
                    model.variant().name, model.cpu().generalMarks,
                    model.cpu().decodeMarks, pool.threads(), ""});
    pool.setLog(&profile->regions());
  }
}

void CpuExecutor::run(const StepRequest &request) {
  bool decodes = request.decodes;
  cheems_step step = callOf(request);
  step.parameters = model.parameters();
  step.pools = state.bases();
  step.slot_count = slots;
  step.capacity = state.poolSizes().capacity;
  step.ring = state.poolSizes().ring;
  step.workspace = workspace.data();
  const Variant &variant = model.variant();
  workspace.confine(
      (decodes ? variant.decodeWorkspace : variant.generalWorkspace)
          .bytes(step.token_count, pool.threads()));
  ThreadPool::Binding binding(pool);
  Denormals denormals(flushesDenormals);
  if (profile) {
    step.profile = profile->startStep(decodes);
  }
  (decodes ? model.decodeEntry() : model.generalEntry())(&step);
  if (profile) {
    profile->endStep(step.token_count, step.segment_count, step.row_count);
  }
}
