#include "runtime/Executor/CudaExecutor.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// A step that decodes gives no embeddings; where there are none, others may
/// have their rows.
StepSizes largestStep(int64_t rows, int64_t slots, const PoolSizes &sizes) {
  return {rows,      std::min(rows, slots), rows, slots, sizes.capacity, rows,
          sizes.ring};
}

int64_t decodeRows(const Model &model, const ExecutorOptions &options) {
  return std::min(options.slots, model.variant().decodeRows);
}

int64_t rowBytesOf(const Model &model) {
  return model.metadata().vocabulary * static_cast<int64_t>(sizeof(float));
}

/// Loading asks for memory for the state and the scratch memory. Parts of some
/// kilobytes are left out.
Program::Loading loadingFor(const Model &model,
                            const ExecutorOptions &options) {
  Program::Loading loading;
  loading.need = [&](const LaunchPlan &plan) {
    auto scratch = [&](const LaunchPlan::Entry &entry, int64_t rows) {
      return Launcher::bytesOf(entry,
                               largestStep(rows, options.slots, options.sizes));
    };
    int64_t sum = 0;
    for (int64_t part :
         {StatePools::bytesOf(model.metadata(), options.slots, options.sizes),
          scratch(plan.general, options.rows),
          scratch(plan.decode, decodeRows(model, options))}) {
      if (__builtin_add_overflow(sum, part, &sum)) {
        throw MemoryShort("the state is too large for any machine");
      }
    }
    return sum;
  };
  loading.purpose =
      "the state of " + std::to_string(options.slots) + " sequence(s) with " +
      std::to_string(options.sizes.capacity) +
      " entries each, and for steps of " + std::to_string(options.rows) +
      " rows; lower the context or the prefill chunk, compile with smaller "
      "--weights, or use --device cpu";
  loading.uploading = options.uploading;
  return loading;
}

/// The same sum as of an executor that was made: workspaceBytes.
int64_t workspaceOf(const LaunchPlan &plan, const Model &model,
                    const ExecutorOptions &options) {
  auto largest = [&](int64_t rows) {
    return largestStep(rows, options.slots, options.sizes);
  };
  int64_t logitRows = std::min(options.slots, options.rows);
  StepSizes general = largest(options.rows),
            decode = largest(decodeRows(model, options));
  int64_t sum = Launcher::bytesOf(plan.general, general) +
                Launcher::bytesOf(plan.decode, decode) +
                DeviceMemory::sizeOf(logitRows * rowBytesOf(model)) +
                StepInputs::bytesOf(general) + StepInputs::bytesOf(decode);
  for (const LaunchPlan::TopLogits &each : plan.topLogits) {
    sum += TopLogitsFinder::bytesOf(each, logitRows);
  }
  return sum;
}

} // namespace

ExecutorBytes CudaExecutor::estimate(const Model &model,
                                     const ExecutorOptions &options) {
  const GPUCode &code = *CudaModule::choose(model.cudaCode(), *model.gpu(),
                                            model.path(), model.forced())
                             .code;
  LaunchPlan plan = LaunchPlan::parse(code.plan, code.path, model.path(),
                                      model.metadata().state.size());
  return {WeightUpload(model.metadata(), model.path()).bytes(),
          workspaceOf(plan, model, options)};
}

CudaExecutor::CudaExecutor(const Model &model, const ExecutorOptions &options)
    : program(Program::of(model, loadingFor(model, options))),
      slots(options.slots), sizes(options.sizes), rowBytes(rowBytesOf(model)),
      embeddingBytes(model.metadata().hidden *
                     static_cast<int64_t>(sizeof(float))),
      stream(program->context()),
      state(program->context(), model.metadata(), slots, sizes),
      logits(std::make_unique<DeviceMemory>(
          program->context(), std::min(slots, options.rows) * rowBytes,
          "the logits of a step")),
      inputs(program->context(), largest(options.rows)),
      decodeInputs(program->context(), largest(decodeRows(model, options))),
      general(program->context(), program->plan(), program->plan().general,
              program->functions(), largest(options.rows), addresses(inputs),
              program->switches().overlap),
      decode(program->context(), program->plan(), program->plan().decode,
             program->functions(), largest(decodeRows(model, options)),
             addresses(decodeInputs), program->switches().overlap),
      graphs(program->context()), profile(options.profile) {
  if (options.warn && !program->fallback().empty()) {
    options.warn(program->fallback());
  }
  for (const LaunchPlan::TopLogits &each : program->plan().topLogits) {
    finders.emplace_back(*program, each, std::min(slots, options.rows),
                         logits->address());
  }
  if (profile) {
    profile->begin({model.path(), model.metadata().compiler,
                    program->codeName(), program->plan().general.parts,
                    program->plan().decode.parts, threads(),
                    program->context()->device().name});
    timer = std::make_unique<StepTimer>(program->context(), program->plan(),
                                        *profile);
  }
}

StepSizes CudaExecutor::largest(int64_t rows) const {
  return largestStep(rows, slots, sizes);
}

StepAddresses CudaExecutor::addresses(const StepInputs &from) const {
  StepAddresses result;
  from.tell(result);
  result.logits = logits->address();
  result.pools = state.addresses();
  result.weights = [this](int64_t offset) { return program->weights(offset); };
  return result;
}

int64_t CudaExecutor::workspaceBytes() const {
  int64_t sum = general.bytes() + decode.bytes() + logits->bytes() +
                (embeddings ? embeddings->bytes() : 0) + inputs.bytes() +
                decodeInputs.bytes();
  for (const TopLogitsFinder &finder : finders) {
    sum += finder.bytes();
  }
  return sum;
}

void CudaExecutor::reserveLogits(int64_t rows) {
  int64_t bytes = rows * rowBytes;
  if (bytes <= logits->bytes()) {
    return;
  }
  auto larger =
      std::make_unique<DeviceMemory>(program->context(), bytes,
                                     "the logits of " + std::to_string(rows) +
                                         " rows; lower the prefill chunk");
  graphs.clear(); // which have the old address
  general.setLogits(larger->address());
  decode.setLogits(larger->address());
  for (TopLogitsFinder &finder : finders) {
    finder.setLogits(larger->address());
  }
  logits = std::move(larger);
}

void CudaExecutor::reserveEmbeddings(int64_t rows) {
  int64_t bytes = rows * embeddingBytes;
  if (rows == 0 || (embeddings && bytes <= embeddings->bytes())) {
    return;
  }
  embeddings = std::make_unique<DeviceMemory>(
      program->context(), bytes,
      "the embeddings of " + std::to_string(rows) +
          " rows; lower the prefill chunk");
  general.setEmbeddings(embeddings->address());
}

void CudaExecutor::run(const StepRequest &request) {
  Context::Current current(*program->context());
  uint64_t *parts = profile ? profile->startStep(request.decodes) : nullptr;
  uint64_t from = profile ? cycleCount() : 0;
  try {
    begin(request);
  } catch (...) {
    stream.drain(); // what was begun reads buffers that the next step writes
    throw;
  }
  stream.synchronize();
  const StepView &step = request.step;
  if (profile) {
    timer->report(request.decodes ? decode : general, from, parts);
    profile->endStep(step.tokens.size(), step.segments.size(),
                     step.rows.size());
  }
  lastRows = step.rows.size();
}

void CudaExecutor::launch(bool decodes, const StepSizes &sizes) {
  Launcher &launcher = decodes ? decode : general;
  if (timer) {
    launcher.launch(sizes, stream, [&](size_t i) { timer->mark(i, stream); });
  } else if (decodes && program->switches().graphs) {
    graphs.run(sizes, stream, [&] { launcher.launch(sizes, stream); });
  } else {
    launcher.launch(sizes, stream);
  }
}

void CudaExecutor::begin(const StepRequest &request) {
  const StepView &step = request.step;
  found = nullptr;
  lastRows = 0; // until they are there
  reserveLogits(step.rows.size());
  reserveEmbeddings(step.embeddingRows.size());
  StepSizes own{
      step.tokens.size(), step.segments.size(),      step.rows.size(), slots,
      sizes.capacity,     step.embeddingRows.size(), sizes.ring};
  (request.decodes ? decodeInputs : inputs).send(step, stream);
  launch(request.decodes, own);
  if (request.logits) {
    stream.copyToHost(request.logits, logits->address(),
                      step.rows.size() * rowBytes);
  }
  if (!step.embeddingRows.empty()) {
    stream.copyToHost(step.embeddings, embeddings->address(),
                      step.embeddingRows.size() * embeddingBytes);
  }
}

void CudaExecutor::readLogits(int64_t row, float *result) {
  Context::Current current(*program->context());
  stream.copyToHost(result,
                    logits->address() + static_cast<uint64_t>(row * rowBytes),
                    rowBytes);
  stream.synchronize();
}

std::optional<TopLogits> CudaExecutor::topLogits(int64_t row, size_t count) {
  auto enough =
      std::find_if(finders.begin(), finders.end(), [&](const auto &finder) {
        return finder.count() >= static_cast<int64_t>(count);
      });
  if (count == 0 || enough == finders.end()) {
    return std::nullopt;
  }
  if (found != &*enough) { // once for all rows of a step
    Context::Current current(*program->context());
    enough->run(lastRows, stream);
    found = &*enough;
  }
  return enough->row(row, rowBytes / static_cast<int64_t>(sizeof(float)));
}
