// A thread that does one piece of work after the other, and sleeps between
// them.
#ifndef CHEEMS_SERVER_ENGINE_WORKTHREAD_H
#define CHEEMS_SERVER_ENGINE_WORKTHREAD_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cheems::serve {

class WorkThread {
public:
  WorkThread() : thread([this] { loop(); }) {}
  /// Does what is left first.
  ~WorkThread() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    changed.notify_one();
    thread.join();
  }
  WorkThread(const WorkThread &) = delete;
  WorkThread &operator=(const WorkThread &) = delete;

  /// `work` must not throw.
  void post(std::function<void()> work) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      queue.push_back(std::move(work));
    }
    changed.notify_one();
  }

private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return stopping || !queue.empty(); });
      if (queue.empty()) {
        return;
      }
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool stopping = false;
  std::thread thread; ///< last: it uses all above
};

} // namespace cheems::serve

#endif
