// Says where the time of a session's steps goes: parts of a step, from the
// cycle counts that compiled code leaves at its marks, and what each thread
// did.
#ifndef CHEEMS_RUNTIME_PROFILE_PROFILE_H
#define CHEEMS_RUNTIME_PROFILE_PROFILE_H

#include "runtime/Profile/RegionLog.h"
#include "runtime/Profile/Trace.h"
#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cheems {

/// Belongs to one session, which fills it; may outlive it. Keeps the first
/// steps whose slices together are at most `most`, and counts the rest.
class Profile {
public:
  /// 56 bytes each.
  static constexpr size_t mostEvents = 1 << 20;

  explicit Profile(size_t most = mostEvents);

  /// What is known before the first step.
  struct Subject {
    std::string model, compiler, variant;
    std::vector<std::string> generalMarks, decodeMarks;
    int threads = 1;
    /// Names where kernels run that the host only launches, as a track of their
    /// own after the threads'; empty: nowhere.
    std::string device;
  };
  void begin(const Subject &subject);
  /// For ThreadPool::setLog; after `begin`.
  RegionLog &regions() { return *log; }

  /// Starts the clock of a step; returns cheems_step::profile.
  uint64_t *startStep(bool decode);
  /// A step for which there is no memory counts as one without room.
  void endStep(int64_t tokens, int64_t sequences, int64_t logits) noexcept;

  /// Returns the rate of the cycle counts, taken over all the time so far.
  double cyclesPerMicrosecond();

  int64_t steps() const { return kept; }
  /// What did not fit, in a line; empty where all did.
  std::string loss() const;
  /// The file appears whole or not at all. Throws Error.
  void write(const std::string &path);
  /// What there is so far; what comes is recorded as if nothing had been.
  Trace take();

private:
  using Clock = std::chrono::steady_clock;

  void setClock();
  uint32_t nameOf(const std::string &name);
  uint32_t nameOf(const char *text);
  /// The slices of a step; returns how many regions were lost.
  int64_t record(const TraceEvent &step);

  /// An entry's parts and where their beginnings are stored.
  struct Entry {
    uint32_t name = 0;
    std::vector<uint32_t> marks;
    std::vector<uint64_t> counts;
  };

  const size_t most;
  const Clock::time_point startTime;
  Trace trace;
  std::unique_ptr<RegionLog> log;
  Entry general, decode, *current = nullptr;
  uint64_t stepBegin = 0;
  std::unordered_map<const char *, uint32_t> regionNames; ///< by address
  bool full = false;
  int64_t kept = 0, dropped = 0, droppedRegions = 0;
};

} // namespace cheems

#endif
