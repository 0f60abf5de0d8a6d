#include "server/Api/WorkerPool.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace cheems::serve {

/// Lowers the priority of the calling thread; the other threads of the process
/// keep theirs.
static void runAfterOthers() {
  constexpr int nice = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
}

WorkerPool::WorkerPool(size_t count, size_t maximum) : maximum(maximum) {
  for (Lane lane : {Lane::quick, Lane::slow}) {
    for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
      threads.emplace_back([this, lane] { work(lane); });
    }
  }
}

void WorkerPool::cancel() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Work *work : running) {
    work->cancel();
  }
  for (Queue *queue : {&quick, &slow}) {
    queue->entries.forEach([](Entry &entry) {
      if (entry.task.work) {
        entry.task.work->cancel();
      }
    });
  }
}

void WorkerPool::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ending = true;
    for (Work *work : running) {
      work->cancel();
    }
  }
  quick.changed.notify_all();
  slow.changed.notify_all();
  for (std::thread &thread : threads) {
    thread.join();
  }
  threads.clear();
  // Tasks may hold the owner of this, which would never go then. They may take
  // more than a moment to go, so that is not under the lock.
  for (Queue *queue : {&quick, &slow}) {
    std::deque<std::function<void()>> first;
    FairQueue<Entry> entries;
    std::lock_guard<std::mutex> lock(mutex);
    std::swap(first, queue->first);
    std::swap(entries, queue->entries);
  }
}

void WorkerPool::forget(const Work &work) {
  std::vector<Task> gone; // which may take more than a moment to go
  std::lock_guard<std::mutex> lock(mutex);
  for (Queue *queue : {&quick, &slow}) {
    queue->entries.removeIf([&](Entry &entry) {
      bool theirs = entry.task.work.get() == &work;
      if (theirs) {
        gone.push_back(std::move(entry.task));
      }
      return theirs;
    });
  }
}

bool WorkerPool::post(Task task) {
  std::lock_guard<std::mutex> lock(mutex);
  Queue &queue = of(task.lane);
  if (ending) {
    return true;
  }
  std::string party = task.party;
  if (queue.entries.sizeOf(party) >= maximum ||
      queue.entries.size() >= maximum * fullParties) {
    return false;
  }
  queue.entries.push(party, {std::move(task), Work::Clock::now()});
  queue.changed.notify_one();
  return true;
}

void WorkerPool::postFirst(std::function<void()> run, Lane lane) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ending) {
      of(lane).first.push_back(std::move(run));
      of(lane).changed.notify_one();
      return;
    }
  }
  run();
}

WorkerPool::Waiting WorkerPool::waiting() const {
  std::lock_guard<std::mutex> lock(mutex);
  Waiting result;
  Work::Clock::time_point now = Work::Clock::now();
  for (const Queue *queue : {&quick, &slow}) {
    result.tasks += queue->entries.size();
    queue->entries.forEachFirst([&](const Entry &entry) {
      std::chrono::duration<double> waited = now - entry.came;
      result.oldestSeconds = std::max(result.oldestSeconds, waited.count());
    });
  }
  return result;
}

void WorkerPool::work(Lane lane) {
  if (lane == Lane::slow) {
    runAfterOthers();
  }
  Queue &queue = of(lane);
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    queue.changed.wait(lock, [&] {
      return ending || !queue.first.empty() || !queue.entries.empty();
    });
    if (ending) {
      return;
    }
    runOne(lock, queue);
  }
}

void WorkerPool::runOne(std::unique_lock<std::mutex> &lock, Queue &queue) {
  Task task;
  if (!queue.first.empty()) {
    task.run = std::move(queue.first.front());
    queue.first.pop_front();
  } else {
    task = queue.entries.pop().task;
  }
  if (task.work) {
    running.insert(task.work.get());
  }
  lock.unlock();
  if (task.work) {
    Work::Scope scope(*task.work);
    task.run();
  } else {
    task.run();
  }
  task.run = nullptr; // what it holds goes before the next one comes
  lock.lock();
  running.erase(task.work.get());
}

} // namespace cheems::serve
