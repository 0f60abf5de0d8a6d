#include "runtime/Serve/Engine/Runner.h"
#include "runtime/Error.h"
#include "runtime/Serve/Engine/Faults.h"
#include "runtime/Serve/Engine/Logprobs.h"
#include "runtime/ThreadPool/Cores.h"
#include <algorithm>

namespace cheems::serve {

namespace {

/// Bytes of the logits of a step whose prompts want all of theirs.
constexpr int64_t promptLogitsBytes = int64_t{128} << 20;
/// Below so many logits, a pass over them takes less time than to wake threads.
constexpr int64_t worthSharing = int64_t{1} << 20;

int helperCount(const Session &session, const EngineOptions &options) {
  int most = ThreadPool::chooseThreads(options.threads, CoreLimits::host());
  return static_cast<int>(std::min<int64_t>(most, session.slots()));
}

} // namespace

Runner::Runner(Session &session, TextModel &text, Metrics &metrics,
               const EngineOptions &options)
    : session(session), text(text), metrics(metrics),
      slots(session, options.cacheBytes, options.exactCache),
      pace(options.interTokenSeconds) {
  if (!session.hostThreads() &&
      session.vocabulary() * session.slots() * drawPasses >= worthSharing) {
    helpers.emplace(helperCount(session, options),
                    ThreadPool::Waiting::sleeping);
  }
  int64_t unit = slots.unit();
  int64_t rowBytes = session.vocabulary() * int64_t{sizeof(float)};
  wantedRows = std::max<int64_t>(1, promptLogitsBytes / rowBytes / unit) * unit;
  metrics.slots = session.slots();
  metrics.entriesAll =
      session.unlimited() ? 0 : session.slots() * session.context();
}

bool Runner::start(const std::shared_ptr<Job> &job) {
  const GenerationRequest &request = job->request;
  Reuse reuse = slots.take(request.prompt, request.isolation, request.slot,
                           job->mayReuse());
  if (reuse.slot < 0) {
    return false;
  }
  Run run;
  run.job = job;
  run.slot = reuse.slot;
  runs.push_back(run);
  try {
    setUp(*job, reuse);
    job->sink->started(reuse.slot, reuse.cached);
    count();
  } catch (const std::exception &error) { // memory is short
    fail(*job, faultOf(error));
    sweep();
  }
  return true;
}

void Runner::setUp(Job &job, const Reuse &reuse) {
  const GenerationRequest &request = job.request;
  job.started = Clock::now();
  metrics.queueTime.observe(secondsBetween(job.came, job.started));
  job.usage.cachedTokens = reuse.cached;
  metrics.prefixQueries += job.mayReuse() ? job.promptSize() : 0;
  metrics.prefixHits += reuse.cached;
  metrics.promptTokens += job.promptSize();

  Sampler sampler = job.sampler;
  sampler.accept(request.prompt.data(), request.prompt.size());
  for (int64_t i = 0; i < request.choices; ++i) {
    job.choices.push_back(std::make_unique<Choice>(
        i, sampler, job.constraint ? job.constraint->clone() : nullptr,
        text.tokenizer(), job.rules));
  }
  if (request.cachePrompt && !slots.goesBack() && slots.cache().budget() > 0) {
    job.checkpoints =
        chooseCheckpoints(request, reuse.cached, reuse.common, slots.unit());
  }
}

void Runner::step() {
  drawWaiting();
  sweep(); // a single token may have ended a text
  if (std::all_of(runs.begin(), runs.end(),
                  [](const Run &run) { return !run.row.empty(); })) {
    return; // none is there, or all are being prepared
  }
  try {
    plan();
    compute();
  } catch (const std::exception &error) {
    failStep(faultOf(error));
    sweep();
    return;
  }
  receive();
  draw();
  sweep();
}

void Runner::failAll(const GenerationFault &fault) {
  for (Run &run : runs) {
    slots.erase(run.slot);
    fail(*run.job, fault);
  }
  parts.clear();
  draws.clear();
  sweep();
}

Wish Runner::wishOf(const Run &run) const {
  Wish wish;
  wish.waiting = !run.row.empty();
  wish.decoding = run.choice != nullptr;
  wish.position = session.position(run.slot);
  const Job &job = *run.job;
  wish.end = job.checkpoints.empty() ? job.promptSize()
                                     : job.checkpoints.front().position;
  wish.allRows = job.wantsPromptLogprobs();
  return wish;
}

void Runner::plan() {
  parts.clear(); // what fails now is not the step before
  std::vector<Wish> wishes;
  int64_t decoding = 0;
  for (const Run &run : runs) {
    wishes.push_back(wishOf(run));
    decoding += run.choice != nullptr && run.row.empty();
  }
  StepLimits limits;
  limits.unit = slots.unit();
  limits.rows = session.maxRows();
  limits.promptRows = pace.promptRows(decoding, limits.unit, limits.rows);
  limits.chunk = std::max(session.prefillChunk(), limits.unit);
  limits.wantedRows = wantedRows;
  std::vector<int64_t> counts = planStep(wishes, limits, turn++);
  tokens.clear();
  rows.clear();
  embeddingRows.clear();
  segments.clear();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (counts[i] != 0) {
      add(i, counts[i]);
    }
  }
}

/// A segment of so many rows to the step.
void Runner::add(size_t index, int64_t count) {
  const Run &run = runs[index];
  const Job &job = *run.job;
  Part part = {};
  part.run = index;
  part.rows = count;
  part.start = static_cast<int64_t>(tokens.size());
  part.firstRow = static_cast<int64_t>(rows.size());
  int64_t position = session.position(run.slot);
  cheems_segment segment = {};
  segment.slot = static_cast<int32_t>(run.slot);
  segment.start = static_cast<int32_t>(part.start);
  segment.length = static_cast<int32_t>(count);
  segment.position = static_cast<int32_t>(position);
  if (run.choice) {
    tokens.push_back(run.choice->lastToken());
    part.wanted = 1;
  } else {
    segment.rope_length = static_cast<int32_t>(job.promptSize());
    auto first = job.request.prompt.begin() + position;
    tokens.insert(tokens.end(), first, first + count);
    bool last = position + count == job.promptSize();
    part.wanted = job.wantsPromptLogprobs()     ? count
                  : last && job.rules.limit > 0 ? 1
                                                : 0;
    part.embedded = job.wantsAllEmbeddings()        ? count
                    : last && job.request.embedding ? 1
                                                    : 0;
  }
  part.firstEmbedding = static_cast<int64_t>(embeddingRows.size());
  for (int64_t i = part.embedded; i > 0; --i) {
    embeddingRows.push_back(static_cast<int32_t>(part.start + count - i));
  }
  for (int64_t i = part.wanted; i > 0; --i) {
    rows.push_back(static_cast<int32_t>(part.start + count - i));
  }
  segments.push_back(segment);
  parts.push_back(part);
}

void Runner::compute() {
  Clock::time_point begin = Clock::now();
  auto tokenCount = static_cast<int64_t>(tokens.size()),
       rowCount = static_cast<int64_t>(rows.size());
  keeps = rowCount <= session.slots();
  embeddings.resize(embeddingRows.size() *
                    static_cast<size_t>(session.hidden()));
  StepView step = {tokens, segments, rows, embeddingRows, embeddings.data()};
  if (keeps) {
    session.stepKeeping(step);
  } else {
    logits.resize(static_cast<size_t>(rowCount * session.vocabulary()));
    session.step(step, logits.data());
  }
  int64_t decoded = 0;
  for (const Part &part : parts) {
    decoded += runs[part.run].choice != nullptr;
  }
  int64_t passed = nanosecondsSince(begin);
  pace.took(decoded, tokenCount - decoded, 1e-9 * double(passed));
  metrics.computing += passed;
  metrics.iterationTokens.observe(double(tokenCount));
}

/// What was in the step cannot go on; what was not, can.
void Runner::failStep(const GenerationFault &fault) {
  for (const Part &part : parts) {
    Run &run = runs[part.run];
    slots.erase(run.slot);
    fail(*run.job, fault);
  }
  parts.clear();
}

void Runner::receive() {
  draws.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    Part part = parts[i];
    const Run run = runs[part.run];
    slots.fed(run.slot, {tokens.data() + part.start, part.rows},
              run.choice ? 0 : run.job->promptSize());
    if (run.choice) {
      draws.emplace_back(part.run, part.firstRow);
      continue;
    }
    try {
      promptGrew(part);
    } catch (const std::exception &error) {
      fail(*run.job, faultOf(error));
    }
  }
}

/// A part of a prompt was fed.
void Runner::promptGrew(const Part &part) {
  Run &run = runs[part.run];
  Job &job = *run.job;
  int64_t position = session.position(run.slot);
  if (job.wantsPromptLogprobs()) {
    tellPromptLogprobs(part, position - part.rows);
  }
  addEmbeddings(part);
  if (!job.checkpoints.empty() &&
      job.checkpoints.front().position == position) {
    slots.keep(run.slot, job.checkpoints.front().shared);
    job.checkpoints.erase(job.checkpoints.begin());
  }
  job.sink->prompted(position, job.promptSize());
  if (position == job.promptSize()) {
    promptFed(part);
  }
}

/// The choices begin: the first one where the prompt is, others in copies.
void Runner::promptFed(const Part &part) {
  std::shared_ptr<Job> job = runs[part.run].job;
  int64_t slot = runs[part.run].slot;
  job->prompted = Clock::now();
  if (job->rules.limit == 0) {
    tellEmbedding(*job);
    for (const auto &choice : job->choices) {
      choice->end(FinishReason::length, *job->sink);
    }
    job->nextChoice = job->choices.size();
    finish(*job);
    return;
  }
  int64_t index = part.firstRow + part.wanted - 1;
  runs[part.run].choice = job->choices[0].get();
  draws.emplace_back(part.run, index);
  for (job->nextChoice = 1; job->nextChoice < job->choices.size();
       ++job->nextChoice) {
    int64_t copy = waiting.empty() ? slots.fork(slot) : -1;
    if (copy < 0) {
      job->promptState = session.snapshot(slot);
      const float *row = rowOf(index);
      job->promptLogits.assign(row, row + session.vocabulary());
      waiting.push_back({job, slots.slots()[static_cast<size_t>(slot)]});
      return;
    }
    Run run;
    run.job = job;
    run.slot = copy;
    run.choice = job->choices[job->nextChoice].get();
    runs.push_back(run);
    draws.emplace_back(runs.size() - 1, index);
  }
}

void Runner::tellPromptLogprobs(const Part &part, int64_t position) {
  Job &job = *runs[part.run].job;
  std::vector<TokenLogprob> told;
  if (position == 0) {
    TokenLogprob first;
    first.token = job.request.prompt[0];
    told.push_back(first);
  }
  // the row behind the last token tells of none of the prompt
  int64_t count = std::min(part.rows, job.promptSize() - 1 - position);
  size_t before = told.size();
  told.resize(before + static_cast<size_t>(count));
  int64_t vocabulary = session.vocabulary();
  const float *first = keeps ? nullptr : logits.data();
  if (keeps) {
    copies.resize(static_cast<size_t>(part.wanted * vocabulary));
    for (int64_t i = 0; i < part.wanted; ++i) {
      const float *row = session.keptLogits(part.firstRow + i);
      std::copy(row, row + vocabulary, copies.data() + i * vocabulary);
    }
    first = copies.data();
  } else {
    first += part.firstRow * vocabulary;
  }
  inParallel(count, drawPasses * count, [&](int64_t i) {
    told[before + static_cast<size_t>(i)] =
        tokenLogprob(first + i * vocabulary, vocabulary,
                     job.request.prompt[static_cast<size_t>(position + i + 1)],
                     *job.rules.topLogprobs);
  });
  job.sink->promptLogprobs(std::move(told));
}

void Runner::take(size_t index, Drawn drawn) {
  Run &run = runs[index];
  Job &job = *run.job;
  if (job.over) {
    return;
  }
  if (drawn.fault) {
    fail(job, *drawn.fault);
    return;
  }
  Clock::time_point now = Clock::now();
  if (job.firstToken == Clock::time_point()) {
    job.firstToken = now;
    metrics.timeToFirstToken.observe(secondsBetween(job.came, now));
  }
  if (run.last != Clock::time_point()) {
    metrics.interTokenLatency.observe(secondsBetween(run.last, now));
  }
  run.last = now;
  ++metrics.generatedTokens;
  try {
    run.choice->take(std::move(drawn), *job.sink);
  } catch (const std::exception &error) {
    fail(job, faultOf(error));
    return;
  }
  if (run.choice->ended() && job.allEnded()) {
    finish(job);
  }
}

void Runner::fail(Job &job, const GenerationFault &fault) {
  if (job.over) {
    return;
  }
  job.over = true;
  ++metrics.finishedError;
  if (onOver) {
    onOver(job);
  }
  job.sink->failed(fault);
}

void Runner::finish(Job &job) {
  for (const auto &choice : job.choices) {
    FinishReason reason =
        choice->ended().value_or(ChoiceEnd()).reason; // all have ended
    ++(reason == FinishReason::stop     ? metrics.finishedStop
       : reason == FinishReason::length ? metrics.finishedLength
                                        : metrics.finishedAbort);
  }
  metrics.endToEnd.observe(secondsBetween(job.came, Clock::now()));
  if (onOver) {
    onOver(job);
  }
  job.finish();
}

void Runner::endWhere(
    const std::function<std::optional<GenerationFault>(const Job &)> &why) {
  std::vector<std::shared_ptr<Job>> jobs;
  jobs.reserve(runs.size() + waiting.size() + aside.size());
  for (const Run &run : runs) {
    jobs.push_back(run.job);
  }
  for (const Waiting &each : waiting) {
    jobs.push_back(each.job);
  }
  for (const Aside &each : aside) {
    jobs.push_back(each.run.job);
  }
  for (const std::shared_ptr<Job> &job : jobs) {
    if (job->over) {
      continue;
    }
    if (job->cancelled()) {
      ++metrics.cancelledByClient;
      for (const auto &choice : job->choices) {
        choice->end(FinishReason::cancelled, *job->sink);
      }
      finish(*job);
    } else if (std::optional<GenerationFault> fault = why(*job)) {
      fail(*job, *fault);
    }
  }
  sweep();
}

/// Slots of what has ended are free again.
void Runner::sweep() {
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run &run = runs[i];
    if (run.job->over || (run.choice && run.choice->ended())) {
      slots.release(run.slot);
    }
  }
  auto ended = [](const Run &run) {
    return run.job->over || (run.choice && run.choice->ended());
  };
  runs.erase(std::remove_if(runs.begin(), runs.end(), ended), runs.end());
  auto begun = [](const Waiting &each) {
    return each.job->over || each.job->nextChoice == each.job->choices.size();
  };
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(), begun),
                waiting.end());
  auto gone = [](const Aside &each) { return each.run.job->over; };
  aside.erase(std::remove_if(aside.begin(), aside.end(), gone), aside.end());
  count();
}

void Runner::count() {
  int64_t busy = 0, used = 0, jobs = 0;
  const Job *last = nullptr;
  std::vector<const Job *> seen;
  seen.reserve(runs.size());
  for (const Run &run : runs) {
    seen.push_back(run.job.get());
  }
  for (const Aside &each : aside) {
    seen.push_back(each.run.job.get());
  }
  std::sort(seen.begin(), seen.end());
  for (const Job *job : seen) {
    jobs += job != last;
    last = job;
  }
  for (const SlotContents &slot : slots.slots()) {
    busy += slot.busy;
    used += slot.busy ? static_cast<int64_t>(slot.tokens.size()) : 0;
  }
  metrics.running = jobs;
  metrics.slotsBusy = busy;
  metrics.entriesUsed = used;
  metrics.cacheBytes = slots.cache().bytes();
  metrics.cacheEvictions = slots.cache().evictions();
}

std::vector<SlotView> Runner::view() const {
  std::vector<SlotView> views(slots.slots().size());
  for (size_t i = 0; i < views.size(); ++i) {
    views[i].id = static_cast<int64_t>(i);
    views[i].busy = slots.slots()[i].busy;
    views[i].context = session.context();
    views[i].tokens = static_cast<int64_t>(slots.slots()[i].tokens.size());
  }
  for (const Run &run : runs) {
    SlotView &view = views[static_cast<size_t>(run.slot)];
    view.request = run.job->request.id;
    view.promptTokens = run.job->promptSize();
    view.promptDone = std::min(view.tokens, view.promptTokens);
    view.generatedTokens = run.choice ? run.choice->tokens() : 0;
  }
  return views;
}

void Runner::inParallel(int64_t count, int64_t passes,
                        const std::function<void(int64_t)> &act) {
  ThreadPool *threads = session.hostThreads();
  if (!threads && helpers && passes * session.vocabulary() >= worthSharing) {
    threads = &*helpers;
  }
  if (!threads || count < 2) {
    for (int64_t i = 0; i < count; ++i) {
      act(i);
    }
    return;
  }
  threads->parallelFor(
      [](void *context, int64_t begin, int64_t end, int64_t) {
        const auto &act =
            *static_cast<const std::function<void(int64_t)> *>(context);
        for (int64_t i = begin; i < end; ++i) {
          act(i);
        }
      },
      const_cast<void *>(static_cast<const void *>(&act)), count, "draw");
}

} // namespace cheems::serve
