// Threads for what is too long for I/O: parsing, rendering, tokenizing.
#ifndef CHEEMS_RUNTIME_SERVE_API_WORKERPOOL_H
#define CHEEMS_RUNTIME_SERVE_API_WORKERPOOL_H

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cheems::serve {

class WorkerPool {
public:
  /// At most `maximum` tasks wait.
  WorkerPool(size_t threads, size_t maximum);
  ~WorkerPool() { stop(); }

  /// Runs what waits, then ends the threads. Later tasks run where they are
  /// posted.
  void stop();

  /// False where too many wait. A task must not throw.
  bool post(std::function<void()> task);
  /// The same, however many wait: for what ends a request that was let in.
  void postAnyway(std::function<void()> task);

private:
  void work();
  /// False where `most` wait already.
  bool add(std::function<void()> task, size_t most);

  size_t maximum;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool ending = false;
  std::vector<std::thread> threads;
};

} // namespace cheems::serve

#endif
