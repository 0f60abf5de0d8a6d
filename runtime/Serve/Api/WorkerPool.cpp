#include "runtime/Serve/Api/WorkerPool.h"

#include <algorithm>

namespace cheems::serve {

WorkerPool::WorkerPool(size_t count, size_t maximum) : maximum(maximum) {
  for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
    threads.emplace_back([this] { work(); });
  }
}

void WorkerPool::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ending = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads) {
    thread.join();
  }
  threads.clear();
}

bool WorkerPool::post(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ending && tasks.size() >= maximum) {
      return false;
    }
  }
  postAnyway(std::move(task));
  return true;
}

void WorkerPool::postAnyway(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ending) {
      tasks.push_back(std::move(task));
      changed.notify_one();
      return;
    }
  }
  task();
}

void WorkerPool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return ending || !tasks.empty(); });
      if (tasks.empty()) {
        return;
      }
      task = std::move(tasks.front());
      tasks.pop_front();
    }
    task();
  }
}

} // namespace cheems::serve
