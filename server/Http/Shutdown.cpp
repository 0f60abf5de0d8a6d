#include "server/Http/Shutdown.h"
#include "server/Http/Site.h"
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <future>
#include <unistd.h>

namespace cheems::serve {

namespace asio = boost::asio;

/// What was aborted has so long to say so to its client: first what the program
/// aborts, then what the listener does.
static constexpr std::chrono::milliseconds lastWords{300};
static_assert(2 * lastWords < Shutdown::lastMoments,
              "some time is left to take the rest down");

/// Held by what waits on the I/O threads, which may outlast the owner.
struct Shutdown::Signals : std::enable_shared_from_this<Signals> {
  Signals(Shutdown &owner, const std::shared_ptr<Site> &site)
      : owner(&owner), set(site->context) {
    for (int signal : {SIGTERM, SIGINT, SIGHUP}) {
      struct sigaction old = {};
      // a program started in the background with signals ignored stays so
      if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
        set.add(signal);
      }
    }
  }

  void wait() {
    set.async_wait([self = shared_from_this()](boost::system::error_code error,
                                               int signal) {
      std::lock_guard<std::mutex> lock(self->mutex);
      if (!error && self->owner) {
        self->owner->arrived(signal);
        self->wait();
      }
    });
  }
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    owner = nullptr;
    set.cancel();
  }

  std::mutex mutex;
  Shutdown *owner;
  asio::signal_set set;
};

Shutdown::Shutdown(Listener &listener)
    : listener(listener),
      signals(std::make_shared<Signals>(*this, listener.site())) {
  signals->wait();
}

Shutdown::~Shutdown() { signals->end(); }

void Shutdown::arrived(int signal) {
  bool second = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    second = requested;
  }
  // some supervisors send SIGHUP right after SIGTERM
  if (second && signal != SIGHUP) {
    _exit(128 + signal);
  }
  request(signal);
}

void Shutdown::request(int signal) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!requested) {
    requested = true;
    first = signal;
  }
  changed.notify_all();
}

bool Shutdown::becomesIdle(std::chrono::milliseconds time) {
  auto idle = std::make_shared<std::promise<void>>();
  std::future<void> future = idle->get_future();
  listener.whenIdle([idle] { idle->set_value(); });
  return future.wait_for(time) == std::future_status::ready;
}

int Shutdown::wait(Gate &gate, const Steps &steps) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return requested; });
  }
  gate.set(Readiness::draining);
  listener.stopAccepting();
  if (steps.draining) {
    steps.draining();
  }
  if (!becomesIdle(steps.grace)) {
    if (steps.aborting) {
      steps.aborting();
    }
    if (!becomesIdle(lastWords)) {
      listener.abortAll();
      becomesIdle(lastWords);
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  return first;
}

} // namespace cheems::serve
