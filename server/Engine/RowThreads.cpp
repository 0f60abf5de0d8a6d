#include "server/Engine/RowThreads.h"
#include "runtime/ThreadPool/Cores.h"
#include <algorithm>

namespace cheems::serve {

/// Below so many logits, a pass over them takes less time than to wake threads.
constexpr int64_t worthSharing = int64_t{1} << 20;

RowThreads::RowThreads(Session &session, int threads) : session(session) {
  if (!session.hostThreads() &&
      session.vocabulary() * session.slots() * drawPasses >= worthSharing) {
    int most = ThreadPool::chooseThreads(threads, CoreLimits::host());
    helpers.emplace(static_cast<int>(std::min<int64_t>(most, session.slots())),
                    ThreadPool::Waiting::sleeping);
  }
}

void RowThreads::forEach(int64_t count, int64_t passes,
                         const std::function<void(int64_t)> &act) {
  ThreadPool *threads = session.hostThreads();
  if (!threads && helpers && passes * session.vocabulary() >= worthSharing) {
    threads = &*helpers;
  }
  if (!threads || count < 2) {
    for (int64_t i = 0; i < count; ++i) {
      act(i);
    }
    return;
  }
  threads->parallelFor(
      [](void *context, int64_t begin, int64_t end, int64_t) {
        const auto &act =
            *static_cast<const std::function<void(int64_t)> *>(context);
        for (int64_t i = begin; i < end; ++i) {
          act(i);
        }
      },
      const_cast<void *>(static_cast<const void *>(&act)), count, "draw");
}

} // namespace cheems::serve
