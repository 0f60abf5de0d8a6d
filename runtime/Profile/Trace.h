// A profile as the trace events that Perfetto and chrome://tracing open.
#ifndef CHEEMS_RUNTIME_PROFILE_TRACE_H
#define CHEEMS_RUNTIME_PROFILE_TRACE_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems {

/// A slice of a track. What its numbers mean depends on the kind: of a step
/// its rows, sequences and rows of logits; of a region the first iteration and
/// how many.
struct TraceEvent {
  enum class Kind : uint8_t { step, part, region };
  Kind kind;
  int32_t track;
  uint32_t name;       ///< index in Trace::names
  uint64_t begin, end; ///< cycle counts
  int64_t numbers[3];
};

struct Trace {
  std::string process;
  std::vector<std::string> tracks, names;
  std::vector<std::pair<std::string, std::string>> facts; ///< for the reader
  std::vector<TraceEvent> events;
  uint64_t origin = 0; ///< the cycle count of time 0
  double cyclesPerMicrosecond = 1;
};

/// Slices by their beginning, those that hold others before them. `write` gets
/// the text in pieces.
void printTrace(const Trace &trace,
                const std::function<void(std::string_view)> &write);

} // namespace cheems

#endif
