#include "server/Http/Outbox.h"
#include <boost/asio/buffer.hpp>
#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace cheems::serve {

namespace asio = boost::asio;

/// Parts that one write takes.
static constexpr size_t partsAtOnce = 16;

/// Bytes that the client's system has not yet said to have.
static int unacknowledged(asio::ip::tcp::socket &socket) {
  int bytes = 0;
  return ioctl(socket.native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

Outbox::Outbox(asio::ip::tcp::socket &socket, const Limits &limits,
               std::shared_ptr<Budget> memory, std::function<void()> sent,
               std::function<void(const char *)> failed)
    : socket(socket), limits(limits), sent(std::move(sent)),
      failed(std::move(failed)), stall(socket.get_executor()),
      memory(std::move(memory)) {}

bool Outbox::reserve(size_t bytes, bool goesOn) {
  auto full = goesOn ? memory.grow(bytes) : memory.growToBegin(bytes);
  return full == BudgetShare::Full::none;
}

void Outbox::push(const std::shared_ptr<void> &owner, std::string bytes,
                  bool reserved) {
  if (closed || bytes.empty()) {
    memory.shrink(reserved ? bytes.size() : 0);
    return;
  }
  bytesWaiting += bytes.size();
  longest = std::max(longest, bytes.size());
  parts.push_back({std::move(bytes), reserved});
  if (!writing) {
    write(owner);
  }
}

void Outbox::write(const std::shared_ptr<void> &owner) {
  std::vector<asio::const_buffer> buffers;
  for (size_t i = 0; i < std::min(parts.size(), partsAtOnce); ++i) {
    size_t skipped = i == 0 ? begin : 0;
    const std::string &bytes = parts[i].bytes;
    buffers.push_back(
        asio::buffer(bytes.data() + skipped, bytes.size() - skipped));
  }
  writing = true;
  watch(owner);
  socket.async_write_some(
      buffers, [this, owner](boost::system::error_code error, size_t count) {
        written(owner, error.failed(), count);
      });
}

/// A write ends only when a good part of the system's buffer is free again, for
/// which a slow reader may take minutes. So what its system takes counts.
void Outbox::watch(const std::shared_ptr<void> &owner) {
  stall.set(limits.stall, owner,
            [this, owner, before = unacknowledged(socket)] {
              if (unacknowledged(socket) < before) {
                watch(owner);
              } else {
                failed("stalled");
              }
            });
}

void Outbox::written(const std::shared_ptr<void> &owner, bool failure,
                     size_t count) {
  writing = false;
  stall.clear();
  if (closed) {
    return;
  }
  if (failure) {
    failed("dropped");
    return;
  }
  bytesWaiting -= count;
  for (begin += count; !parts.empty() && begin >= parts[0].bytes.size();) {
    begin -= parts[0].bytes.size();
    memory.shrink(parts[0].reserved ? parts[0].bytes.size() : 0);
    parts.pop_front();
  }
  if (parts.empty()) {
    longest = 0;
    sent();
  } else {
    write(owner);
  }
}

void Outbox::close() {
  closed = true;
  stall.clear();
  parts.clear(); // the socket is closed, so no write looks at them any more
  memory.shrink(memory.bytes());
}

} // namespace cheems::serve
