#include "Server.h"
#include "Backend.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include "runtime/Serve/Http/Notify.h"
#include "runtime/Serve/Http/Shutdown.h"
#include "runtime/Serve/Page/Page.h"
#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace cheems::serve {

/// Beside those of connections: the model's, libraries', a few for clients that
/// are turned away.
static constexpr rlim_t otherFiles = 64;

/// As many connections as there may be files.
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

static void writeLog(const std::string &lines) {
  try {
    writeAll(STDERR_FILENO, lines);
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

int serve(const Options &options) {
  std::shared_ptr<Gate> gate = makeGate(options);
  auto log = std::make_shared<RequestLog>(writeLog);
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
  listener->setHandler(backend.handler());
  auto shutdown = std::make_unique<Shutdown>(*listener);
  if (interrupt::requested()) { // before those signals were the shutdown's
    throw Error(Status::interrupted, "interrupted");
  }
  gate->set(Readiness::ready);
  notifyManager("READY=1\nSTATUS=listening on " + listener->address());

  Shutdown::Steps steps;
  steps.grace = options.grace;
  steps.draining = [&] {
    notifyManager("STOPPING=1\nSTATUS=finishing requests");
    backend.drain();
  };
  steps.aborting = [&] { backend.abort(); };
  shutdown->wait(*gate, steps);
  shutdown.reset();
  listener.reset(); // before what its requests are handed to
  log->flush();
  return 0;
}

} // namespace cheems::serve
