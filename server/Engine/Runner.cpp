#include "server/Engine/Runner.h"
#include "server/Engine/Faults.h"
#include "server/Engine/PromptLogprobs.h"
#include <algorithm>

namespace cheems::serve {

/// Bytes of the logits of a step whose prompts want all of theirs.
constexpr int64_t promptLogitsBytes = int64_t{128} << 20;

Runner::Runner(Session &session, TextModel &text, Metrics &metrics,
               const EngineOptions &options,
               std::function<void(const Job &job)> onOver)
    : session(session), text(text), metrics(metrics),
      slots(session, options.cacheBytes, options.exactCache),
      pace(options.interTokenSeconds), threads(session, options.threads),
      results(session), ends(metrics, std::move(onOver)) {
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
    ends.fail(*job, faultOf(error));
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

void Runner::startWaiting() {
  if (std::optional<Run> run = waiting.start(slots, ends)) {
    runs.push_back(std::move(*run));
  }
  sweep(); // it may have failed
}

bool Runner::hasRoomForState() const {
  auto prompts = std::count_if(runs.begin(), runs.end(), [](const Run &run) {
    return !run.choice && run.job->request.choices > 1;
  });
  return waiting.size() + prompts < statesPerSlot * session.slots();
}

bool Runner::setAside() {
  for (size_t i = runs.size(); i-- > 0;) { // the newest one
    Run &run = runs[i];
    auto theirs = std::count_if(runs.begin(), runs.end(), [&](const Run &each) {
      return each.job == run.job;
    });
    if (!run.choice || theirs < 2) {
      continue;
    }
    Snapshot state;
    try {
      state = session.snapshot(run.slot);
    } catch (const std::exception &) {
      return false; // memory is short: it stays where it is
    }
    SlotContents contents = slots.slots()[static_cast<size_t>(run.slot)];
    slots.release(run.slot);
    waiting.setAside(std::move(run), std::move(state), std::move(contents));
    runs.erase(runs.begin() + static_cast<ptrdiff_t>(i));
    return true;
  }
  return false;
}

void Runner::step() {
  drawPrepared();
  sweep(); // a single token may have ended a text
  if (std::all_of(runs.begin(), runs.end(),
                  [](const Run &run) { return run.isPreparing(); })) {
    return; // none is there, or all are being prepared
  }
  StepPlan plan;
  try {
    std::vector<int64_t> counts = shareRows();
    for (size_t i = 0; i < runs.size(); ++i) {
      if (counts[i] != 0) {
        plan.add(i, runs[i], session.position(runs[i].slot), counts[i]);
      }
    }
    compute(plan);
  } catch (const std::exception &error) {
    failStep(plan, faultOf(error));
    sweep();
    return;
  }
  draw(receive(plan));
  sweep();
}

void Runner::failAll(const GenerationFault &fault) {
  for (Run &run : runs) {
    slots.erase(run.slot);
    ends.fail(*run.job, fault);
  }
  sweep();
}

Wish Runner::wishOf(const Run &run) const {
  Wish wish;
  wish.waiting = run.isPreparing();
  wish.decoding = run.choice != nullptr;
  wish.position = session.position(run.slot);
  const Job &job = *run.job;
  wish.end = job.checkpoints.empty() ? job.promptSize()
                                     : job.checkpoints.front().position;
  wish.allRows = job.wantsPromptLogprobs();
  return wish;
}

/// How many rows each run has of the next step.
std::vector<int64_t> Runner::shareRows() {
  std::vector<Wish> wishes;
  int64_t decoding = 0;
  for (const Run &run : runs) {
    wishes.push_back(wishOf(run));
    decoding += run.choice != nullptr && !run.isPreparing();
  }
  StepLimits limits;
  limits.unit = slots.unit();
  limits.rows = session.maxRows();
  limits.promptRows = pace.promptRows(decoding, limits.unit, limits.rows);
  limits.chunk = std::max(session.prefillChunk(), limits.unit);
  limits.wantedRows = wantedRows;
  return planStep(wishes, limits, turn++);
}

void Runner::compute(const StepPlan &plan) {
  Clock::time_point begin = Clock::now();
  results.compute(plan);
  int64_t decoded = plan.decodedCount();
  int64_t passed = nanosecondsSince(begin);
  pace.took(decoded, plan.tokenCount() - decoded, 1e-9 * double(passed));
  metrics.computing += passed;
  metrics.iterationTokens.observe(double(plan.tokenCount()));
}

/// What was in the step cannot go on; what was not, can.
void Runner::failStep(const StepPlan &plan, const GenerationFault &fault) {
  for (const StepPlan::Part &part : plan.parts()) {
    Run &run = runs[part.run];
    slots.erase(run.slot);
    ends.fail(*run.job, fault);
  }
}

/// What may draw a token now.
std::vector<Draw> Runner::receive(const StepPlan &plan) {
  std::vector<Draw> draws;
  for (const StepPlan::Part &part : plan.parts()) {
    const Run run = runs[part.run];
    slots.fed(run.slot, plan.tokensOf(part),
              run.choice ? 0 : run.job->promptSize());
    if (run.choice) {
      draws.emplace_back(part.run, *run.choice, part.firstRow);
      continue;
    }
    try {
      promptGrew(part, draws);
    } catch (const std::exception &error) {
      ends.fail(*run.job, faultOf(error));
    }
  }
  return draws;
}

/// A part of a prompt was fed.
void Runner::promptGrew(const StepPlan::Part &part, std::vector<Draw> &draws) {
  Run &run = runs[part.run];
  Job &job = *run.job;
  int64_t position = session.position(run.slot);
  if (job.wantsPromptLogprobs()) {
    job.sink->promptLogprobs(promptLogprobs(job, part, position - part.rows,
                                            session.vocabulary(), results,
                                            threads));
  }
  for (int64_t i = 0; i < part.embedded; ++i) {
    job.embedding.add(results.embedding(part.firstEmbedding + i));
  }
  if (!job.checkpoints.empty() &&
      job.checkpoints.front().position == position) {
    slots.keep(run.slot, job.checkpoints.front().shared);
    job.checkpoints.erase(job.checkpoints.begin());
  }
  job.sink->prompted(position, job.promptSize());
  if (position == job.promptSize()) {
    promptFed(part, draws);
  }
}

/// The choices begin: the first one where the prompt is, others in copies.
void Runner::promptFed(const StepPlan::Part &part, std::vector<Draw> &draws) {
  std::shared_ptr<Job> job = runs[part.run].job;
  int64_t slot = runs[part.run].slot;
  job->prompted = Clock::now();
  if (job->rules.limit == 0) {
    endUngenerated(*job);
    return;
  }
  int64_t index = part.firstRow + part.wanted - 1;
  runs[part.run].choice = job->choices[0].get();
  draws.emplace_back(part.run, *job->choices[0], index);
  for (job->nextChoice = 1; job->nextChoice < job->choices.size();
       ++job->nextChoice) {
    int64_t copy = waiting.hasUnbegun() ? -1 : slots.fork(slot);
    if (copy < 0) {
      job->promptState = session.snapshot(slot);
      const float *row = results.row(index);
      job->promptLogits.assign(row, row + session.vocabulary());
      waiting.add(job, slots.slots()[static_cast<size_t>(slot)]);
      return;
    }
    Run run;
    run.job = job;
    run.slot = copy;
    run.choice = job->choices[job->nextChoice].get();
    runs.push_back(run);
    draws.emplace_back(runs.size() - 1, *run.choice, index);
  }
}

/// The job wants no more than its prompt read.
void Runner::endUngenerated(Job &job) {
  if (job.request.embedding) {
    job.sink->embedding(
        job.embedding.mean(job.wantsAllEmbeddings() ? job.promptSize() : 1));
  }
  for (const auto &choice : job.choices) {
    choice->end(FinishReason::length, *job.sink);
  }
  job.nextChoice = job.choices.size();
  ends.finish(job);
}

void Runner::draw(std::vector<Draw> draws) {
  Clock::time_point begin = Clock::now();
  try {
    drawBest(draws, results);
    metrics.drawing += nanosecondsSince(begin);
  } catch (const std::exception &error) { // a GPU failed
    for (Draw &each : draws) {
      slots.erase(runs[each.run].slot);
      ends.fail(*runs[each.run].job, faultOf(error));
    }
    return;
  }
  drawAndTell(std::move(draws));
}

/// What is not prepared waits outside of the steps.
void Runner::drawAndTell(std::vector<Draw> draws) {
  Clock::time_point begin = Clock::now();
  drawRest(draws, session.vocabulary(), threads);
  metrics.drawing += nanosecondsSince(begin);
  begin = Clock::now();
  for (Draw &each : draws) {
    Run &run = runs[each.run];
    if (!each.waiting) {
      run.row.clear();
      take(run, std::move(each.drawn));
    } else if (!run.isPreparing()) {
      run.row.assign(each.row, each.row + session.vocabulary());
    }
  }
  metrics.telling += nanosecondsSince(begin);
}

/// Those that were not prepared before.
void Runner::drawPrepared() {
  std::vector<Draw> draws;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].isPreparing()) {
      draws.emplace_back(i, *runs[i].choice, runs[i].row.data());
    }
  }
  drawAndTell(std::move(draws));
}

void Runner::take(Run &run, Drawn drawn) {
  Job &job = *run.job;
  if (job.over) {
    return;
  }
  if (drawn.fault) {
    ends.fail(job, *drawn.fault);
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
    ends.fail(job, faultOf(error));
    return;
  }
  if (run.choice->ended() && job.allEnded()) {
    ends.finish(job);
  }
}

void Runner::endWhere(
    const std::function<std::optional<GenerationFault>(const Job &)> &why) {
  std::vector<std::shared_ptr<Job>> jobs;
  jobs.reserve(runs.size() + static_cast<size_t>(waiting.size()));
  auto see = [&](const std::shared_ptr<Job> &job) { jobs.push_back(job); };
  for (const Run &run : runs) {
    see(run.job);
  }
  waiting.forEachJob(see);
  for (const std::shared_ptr<Job> &job : jobs) {
    if (job->over) {
      continue;
    }
    if (job->cancelled()) {
      ends.cancel(*job);
    } else if (std::optional<GenerationFault> fault = why(*job)) {
      ends.fail(*job, *fault);
    }
  }
  sweep();
}

/// Slots of what has ended are free again.
void Runner::sweep() {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].ended()) {
      slots.release(runs[i].slot);
    }
  }
  runs.erase(std::remove_if(runs.begin(), runs.end(),
                            [](const Run &run) { return run.ended(); }),
             runs.end());
  waiting.sweep();
  count();
}

void Runner::count() {
  int64_t busy = 0, used = 0, jobs = 0;
  const Job *last = nullptr;
  std::vector<const Job *> seen;
  seen.reserve(runs.size());
  auto see = [&](const std::shared_ptr<Job> &job) {
    seen.push_back(job.get());
  };
  for (const Run &run : runs) {
    see(run.job);
  }
  waiting.forEachJobAside(see);
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

} // namespace cheems::serve
