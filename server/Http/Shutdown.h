// How a server ends: at the first signal it takes no more requests and finishes
// those it has; at the second it is gone.
#ifndef CHEEMS_SERVER_HTTP_SHUTDOWN_H
#define CHEEMS_SERVER_HTTP_SHUTDOWN_H

#include "server/Http/Listener.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace cheems::serve {

/// Goes before its listener does.
class Shutdown {
public:
  /// From the end of the grace to that of the process, at most: what is aborted
  /// tells its client so, and what can be taken down is. A user is promised a
  /// second.
  static constexpr std::chrono::milliseconds lastMoments{900};

  struct Steps {
    /// For requests that are being answered; then they are aborted.
    std::chrono::milliseconds grace{30'000};
    /// Tells the rest of the program that no request will come.
    std::function<void()> draining;
    /// The time is over: ends its work.
    std::function<void()> aborting;
  };

  /// From here on SIGTERM, SIGINT and SIGHUP are noted, unless they were
  /// ignored. A second one ends the process at once, with 128 and its number.
  explicit Shutdown(Listener &listener);
  ~Shutdown();

  /// Does what a signal does; any thread may call it. `signal` is 0 for none.
  void request(int signal = 0);
  /// Waits for a signal, then until no answer is on its way or the time is
  /// over. Returns the signal.
  int wait(Gate &gate, const Steps &steps);

private:
  struct Signals;
  void arrived(int signal);
  /// Whether no answer is on its way, waiting so long for it.
  bool becomesIdle(std::chrono::milliseconds time);

  Listener &listener;
  std::mutex mutex;
  std::condition_variable changed;
  bool requested = false;
  int first = 0;
  std::shared_ptr<Signals> signals;
};

} // namespace cheems::serve

#endif
