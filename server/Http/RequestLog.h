// One JSON line a request. A thread of its own writes, so that a reader who
// does not keep up stops no answer.
#ifndef CHEEMS_SERVER_HTTP_REQUESTLOG_H
#define CHEEMS_SERVER_HTTP_REQUESTLOG_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cheems::serve {

/// What became of one request. Neither its body nor its query nor its key.
struct RequestRecord {
  std::chrono::system_clock::time_point time; ///< when its header was whole
  std::string id, client, method, path;
  int status = 0;                  ///< 0: dropped before an answer began
  uint64_t received = 0, sent = 0; ///< bytes of bodies
  double seconds = 0;
  const char *end = "done"; ///< "dropped", "stalled", "aborted"
  std::vector<std::pair<std::string, std::string>> notes; ///< name, JSON

  std::string line() const; ///< without its end
};

class RequestLog {
public:
  /// Called on the log's thread with lines and their ends.
  using Sink = std::function<void(const std::string &)>;
  explicit RequestLog(Sink sink);
  /// What waits is written first.
  ~RequestLog();
  RequestLog(const RequestLog &) = delete;
  RequestLog &operator=(const RequestLog &) = delete;

  /// From any thread; never waits. Of more than 8192 lines that wait the
  /// newest are left out, and how many they were is told.
  void write(const RequestRecord &record);
  /// Waits until all that was written before is with the sink; false where that
  /// takes longer than `most`.
  bool flush(std::chrono::milliseconds most = std::chrono::minutes(1));

private:
  void run();

  Sink sink;
  std::mutex mutex;
  std::condition_variable wake, written;
  std::deque<std::string> waiting;
  uint64_t lost = 0;
  bool ending = false, busy = false;
  std::thread thread;
};

} // namespace cheems::serve

#endif
