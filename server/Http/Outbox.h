// Bytes on their way to a client.
#ifndef CHEEMS_SERVER_HTTP_OUTBOX_H
#define CHEEMS_SERVER_HTTP_OUTBOX_H

#include "runtime/Budget.h"
#include "server/Http/Deadline.h"
#include "server/Http/Limits.h"
#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cheems::serve {

/// A part of a connection, whose executor makes all calls.
class Outbox {
public:
  /// `sent` hears when nothing waits any more; `failed` hears why nothing can
  /// be sent: "dropped", or "stalled" where the client takes nothing.
  Outbox(boost::asio::ip::tcp::socket &socket, const Limits &limits,
         std::shared_ptr<Budget> memory, std::function<void()> sent,
         std::function<void(const char *why)> failed);

  /// Takes so many bytes of the memory of all requests for a later push; false
  /// where it has no room for them. `goesOn`: of an answer that has begun or
  /// is short, which may have what others must leave.
  bool reserve(size_t bytes, bool goesOn);
  /// `owner` is what this is a part of. A few bytes need not be reserved.
  void push(const std::shared_ptr<void> &owner, std::string bytes,
            bool reserved = false);
  /// How many bytes wait.
  size_t waiting() const { return bytesWaiting; }
  /// How many of them beside the longest part, which may be as long as it is.
  size_t backlog() const {
    return bytesWaiting - std::min(bytesWaiting, longest);
  }
  /// Nothing is told any more; the socket is closed already.
  void close();

private:
  struct Part {
    std::string bytes;
    bool reserved;
  };
  void watch(const std::shared_ptr<void> &owner);
  void write(const std::shared_ptr<void> &owner);
  void written(const std::shared_ptr<void> &owner, bool failure, size_t count);

  boost::asio::ip::tcp::socket &socket;
  const Limits &limits;
  std::function<void()> sent;
  std::function<void(const char *)> failed;
  Deadline stall;
  BudgetShare memory;
  std::deque<Part> parts;
  size_t begin = 0; ///< of what waits, in the first part
  size_t bytesWaiting = 0;
  size_t longest = 0; ///< of the parts since nothing waited
  bool writing = false, closed = false;
};

} // namespace cheems::serve

#endif
