// A port, the threads that read and write what goes over it, and the
// connections.
#ifndef CHEEMS_SERVER_HTTP_LISTENER_H
#define CHEEMS_SERVER_HTTP_LISTENER_H

#include "server/Http/Exchange.h"
#include "server/Http/Gate.h"
#include "server/Http/Limits.h"
#include "server/Http/RequestLog.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cheems::serve {

class Site;

class Listener {
public:
  struct Place {
    std::string host = "127.0.0.1"; ///< a name or an address
    uint16_t port = 0;              ///< 0: a free one
    int threads = 1;
  };
  /// Takes connections from here on. `log` may be null. Throws Error where the
  /// place cannot be had.
  Listener(const Place &place, const Limits &limits, std::shared_ptr<Gate> gate,
           std::shared_ptr<RequestLog> log);
  /// Closes all connections at once.
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  uint16_t port() const;
  /// "127.0.0.1"
  std::string host() const;
  /// "http://127.0.0.1:8080"
  std::string address() const;
  /// Whether only programs of this machine reach it.
  bool isLocal() const;

  /// What all requests may take from now on, in place of Limits::memoryBytes.
  void limitMemory(uint64_t bytes);
  /// What answers requests that the gate lets through; before it is ready.
  void setHandler(std::shared_ptr<RequestHandler> handler);

  void stopAccepting();
  /// Called once, as soon as no answer is on its way.
  void whenIdle(std::function<void()> idle);
  /// Ends what is being answered with an error.
  void abortAll();
  size_t connections() const;

  /// What the I/O threads may also wait on.
  const std::shared_ptr<Site> &site() const { return shared; }

private:
  struct Acceptor;

  std::shared_ptr<Site> shared;
  std::unique_ptr<Acceptor> acceptor;
};

} // namespace cheems::serve

#endif
