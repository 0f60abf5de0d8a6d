// What all connections of a listener share.
#ifndef CHEEMS_SERVER_HTTP_SITE_H
#define CHEEMS_SERVER_HTTP_SITE_H

#include "runtime/Budget.h"
#include "server/Http/Exchange.h"
#include "server/Http/Gate.h"
#include "server/Http/Limits.h"
#include "server/Http/RequestLog.h"
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cheems::serve {

class Connection;

class Site {
public:
  Site(const Limits &limits, std::shared_ptr<Gate> gate,
       std::shared_ptr<RequestLog> log)
      : limits(limits),
        memory(std::make_shared<Budget>(withRoomForABody(limits.memoryBytes))),
        gate(std::move(gate)), log(std::move(log)) {}

  boost::asio::io_context context;
  const Limits limits;
  const std::shared_ptr<Budget> memory; ///< of all requests
  const std::shared_ptr<Gate> gate;
  const std::shared_ptr<RequestLog> log; ///< may be null

  /// Makes the share of the memory for one more request.
  std::shared_ptr<BudgetShare> share() const {
    return std::make_shared<BudgetShare>(
        memory, std::max(memory->size() / 2, limits.bodyBytes));
  }

  /// So many bytes, or more if one of the longest bodies needs them, with what
  /// a request that begins must leave.
  uint64_t withRoomForABody(uint64_t bytes) const {
    return std::max(bytes, limits.bodyBytes + limits.bodyBytes / 8);
  }

  /// What answers; until there is one the gate must not be ready.
  void setHandler(std::shared_ptr<RequestHandler> handler);
  std::shared_ptr<RequestHandler> handler() const;

  /// Whether there are as many connections as there may be.
  bool isFull() const { return connectionCount() >= limits.connections; }
  void add(const std::shared_ptr<Connection> &connection);
  void remove(Connection *connection);
  std::vector<std::shared_ptr<Connection>> connections() const;
  size_t connectionCount() const;

  /// These count the requests that are being answered.
  void begun();
  void ended();
  size_t answering() const;
  /// Called once, on some thread, as soon as none is.
  void whenIdle(std::function<void()> idle);

  /// Runs `post` unless the context has stopped for good: a handler that
  /// outlives the listener may still hold its way back.
  template <typename Post> void unlessStopped(const Post &post) {
    std::lock_guard<std::mutex> lock(stopping);
    if (!stopped) {
      post();
    }
  }
  void stop();

private:
  mutable std::mutex mutex;
  std::shared_ptr<RequestHandler> answers;
  std::unordered_map<Connection *, std::weak_ptr<Connection>> open;
  size_t running = 0;
  std::function<void()> idle;
  std::mutex stopping;
  bool stopped = false;
};

} // namespace cheems::serve

#endif
