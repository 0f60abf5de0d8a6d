#include "runtime/Serve/Api/WorkerPool.h"

#include <algorithm>
#include <cstdint>

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
  return add(std::move(task), maximum);
}

void WorkerPool::postAnyway(std::function<void()> task) {
  add(std::move(task), SIZE_MAX);
}

bool WorkerPool::add(std::function<void()> task, size_t most) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ending) {
      if (tasks.size() >= most) {
        return false;
      }
      tasks.push_back(std::move(task));
      changed.notify_one();
      return true;
    }
  }
  task();
  return true;
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
