#include "runtime/Session/Session.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace cheems;

namespace {

// Larger chunks compute the same and only cost memory.
constexpr int64_t maxChunk = 65536;
constexpr int64_t maxSlots = 65536;

std::string number(int64_t value) { return std::to_string(value); }

int64_t chooseContext(const Metadata &data, const SessionOptions &options) {
  if (options.context < 0 || options.context > INT32_MAX) {
    throw Error(Status::usage, "the context must be between 1 and " +
                                   number(INT32_MAX) + ", not " +
                                   number(options.context));
  }
  if (options.context == 0) {
    return data.defaultContext == 0 ? INT32_MAX : data.defaultContext;
  }
  double trained = static_cast<double>(data.trainedContext) *
                   (data.dynamicRope ? std::max(1.0, data.ropeFactor) : 1.0);
  if (static_cast<double>(options.context) > trained && options.warn) {
    options.warn("a context of " + number(options.context) + " is past the " +
                 number(static_cast<int64_t>(trained)) +
                 " tokens the model was made for; expect worse text there");
  }
  return options.context;
}

int64_t chooseChunk(const Variant &variant, const SessionOptions &options,
                    int64_t context) {
  if (options.prefillChunk < 0) {
    throw Error(Status::usage, "the prefill chunk must be at least 1, not " +
                                   number(options.prefillChunk));
  }
  return std::min(
      {options.prefillChunk == 0 ? variant.prefill : options.prefillChunk,
       maxChunk, context});
}

/// More rows a step than a chunk's and one a slot.
int64_t chooseRows(const SessionOptions &options) {
  if (options.rows < 0) {
    throw Error(Status::usage, "the rows of a step must be at least 1, not " +
                                   number(options.rows));
  }
  return std::min(options.rows, maxChunk);
}

int64_t checkSlots(int64_t slots) {
  if (slots < 1 || slots > maxSlots) {
    throw Error(Status::usage, "slots must be between 1 and " +
                                   number(maxSlots) + ", not " + number(slots));
  }
  return slots;
}

uint64_t drawIdentity() {
  std::random_device device; // 32 bits at a time
  uint64_t high = device();
  return high << 32 | device();
}

} // namespace

Session::Sizes::Sizes(const Model &model, const SessionOptions &options)
    : context(chooseContext(model.metadata(), options)),
      chunk(chooseChunk(model.variant(), options, context)),
      slots(checkSlots(options.slots)),
      rows(std::max({chunk, slots, chooseRows(options)})) {}

ExecutorOptions Session::Sizes::executor(const Model &model,
                                         const SessionOptions &options) const {
  ExecutorOptions result;
  result.threads = options.threads;
  result.slots = slots;
  result.rows = rows;
  result.sizes = poolSizes(model, context, rows);
  result.profile = options.profile.get();
  result.warn = options.warn;
  result.uploading = options.uploading;
  return result;
}

Session::Session(const std::shared_ptr<const Model> &model,
                 const SessionOptions &options)
    : Session(model, options, Sizes(*model, options)) {}

Session::Session(std::shared_ptr<const Model> model,
                 const SessionOptions &options, const Sizes &sizes)
    : compiled(std::move(model)), interrupted(options.interrupted),
      profile(options.profile), contextLength(sizes.context),
      chunk(sizes.chunk), rowLimit(sizes.rows),
      executor(makeExecutor(*compiled, sizes.executor(*compiled, options))),
      checks(vocabulary(), options.slots, rowLimit, contextLength),
      positions(options.slots), reached(options.slots),
      firstRows(options.slots), histories(options.slots),
      identity(drawIdentity()), segments(options.slots), rowNumbers(chunk) {
  std::iota(rowNumbers.begin(), rowNumbers.end(), 0);
}

SessionBytes Session::estimate(const Model &model,
                               const SessionOptions &options) {
  SessionOptions silent = options;
  silent.warn = nullptr;
  Sizes sizes(model, silent);
  ExecutorOptions asked = sizes.executor(model, silent);
  ExecutorBytes executor = estimateExecutor(model, asked);
  return {executor.weights,
          StatePools::bytesOf(model.metadata(), asked.slots, asked.sizes),
          executor.workspace};
}

void Session::step(const StepView &step, float *logits) {
  if (!step.rows.empty() && !logits) {
    throw Error(Status::usage, "step refused: a needed pointer is null");
  }
  run(step, logits);
}

void Session::stepKeeping(const StepView &step) {
  int64_t rows = step.rows.size();
  if (rows > slots()) {
    throw Error(Status::usage, "step refused: logits of " + number(rows) +
                                   " rows are to be kept, but this session "
                                   "keeps those of " +
                                   number(slots()));
  }
  float *logits = nullptr;
  if (!executor->keepsLogits()) {
    kept.resize(static_cast<size_t>(slots() * vocabulary()));
    logits = kept.data();
  }
  run(step, logits);
  keptRows = rows;
}

void Session::run(const StepView &step, float *logits) {
  keptRows = 0; // until the step has ended
  if (!executor->isOfThisProcess()) {
    throw Error(Status::usage,
                "the session was made before a fork and its threads are in the "
                "parent; make a session in this process");
  }
  StepRequest request = {step, logits};
  int64_t count = step.segments.size();
  bool decodes = step.tokens.size() <= compiled->variant().decodeRows &&
                 step.embeddingRows.empty();
  if (step.segments.data() && count >= 1 &&
      count <= slots()) { // otherwise refused below
    for (int64_t i = 0; i < count; ++i) {
      cheems_segment &segment = segments[i] = step.segments[i];
      std::fill(std::begin(segment.reserved), std::end(segment.reserved), 0);
      if (segment.rope_length == 0) {
        segment.rope_length = static_cast<int32_t>(
            std::min<int64_t>(INT32_MAX, int64_t(segment.position) +
                                             std::max(segment.length, 0)));
      }
      decodes &= segment.length == 1;
    }
    request.step.segments = {segments.data(), count};
  }
  request.decodes = decodes;
  checks.check(request.step, positions);

  if (int64_t ring = pools().poolSizes().ring) {
    for (const cheems_segment &segment : request.step.segments) {
      int64_t &first = firstRows[segment.slot]; // gone even if the step fails
      first =
          std::max(first, int64_t(segment.position) + segment.length - ring);
    }
  }
  executor->run(request);
  for (const cheems_segment &segment : request.step.segments) {
    setPosition(segment.slot, positions[segment.slot] + segment.length);
  }
}

template <typename FeedChunk>
void Session::feed(int64_t slot, Span<const int32_t> tokens,
                   const FeedChunk &feedChunk) {
  checkSlot(slot);
  int64_t count = tokens.size();
  if (count < 1 || !tokens.data()) {
    throw Error(Status::usage, "a prefill needs at least one token");
  }
  int64_t start = positions[slot];
  if (count > contextLength - start) {
    throw ContextFull("the context is full: " + number(count) +
                      " tokens after " + number(start) +
                      " do not fit in a context of " + number(contextLength) +
                      "; raise it with -c");
  }
  for (int64_t i = 0; i < count; ++i) { // before the first chunk is fed
    if (tokens[i] < 0 || tokens[i] >= vocabulary()) {
      throw Error(Status::usage, "token " + number(tokens[i]) + " at index " +
                                     number(i) +
                                     " is outside the vocabulary (0 to " +
                                     number(vocabulary() - 1) + ")");
    }
  }
  for (int64_t done = 0; done < count; done += chunk) {
    if (interrupted && interrupted()) {
      throw Error(Status::interrupted, "interrupted");
    }
    int64_t length = std::min(chunk, count - done);
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(slot);
    segment.length = static_cast<int32_t>(length);
    segment.position = positions[slot];
    segment.rope_length = static_cast<int32_t>(start + count);
    feedChunk(StepView{tokens.part(done, length), {&segment, 1}},
              done + length);
  }
}

void Session::prefill(int64_t slot, Span<const int32_t> tokens, float *logits,
                      const std::function<void(int64_t done)> &fed) {
  feed(slot, tokens, [&](StepView part, int64_t done) {
    if (logits && done == tokens.size()) {
      part.rows = lastRow(part);
    }
    step(part, logits);
    if (fed) {
      fed(done);
    }
  });
}

void Session::prefillKeeping(int64_t slot, Span<const int32_t> tokens,
                             const std::function<void(int64_t done)> &fed) {
  feed(slot, tokens, [&](StepView part, int64_t done) {
    if (done == tokens.size()) {
      part.rows = lastRow(part);
    }
    stepKeeping(part);
    if (fed) {
      fed(done);
    }
  });
}

void Session::prefillAll(int64_t slot, Span<const int32_t> tokens,
                         const LogitsHandler &receive) {
  std::vector<float> logits(static_cast<size_t>(std::max<int64_t>(
                                0, std::min(chunk, tokens.size()))) *
                            vocabulary());
  feed(slot, tokens, [&](StepView part, int64_t done) {
    int64_t rows = part.tokens.size();
    part.rows = allRows(part);
    step(part, logits.data());
    receive(done - rows, rows, logits.data());
  });
}

void Session::embed(int64_t slot, Span<const int32_t> tokens, Pooling pooling,
                    float *embedding) {
  bool mean = pooling == Pooling::mean;
  std::vector<float> values(
      static_cast<size_t>(
          mean ? std::max<int64_t>(0, std::min(chunk, tokens.size())) : 1) *
      static_cast<size_t>(hidden()));
  EmbeddingSum sum;
  feed(slot, tokens, [&](StepView part, int64_t done) {
    if (mean) {
      part.embeddingRows = allRows(part);
    } else if (done == tokens.size()) {
      part.embeddingRows = lastRow(part);
    }
    part.embeddings = values.data();
    step(part, nullptr);
    for (int64_t row = 0; row < part.embeddingRows.size(); ++row) {
      sum.add(Span<const float>(values).part(row * hidden(), hidden()));
    }
  });
  std::vector<float> result = sum.mean(mean ? tokens.size() : 1);
  std::copy(result.begin(), result.end(), embedding);
}

Span<const int32_t> Session::allRows(const StepView &part) const {
  return {rowNumbers.data(), part.tokens.size()};
}

Span<const int32_t> Session::lastRow(const StepView &part) const {
  return {&rowNumbers[static_cast<size_t>(part.tokens.size() - 1)], 1};
}

cheems_segment Session::oneRow(int64_t slot) const {
  checkSlot(slot);
  cheems_segment segment = {};
  segment.slot = static_cast<int32_t>(slot);
  segment.length = 1;
  segment.position = positions[slot];
  return segment;
}

void Session::decode(int64_t slot, int32_t token, float *logits) {
  cheems_segment segment = oneRow(slot);
  step({{&token, 1}, {&segment, 1}, {rowNumbers.data(), 1}}, logits);
}

void Session::decodeKeeping(int64_t slot, int32_t token) {
  cheems_segment segment = oneRow(slot);
  stepKeeping({{&token, 1}, {&segment, 1}, {rowNumbers.data(), 1}});
}

void Session::checkKept(int64_t index) const {
  if (index < 0 || index >= keptRows) {
    throw Error(Status::usage,
                "logits of row " + number(index) +
                    " are asked for, but the last step has kept those of " +
                    number(keptRows) + " row(s)");
  }
}

const float *Session::keptLogits(int64_t index) {
  checkKept(index);
  if (!executor->keepsLogits()) {
    return kept.data() + index * vocabulary();
  }
  kept.resize(static_cast<size_t>(vocabulary()));
  executor->readLogits(index, kept.data());
  return kept.data();
}

bool Session::keepsRowsTogether() const { return !executor->keepsLogits(); }

std::optional<TopLogits> Session::topLogits(size_t count, int64_t index) {
  checkKept(index);
  return executor->topLogits(index, count);
}

void Session::checkSlot(int64_t slot) const {
  if (slot < 0 || slot >= slots()) {
    throw Error(Status::usage, "slot " + number(slot) +
                                   " does not exist; slots go from 0 to " +
                                   number(slots() - 1));
  }
}
