#include "runtime/Profile/Trace.h"
#include "runtime/Json/Json.h"
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace cheems;

namespace {

constexpr size_t pieceBytes = 1 << 20;

std::string quoted(const std::string &text) {
  return printJsonOfAnyBytes(nlohmann::json(text));
}

struct KindNames {
  const char *category;
  const char *numbers[3]; ///< null: not shown
};
constexpr KindNames kindNames[] = {
    {"step", {"tokens", "sequences", "logits"}},
    {"part", {nullptr, nullptr, nullptr}},
    {"region", {"first", "iterations", nullptr}}};

/// Order of drawing: a slice before what it holds. Both are of one list.
bool before(const TraceEvent &a, const TraceEvent &b) {
  if (a.begin != b.begin) {
    return a.begin < b.begin;
  }
  if (a.end != b.end) {
    return a.end > b.end;
  }
  return a.kind != b.kind ? a.kind < b.kind : &a < &b; // as they were added
}

class Printer {
public:
  Printer(const Trace &trace,
          const std::function<void(std::string_view)> &write)
      : trace(trace), write(write) {
    for (const std::string &name : trace.names) {
      names.push_back(quoted(name));
    }
  }

  void print() {
    text = "{\"displayTimeUnit\":\"ms\",\"otherData\":{";
    for (size_t i = 0; i < trace.facts.size(); ++i) {
      text += (i ? "," : "") + quoted(trace.facts[i].first) + ":" +
              quoted(trace.facts[i].second);
    }
    text += "},\"traceEvents\":[\n";
    text += note("process_name", 0, "\"name\":" + quoted(trace.process));
    for (size_t i = 0; i < trace.tracks.size(); ++i) {
      std::string place = std::to_string(i);
      text +=
          ",\n" + note("thread_name", i, "\"name\":" + quoted(trace.tracks[i]));
      text += ",\n" + note("thread_sort_index", i, "\"sort_index\":" + place);
    }
    std::vector<const TraceEvent *> order;
    order.reserve(trace.events.size());
    for (const TraceEvent &event : trace.events) {
      order.push_back(&event);
    }
    std::sort(order.begin(), order.end(),
              [](auto *a, auto *b) { return before(*a, *b); });
    for (const TraceEvent *event : order) {
      slice(*event);
      if (text.size() >= pieceBytes) {
        flush();
      }
    }
    text += "\n]}\n";
    flush();
  }

private:
  /// Perfetto takes thread 0 for the idle one of all processes: it gives it no
  /// name and drops what overlaps there.
  static std::string thread(size_t track) { return std::to_string(track + 1); }

  static std::string note(const char *what, size_t track,
                          const std::string &value) {
    return "{\"ph\":\"M\",\"pid\":1,\"tid\":" + thread(track) + ",\"name\":\"" +
           what + "\",\"args\":{" + value + "}}";
  }

  /// Both ends of a slice are rounded the same way, so those inside stay
  /// inside.
  int64_t nanoseconds(uint64_t cycles) const {
    return std::llround(
        static_cast<double>(static_cast<int64_t>(cycles - trace.origin)) *
        1000 / trace.cyclesPerMicrosecond);
  }

  /// Microseconds, as the format has them.
  static std::string time(int64_t nanoseconds) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%s%" PRId64 ".%03d",
                  nanoseconds < 0 ? "-" : "", std::abs(nanoseconds) / 1000,
                  static_cast<int>(std::abs(nanoseconds) % 1000));
    return digits;
  }

  void slice(const TraceEvent &event) {
    const KindNames &kind = kindNames[static_cast<size_t>(event.kind)];
    int64_t begin = nanoseconds(event.begin), end = nanoseconds(event.end);
    text += ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" + thread(event.track) +
            ",\"cat\":\"" + kind.category + "\",\"name\":" + names[event.name] +
            ",\"ts\":" + time(begin) +
            ",\"dur\":" + time(std::max<int64_t>(0, end - begin)) +
            ",\"args\":{";
    const char *separator = "\"";
    for (int i = 0; i < 3; ++i) {
      if (kind.numbers[i]) {
        text += separator + std::string(kind.numbers[i]) +
                "\":" + std::to_string(event.numbers[i]);
        separator = ",\"";
      }
    }
    text += "}}";
  }

  void flush() {
    write(text);
    text.clear();
  }

  const Trace &trace;
  const std::function<void(std::string_view)> &write;
  std::vector<std::string> names; ///< quoted
  std::string text;               ///< not written yet
};

} // namespace

void cheems::printTrace(const Trace &trace,
                        const std::function<void(std::string_view)> &write) {
  Printer(trace, write).print();
}
