#include "Server.h"
#include "Backend.h"
#include "runtime/Error.h"
#include "runtime/Process/EndWhileLoading.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include "server/Http/ForcedEnd.h"
#include "server/Http/Notify.h"
#include "server/Http/Shutdown.h"
#include "server/Page/Page.h"
#include <algorithm>
#include <atomic>
#include <malloc.h>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

namespace cheems::serve {

/// So many files are open besides those of connections: the model's, those of
/// libraries, and a few for clients that are turned away.
static constexpr rlim_t otherFiles = 64;

/// There can be no more connections than files.
static Limits withinFiles(Limits limits) {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
    return limits;
  }
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_NOFILE, &files);
  rlim_t most =
      files.rlim_cur > otherFiles ? files.rlim_cur - otherFiles : rlim_t{1};
  limits.connections =
      static_cast<size_t>(std::min<rlim_t>(limits.connections, most));
  return limits;
}

/// What is in the log when the server ends has so long to be read.
static constexpr std::chrono::milliseconds lastLines{200};

/// Writes lines of the log until `ends`: whoever reads standard error may have
/// stopped, and a write would wait for ever.
static void writeLog(std::string_view lines, const std::atomic<bool> &ends) {
  constexpr std::chrono::milliseconds looks{50};
  try {
    while (!lines.empty() && !ends) {
      lines.remove_prefix(writeSome(STDERR_FILENO, lines, looks));
    }
  } catch (const OutputClosed &) {
    return; // nobody reads it; requests are answered all the same
  } catch (const Error &) {
    return;
  }
}

static std::shared_ptr<Gate> makeGate(const Options &options) {
  StaticFiles files;
  if (options.page) {
    files.add("/", "text/html; charset=utf-8", page::text(), page::policy());
  }
  return std::make_shared<Gate>(
      options.apiKeyFile ? ApiKeys::read(*options.apiKeyFile) : ApiKeys(),
      Cors(options.corsOrigins), std::move(files));
}

/// Nothing else keeps strangers' pages from a server without keys.
static Hosts allowedHosts(const Options &options, const Listener &listener) {
  bool needed = !options.apiKeyFile && listener.isLocal();
  if (!needed && options.allowedHosts.empty()) {
    return Hosts();
  }
  std::vector<std::string> names = Hosts::ofLoopback();
  names.push_back(options.place.host);
  names.push_back(listener.host());
  names.insert(names.end(), options.allowedHosts.begin(),
               options.allowedHosts.end());
  return Hosts(names);
}

/// So that memory which requests have let go goes back to the system.
static void keepLittleMemory() {
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

int serve(const Options &options) {
  keepLittleMemory();
  std::optional<EndWhileLoading> endWhileLoading(std::in_place,
                                                 Shutdown::lastMoments);
  ForcedEnd end; // the last one to go
  std::shared_ptr<Gate> gate = makeGate(options);
  std::atomic<bool> logEnds{false};
  auto log = std::make_shared<RequestLog>(
      [&](const std::string &lines) { writeLog(lines, logEnds); });
  // the port answers while the model is loaded, and says so
  auto listener = std::make_unique<Listener>(
      options.place, withinFiles(options.limits), gate, log);
  if (!listener->isLocal() && !options.apiKeyFile) {
    say("warning: everybody who reaches " + listener->address() +
        " may ask; give --api-key-file");
  }
  writeOutput("listening on " + listener->address() + "\n");
  notifyManager("STATUS=loading the model");

  Backend backend(options);
  listener->limitMemory(backend.requestBytes());
  listener->setHandler(backend.handler());
  endWhileLoading.reset();
  auto shutdown = std::make_unique<Shutdown>(*listener);
  if (interrupt::requested()) { // before those signals were the shutdown's
    throw Error(Status::interrupted, "interrupted");
  }
  gate->tellHealth([&] { return backend.waiting(); });
  gate->limitHosts(allowedHosts(options, *listener));
  gate->set(Readiness::ready);
  notifyManager("READY=1\nSTATUS=listening on " + listener->address());

  Shutdown::Steps steps;
  steps.grace = options.grace;
  steps.draining = [&] {
    end.after(options.grace + Shutdown::lastMoments, 0);
    notifyManager("STOPPING=1\nSTATUS=finishing requests");
    backend.drain();
  };
  steps.aborting = [&] { backend.abort(); };
  shutdown->wait(*gate, steps);
  shutdown.reset();
  listener.reset(); // before what its requests are handed to
  log->flush(lastLines);
  logEnds = true;
  return 0;
}

} // namespace cheems::serve
