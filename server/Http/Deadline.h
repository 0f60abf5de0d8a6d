// A time by which something must have happened; set again and again.
#ifndef CHEEMS_SERVER_HTTP_DEADLINE_H
#define CHEEMS_SERVER_HTTP_DEADLINE_H

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace cheems::serve {

/// All calls are made on the executor, which runs one thing at a time.
class Deadline {
public:
  explicit Deadline(const boost::asio::any_io_executor &executor)
      : timer(executor) {}

  /// Calls `due` then, unless `set` or `clear` came before; `owner`, of which
  /// this is a part, lives until then.
  void set(std::chrono::steady_clock::duration after,
           std::shared_ptr<void> owner, std::function<void()> due) {
    uint64_t mine = ++newest;
    timer.expires_after(after);
    timer.async_wait([this, mine, owner = std::move(owner),
                      due = std::move(due)](boost::system::error_code error) {
      // one that was due already is not cancelled by asio
      if (!error && mine == newest) {
        due();
      }
    });
  }
  void clear() {
    ++newest;
    timer.cancel();
  }

private:
  boost::asio::steady_timer timer;
  uint64_t newest = 0;
};

} // namespace cheems::serve

#endif
