#include "runtime/Serve/Http/Outbox.h"
#include <boost/asio/buffer.hpp>

namespace cheems::serve {

namespace asio = boost::asio;

/// Parts that one write takes.
static constexpr size_t partsAtOnce = 16;

Outbox::Outbox(asio::ip::tcp::socket &socket, const Limits &limits,
               std::function<void()> sent,
               std::function<void(const char *)> failed)
    : socket(socket), limits(limits), sent(std::move(sent)),
      failed(std::move(failed)), stall(socket.get_executor()) {}

void Outbox::push(const std::shared_ptr<void> &owner, std::string bytes) {
  if (closed || bytes.empty()) {
    return;
  }
  bytesWaiting += bytes.size();
  longest = std::max(longest, bytes.size());
  parts.push_back(std::move(bytes));
  if (!writing) {
    write(owner);
  }
}

void Outbox::write(const std::shared_ptr<void> &owner) {
  std::vector<asio::const_buffer> buffers;
  for (size_t i = 0; i < std::min(parts.size(), partsAtOnce); ++i) {
    size_t skipped = i == 0 ? begin : 0;
    buffers.push_back(
        asio::buffer(parts[i].data() + skipped, parts[i].size() - skipped));
  }
  writing = true;
  stall.set(limits.stall, owner, [this] { failed("stalled"); });
  socket.async_write_some(
      buffers, [this, owner](boost::system::error_code error, size_t count) {
        written(owner, error.failed(), count);
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
  for (begin += count; !parts.empty() && begin >= parts[0].size();) {
    begin -= parts[0].size();
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
}

} // namespace cheems::serve
