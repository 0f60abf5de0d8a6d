// Bytes of a stream on their way from the threads that make them to the
// connection that sends them.
#ifndef CHEEMS_SERVER_HTTP_STREAMBUFFER_H
#define CHEEMS_SERVER_HTTP_STREAMBUFFER_H

#include <mutex>
#include <string>
#include <utility>

namespace cheems::serve {

/// Any thread may call any function.
class StreamBuffer {
public:
  /// True where nobody is coming for the bytes yet: the caller sends for them.
  bool add(const std::string &more) {
    std::lock_guard<std::mutex> lock(mutex);
    bytes += more;
    return !std::exchange(awaited, true);
  }
  /// All bytes that came. Who takes some comes again without being sent for;
  /// where there are none, whoever adds the next ones sends for them.
  std::string take() {
    std::lock_guard<std::mutex> lock(mutex);
    awaited = !bytes.empty();
    return std::exchange(bytes, {});
  }

private:
  std::mutex mutex;
  std::string bytes;
  bool awaited = false;
};

} // namespace cheems::serve

#endif
