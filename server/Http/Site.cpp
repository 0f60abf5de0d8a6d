#include "server/Http/Site.h"

namespace cheems::serve {

using Lock = std::lock_guard<std::mutex>;

void Site::setHandler(std::shared_ptr<RequestHandler> handler) {
  Lock lock(mutex);
  answers = std::move(handler);
}

std::shared_ptr<RequestHandler> Site::handler() const {
  Lock lock(mutex);
  return answers;
}

void Site::add(const std::shared_ptr<Connection> &connection) {
  Lock lock(mutex);
  open.emplace(connection.get(), connection);
}

void Site::remove(Connection *connection) {
  Lock lock(mutex);
  open.erase(connection);
}

std::vector<std::shared_ptr<Connection>> Site::connections() const {
  Lock lock(mutex);
  std::vector<std::shared_ptr<Connection>> result;
  for (const auto &[key, weak] : open) {
    if (auto connection = weak.lock()) {
      result.push_back(std::move(connection));
    }
  }
  return result;
}

size_t Site::connectionCount() const {
  Lock lock(mutex);
  return open.size();
}

void Site::begun() {
  Lock lock(mutex);
  ++running;
}

void Site::ended() {
  std::function<void()> call;
  {
    Lock lock(mutex);
    if (--running == 0) {
      call.swap(idle);
    }
  }
  if (call) {
    call();
  }
}

size_t Site::answering() const {
  Lock lock(mutex);
  return running;
}

void Site::whenIdle(std::function<void()> call) {
  {
    Lock lock(mutex);
    if (running > 0) {
      idle = std::move(call);
      return;
    }
  }
  call();
}

void Site::stop() {
  Lock lock(stopping);
  stopped = true;
}

} // namespace cheems::serve
