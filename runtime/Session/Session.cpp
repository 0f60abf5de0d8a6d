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

/// The fields that the caller of a step fills in.
cheems_step stepOf(const int32_t *tokens, int64_t tokenCount,
                   const cheems_segment *segments, int64_t segmentCount,
                   const int32_t *rows, int64_t rowCount, float *logits,
                   const StepEmbeddings &embeddings) {
  cheems_step step = {};
  step.tokens = tokens;
  step.token_count = tokenCount;
  step.segments = segments;
  step.segment_count = segmentCount;
  step.rows = rows;
  step.row_count = rowCount;
  step.logits = logits;
  step.embedding_rows = embeddings.rows;
  step.embedding_row_count = embeddings.count;
  step.embeddings = embeddings.values;
  return step;
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
  result.capacity = poolCapacity(model, context);
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
      histories(options.slots), identity(drawIdentity()),
      segments(options.slots), allRows(chunk) {
  std::iota(allRows.begin(), allRows.end(), 0);
}

SessionBytes Session::estimate(const Model &model,
                               const SessionOptions &options) {
  SessionOptions silent = options;
  silent.warn = nullptr;
  Sizes sizes(model, silent);
  ExecutorOptions asked = sizes.executor(model, silent);
  ExecutorBytes executor = estimateExecutor(model, asked);
  return {executor.weights,
          StatePools::bytesOf(model.metadata(), asked.slots, asked.capacity),
          executor.workspace};
}

void Session::step(const int32_t *tokens, int64_t tokenCount,
                   const cheems_segment *given, int64_t segmentCount,
                   const int32_t *rows, int64_t rowCount, float *logits,
                   const StepEmbeddings &embeddings) {
  if (rowCount != 0 && !logits) {
    throw Error(Status::usage, "step refused: a needed pointer is null");
  }
  run(stepOf(tokens, tokenCount, given, segmentCount, rows, rowCount, logits,
             embeddings));
}

void Session::stepKeeping(const int32_t *tokens, int64_t tokenCount,
                          const cheems_segment *given, int64_t segmentCount,
                          const int32_t *rows, int64_t rowCount,
                          const StepEmbeddings &embeddings) {
  if (rowCount > slots()) {
    throw Error(Status::usage, "step refused: logits of " + number(rowCount) +
                                   " rows are to be kept, but this session "
                                   "keeps those of " +
                                   number(slots()));
  }
  float *logits = nullptr;
  if (!executor->keepsLogits()) {
    kept.resize(static_cast<size_t>(slots() * vocabulary()));
    logits = kept.data();
  }
  run(stepOf(tokens, tokenCount, given, segmentCount, rows, rowCount, logits,
             embeddings));
  keptRows = rowCount;
}

void Session::run(cheems_step step) {
  keptRows = 0; // until the step has ended
  if (!executor->isOfThisProcess()) {
    throw Error(Status::usage,
                "the session was made before a fork and its threads are in the "
                "parent; make a session in this process");
  }
  const cheems_segment *given = step.segments;
  int64_t segmentCount = step.segment_count;
  bool decodes = step.token_count <= compiled->variant().decodeRows &&
                 step.embedding_row_count == 0;
  if (given && segmentCount >= 1 &&
      segmentCount <= slots()) { // otherwise refused below
    for (int64_t i = 0; i < segmentCount; ++i) {
      cheems_segment &segment = segments[i] = given[i];
      std::fill(std::begin(segment.reserved), std::end(segment.reserved), 0);
      if (segment.rope_length == 0) {
        segment.rope_length = static_cast<int32_t>(
            std::min<int64_t>(INT32_MAX, int64_t(segment.position) +
                                             std::max(segment.length, 0)));
      }
      decodes &= segment.length == 1;
    }
    step.segments = segments.data();
  }
  checks.check(step, positions);

  executor->run(step, decodes);
  for (int64_t i = 0; i < segmentCount; ++i) {
    int32_t slot = segments[i].slot;
    setPosition(slot, positions[slot] + segments[i].length);
  }
}

template <typename Rows>
void Session::feed(int64_t slot, const int32_t *tokens, int64_t count,
                   const Rows &rowsOfChunk) {
  checkSlot(slot);
  if (count < 1 || !tokens) {
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
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(slot);
    segment.length = static_cast<int32_t>(std::min(chunk, count - done));
    segment.position = positions[slot];
    segment.rope_length = static_cast<int32_t>(start + count);
    rowsOfChunk(segment, done);
  }
}

void Session::prefill(int64_t slot, const int32_t *tokens, int64_t count,
                      float *logits,
                      const std::function<void(int64_t done)> &fed) {
  feed(slot, tokens, count, [&](const cheems_segment &segment, int64_t done) {
    int32_t last = segment.length - 1;
    bool wanted = logits && done + segment.length == count;
    step(tokens + done, segment.length, &segment, 1, &last, wanted, logits);
    if (fed) {
      fed(done + segment.length);
    }
  });
}

void Session::prefillKeeping(int64_t slot, const int32_t *tokens, int64_t count,
                             const std::function<void(int64_t done)> &fed) {
  feed(slot, tokens, count, [&](const cheems_segment &segment, int64_t done) {
    int32_t last = segment.length - 1;
    bool wanted = done + segment.length == count;
    stepKeeping(tokens + done, segment.length, &segment, 1, &last, wanted);
    if (fed) {
      fed(done + segment.length);
    }
  });
}

void Session::prefillAll(int64_t slot, const int32_t *tokens, int64_t count,
                         const LogitsHandler &receive) {
  std::vector<float> logits(
      static_cast<size_t>(std::max<int64_t>(0, std::min(chunk, count))) *
      vocabulary());
  feed(slot, tokens, count, [&](const cheems_segment &segment, int64_t done) {
    step(tokens + done, segment.length, &segment, 1, allRows.data(),
         segment.length, logits.data());
    receive(done, segment.length, logits.data());
  });
}

void Session::embed(int64_t slot, const int32_t *tokens, int64_t count,
                    Pooling pooling, float *embedding) {
  bool mean = pooling == Pooling::mean;
  auto size = static_cast<size_t>(hidden());
  std::vector<float> values(
      size * static_cast<size_t>(mean ? std::min(chunk, count) : 1));
  std::vector<double> sums(size);
  feed(slot, tokens, count, [&](const cheems_segment &segment, int64_t done) {
    bool wanted = mean || done + segment.length == count;
    StepEmbeddings embeddings{&allRows[mean ? 0 : segment.length - 1],
                              wanted ? (mean ? segment.length : 1) : 0,
                              values.data()};
    step(tokens + done, segment.length, &segment, 1, nullptr, 0, nullptr,
         embeddings);
    for (size_t i = 0; i < size * static_cast<size_t>(embeddings.count); ++i) {
      sums[i % size] += values[i];
    }
  });
  for (size_t i = 0; i < size; ++i) {
    embedding[i] =
        static_cast<float>(sums[i] / static_cast<double>(mean ? count : 1));
  }
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
  step(&token, 1, &segment, 1, allRows.data(), 1, logits);
}

void Session::decodeKeeping(int64_t slot, int32_t token) {
  cheems_segment segment = oneRow(slot);
  stepKeeping(&token, 1, &segment, 1, allRows.data(), 1);
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
