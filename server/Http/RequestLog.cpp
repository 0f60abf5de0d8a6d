#include "server/Http/RequestLog.h"
#include "runtime/Json/Json.h"
#include <csignal>
#include <ctime>
#include <nlohmann/json.hpp>

namespace cheems::serve {

static constexpr size_t mostWaiting = 8192;

/// "2026-01-31T12:00:00.250Z"
static std::string timeText(std::chrono::system_clock::time_point time) {
  using std::chrono::milliseconds;
  auto since =
      std::chrono::duration_cast<milliseconds>(time.time_since_epoch());
  std::time_t seconds = since.count() / 1000;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[64];
  size_t length =
      std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof(text) - length, ".%03dZ",
                static_cast<int>(since.count() % 1000));
  return text;
}

std::string RequestRecord::line() const {
  using nlohmann::ordered_json;
  ordered_json fields = {{"time", timeText(time)}, {"id", id},
                         {"client", client},       {"method", method},
                         {"path", path},           {"status", status},
                         {"received", received},   {"sent", sent},
                         {"seconds", seconds},     {"end", end}};
  for (const auto &[name, json] : notes) {
    ordered_json value = parseJson<ordered_json>(json);
    fields[name] = value.is_discarded() ? ordered_json(json) : value;
  }
  return printJsonOfAnyBytes(fields, -1, /*ascii=*/true);
}

RequestLog::RequestLog(Sink sink) : sink(std::move(sink)) {
  sigset_t all, before; // signals are for the threads that know what to do
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RequestLog::~RequestLog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ending = true;
  }
  wake.notify_one();
  thread.join();
}

void RequestLog::write(const RequestRecord &record) {
  std::string line = record.line() + "\n";
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (waiting.size() >= mostWaiting) {
      ++lost;
      return;
    }
    waiting.push_back(std::move(line));
  }
  wake.notify_one();
}

bool RequestLog::flush(std::chrono::milliseconds most) {
  std::unique_lock<std::mutex> lock(mutex);
  return written.wait_for(lock, most, [&] { return waiting.empty() && !busy; });
}

void RequestLog::run() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return ending || !waiting.empty(); });
    std::string text;
    for (const std::string &line : waiting) {
      text += line;
    }
    if (lost > 0) {
      text += "{\"lost_lines\":" + std::to_string(lost) + "}\n";
    }
    waiting.clear();
    lost = 0;
    bool last = ending;
    if (!text.empty()) {
      busy = true;
      lock.unlock();
      sink(text);
      lock.lock();
      busy = false;
      written.notify_all();
    }
    if (last) {
      return;
    }
  }
}

} // namespace cheems::serve
