// Threads for what is too long for I/O: parsing, rendering, tokenizing.
#ifndef CHEEMS_SERVER_API_WORKERPOOL_H
#define CHEEMS_SERVER_API_WORKERPOOL_H

#include "runtime/Work.h"
#include "server/Engine/FairQueue.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace cheems::serve {

/// Long tasks have threads of their own, to which the system gives a lower
/// priority: a short task never waits for a long one. Within a lane the parties
/// take turns.
class WorkerPool {
public:
  enum class Lane { quick, slow };

  /// So many parties may have as many tasks waiting in a lane as one may have.
  static constexpr size_t fullParties = 4;

  /// Starts so many threads for each lane. At most `maximum` tasks of a party
  /// wait in a lane.
  WorkerPool(size_t threads, size_t maximum);
  ~WorkerPool() { stop(); }

  struct Task {
    std::function<void()> run; ///< must not throw
    /// Whether it is wanted, and what it may take; null: it is short, and is
    /// wanted whatever happens.
    std::shared_ptr<Work> work;
    std::string party; ///< whose turn it takes
    Lane lane = Lane::quick;
  };

  /// Cancels the tasks that run, and waits for their end. Tasks that wait, and
  /// later ones, are dropped.
  void stop();
  /// Cancels the tasks that run, without waiting for their end. Tasks that wait
  /// are run, so that they can say that they were cancelled.
  void cancel();

  /// False where too many wait.
  bool post(Task task);
  /// Drops a task that still waits.
  void forget(const Work &work);
  /// Puts a task before all that wait, however many they are: it ends a request
  /// that was let in. If the threads have ended, the task runs here.
  void postFirst(std::function<void()> run, Lane lane = Lane::quick);

  struct Waiting {
    size_t tasks = 0;
    double oldestSeconds = 0;
  };
  Waiting waiting() const;

private:
  struct Entry {
    Task task;
    Work::Clock::time_point came;
  };
  struct Queue {
    std::condition_variable changed;
    std::deque<std::function<void()>> first;
    FairQueue<Entry> entries;
  };

  void work(Lane lane);
  void runOne(std::unique_lock<std::mutex> &lock, Queue &queue);
  Queue &of(Lane lane) { return lane == Lane::quick ? quick : slow; }

  const size_t maximum;
  mutable std::mutex mutex; ///< of what follows
  Queue quick, slow;
  std::set<Work *> running;
  bool ending = false;
  std::vector<std::thread> threads;
};

} // namespace cheems::serve

#endif
