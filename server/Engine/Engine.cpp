#include "server/Engine/Engine.h"
#include "runtime/Error.h"
#include "server/Engine/Faults.h"
#include "server/Engine/MemoryCheck.h"
#include <algorithm>

namespace cheems::serve {

namespace {

using Kind = GenerationFault::Kind;

/// More bytes than the file of any slot has besides its tokens and its state.
constexpr int64_t headersBytes = 1 << 20;

/// So many parties may have as many requests waiting as one may have.
constexpr int64_t fullParties = 4;

SessionOptions sessionOptions(const Model &model,
                              const EngineOptions &options) {
  SessionOptions result;
  result.slots = options.slots;
  result.threads = options.threads;
  result.context = options.context;
  result.warn = options.warn;
  result.uploading = options.uploading;
  // a chunk of a prompt, and a row of each text beside it
  int64_t chunk =
      options.prefillChunk > 0 ? options.prefillChunk : model.variant().prefill;
  result.rows =
      std::max(chunk, promptUnit(model)) + std::max<int64_t>(options.slots, 0);
  return result;
}

} // namespace

Engine::Engine(std::shared_ptr<TextModel> given, const EngineOptions &options)
    : text(std::move(given)), options(options),
      spare(checkMemory(text->model(), sessionOptions(text->model(), options),
                        options)),
      session(text->sharedModel(), sessionOptions(text->model(), options)),
      metrics(options.metrics ? options.metrics : std::make_shared<Metrics>()),
      runner(session, *text, *metrics, options,
             [this](const Job &job) { left(job); }) {
  text->tokenizer(); // a model without one is refused here
  rules.context = session.context();
  rules.vocabulary = session.vocabulary();
  rules.slots = session.slots();
  rules.endTokens = text->eosTokens();
  rules.constraints = options.constraints;
  if (!options.slotFolder.empty()) {
    folder =
        std::make_unique<SlotFolder>(options.slotFolder, options.slotLimits);
    if (!session.unlimited()) {
      int64_t state = Session::estimate(text->model(),
                                        sessionOptions(text->model(), options))
                          .state;
      largestFile = static_cast<uint64_t>(state / session.slots() +
                                          session.context() * 4 + headersBytes);
    }
    files = std::make_unique<WorkThread>();
  }
  publish();
  thread = std::thread([this] { loop(); });
}

Engine::~Engine() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    draining = aborting = stopping = true;
  }
  changed.notify_all();
  thread.join();
  files.reset(); // may post more
  for (Command &command : commands) {
    command(false);
  }
}

/// Whether the queue is full for this party, or for all parties.
bool Engine::isFull(const std::string &party) const {
  int64_t most = session.slots() + options.queueLength;
  auto theirs = activeOf.find(party);
  return active >= fullParties * most ||
         (theirs != activeOf.end() && theirs->second >= most);
}

std::shared_ptr<GenerationTicket>
Engine::submit(GenerationRequest request,
               std::shared_ptr<GenerationSink> sink) {
  GenerationFault fault;
  std::shared_ptr<Job> job = admit(rules, std::move(request), sink, fault);
  std::shared_ptr<GenerationTicket> ticket;
  if (job) {
    ticket = job->ticket;
    std::lock_guard<std::mutex> lock(mutex);
    bool refusesAll = aborting || (draining && !job->request.follows);
    if (refusesAll) {
      fault = {Kind::shuttingDown, "the server is shutting down", ""};
    } else if (!job->request.isDue && isFull(job->request.party)) {
      fault = {Kind::queueFull,
               std::to_string(active) +
                   " requests run or wait already; try again later",
               ""};
      ++metrics->refusedQueueFull;
    } else {
      ++active;
      ++activeOf[job->request.party];
      ++metrics->waiting;
      inbox.push_back(std::move(job));
      changed.notify_all();
      return ticket;
    }
  }
  sink->failed(fault);
  return nullptr;
}

std::vector<SlotView> Engine::slots() const {
  std::lock_guard<std::mutex> lock(viewMutex);
  return views;
}

void Engine::publish() {
  std::vector<SlotView> now = runner.view();
  std::lock_guard<std::mutex> lock(viewMutex);
  views.swap(now);
}

void Engine::tellOldest() {
  Clock::time_point oldest;
  queue.forEachFirst([&](const std::shared_ptr<Job> &job) {
    if (oldest == Clock::time_point() || job->came < oldest) {
      oldest = job->came;
    }
  });
  metrics->oldestWaiting = oldest.time_since_epoch().count();
}

void Engine::drain(std::function<void()> idle) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    draining = true;
    idles.push_back(std::move(idle));
  }
  changed.notify_all();
}

void Engine::abort() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    draining = aborting = true;
  }
  changed.notify_all();
}

/// A job is about to be over.
void Engine::left(const Job &job) {
  std::lock_guard<std::mutex> lock(mutex);
  --active;
  auto theirs = activeOf.find(job.request.party);
  if (--theirs->second == 0) {
    activeOf.erase(theirs);
  }
}

void Engine::loop() {
  for (bool stop = false; !stop;) {
    std::vector<std::shared_ptr<Job>> arrived;
    std::vector<Command> work;
    {
      std::unique_lock<std::mutex> lock(mutex);
      if (runner.idle() && queue.empty()) {
        changed.wait(lock, [this] {
          return stopping || !inbox.empty() || !commands.empty() ||
                 (!idles.empty() && active == 0);
        });
      }
      arrived.swap(inbox);
      work.swap(commands);
      ending = aborting;
      stop = stopping;
    }
    Clock::time_point begin = Clock::now();
    int64_t before = metrics->computing + metrics->drawing + metrics->telling;
    for (const std::shared_ptr<Job> &job : arrived) {
      enqueue(job);
    }
    for (Command &command : work) {
      command(true);
    }
    endQueued();
    runner.endWhere([this](const Job &job) { return faultOf(job, false); });
    startQueued();
    tellOldest();
    if (!runner.idle()) {
      try {
        runner.step();
      } catch (const std::exception &error) { // memory is short
        runner.failAll(serve::faultOf(error));
      }
    }
    publish();
    tellIdle();
    int64_t elsewhere =
        metrics->computing + metrics->drawing + metrics->telling - before;
    metrics->scheduling += nanosecondsSince(begin) - elsewhere;
  }
}

void Engine::tellIdle() {
  std::vector<std::function<void()>> told;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (active == 0) {
      told.swap(idles);
    }
  }
  for (const std::function<void()> &idle : told) {
    if (idle) {
      idle();
    }
  }
}

/// Why a job must end now.
std::optional<GenerationFault> Engine::faultOf(const Job &job,
                                               bool waits) const {
  if (ending) {
    ++metrics->cancelledByShutdown;
    return GenerationFault{Kind::shuttingDown, "the server is shutting down",
                           ""};
  }
  double seconds = secondsBetween(job.came, Clock::now());
  double inAll =
      secondsBetween(job.request.began.value_or(job.came), Clock::now());
  bool tooLong = options.totalSeconds > 0 && inAll > options.totalSeconds;
  bool waitedTooLong =
      waits && options.queueSeconds > 0 && seconds > options.queueSeconds;
  if (!tooLong && !waitedTooLong) {
    return std::nullopt;
  }
  ++metrics->cancelledByTimeout;
  return GenerationFault{Kind::timeout,
                         tooLong ? "the request took too long"
                                 : "no slot was free for too long; try again "
                                   "later",
                         ""};
}

void Engine::endQueued() {
  auto ended = [this](const std::shared_ptr<Job> &job) {
    std::optional<GenerationFault> fault;
    if (!job->cancelled()) {
      fault = faultOf(*job, true);
      if (!fault) {
        return false;
      }
    }
    --metrics->waiting;
    left(*job);
    job->over = true;
    if (fault) {
      ++metrics->finishedError;
      job->sink->failed(*fault);
      return true;
    }
    ++metrics->cancelledByClient;
    for (int64_t i = 0; i < job->request.choices; ++i) {
      ++metrics->finishedAbort;
      ChoiceEnd end;
      end.choice = i;
      end.reason = FinishReason::cancelled;
      job->sink->ended(end);
    }
    job->finish();
    return true;
  };
  queue.removeIf(ended);
}

/// Requests that wait and choices that wait take turns. Where no slot is free,
/// a request that runs in several gives one up for one that waits.
void Engine::startQueued() {
  for (;;) {
    bool room = runner.hasRoomForState();
    // a request with several choices may need one
    bool queued = queue.turnTo([&](const std::shared_ptr<Job> &job) {
      return room || job->request.choices == 1;
    });
    bool choices = runner.hasWaiting();
    if (!runner.hasFree()) {
      if (!queued || !room || !runner.setAside()) {
        return;
      }
      choices = false; // the slot is for the request
    }
    if (choices && (!queued || choicesTurn)) {
      runner.startWaiting();
      choicesTurn = false;
    } else if (queued) {
      std::shared_ptr<Job> job = queue.pop();
      --metrics->waiting;
      runner.start(job);
      choicesTurn = true;
    } else {
      return;
    }
  }
}

std::unique_ptr<GenerationEngine> makeEngine(std::shared_ptr<TextModel> text,
                                             const EngineOptions &options) {
  return std::make_unique<Engine>(std::move(text), options);
}

} // namespace cheems::serve
