//===- PhaseCounts.h - The arithmetic of an mbarrier object -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_PHASECOUNTS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_PHASECOUNTS_H

#include <cstdint>

namespace cheems::emulator {

/// What an operation did to an mbarrier object.
enum class PhaseResult : uint8_t {
  incomplete,          ///< the phase goes on
  complete,            ///< the phase has ended, and the next one has begun
  overArrival,         ///< more arrivals than are pending
  countOutOfRange,     ///< a count is 0 or above 2^20 - 1
  pendingOutOfRange,   ///< the pending count would exceed 2^20 - 1
  transactionOverflow, ///< tx-count would leave -(2^20 - 1) to 2^20 - 1
};

/// PTX ISA, "Contents of the mbarrier object". Where an operation fails, the
/// counts mean nothing any more.
class PhaseCounts {
public:
  static constexpr uint32_t most = (1u << 20) - 1;

  /// `count` is 1 to `most`.
  explicit PhaseCounts(uint32_t count) : expected_(count), pending_(count) {}

  /// How many phases have ended.
  uint64_t phase() const { return phase_; }
  uint32_t expected() const { return expected_; }
  uint32_t pending() const { return pending_; }
  int64_t transactions() const { return transactions_; }

  /// "Arrive-on operation on mbarrier object"
  PhaseResult arrive(uint32_t count);
  /// mbarrier.arrive_drop: the phases that follow expect so many fewer. None
  /// may be left: then nobody can arrive any more.
  PhaseResult drop(uint32_t count);
  /// "expect-tx operation". It can end a phase whose bytes came before they
  /// were expected: "Phase Completion of the mbarrier object" only asks for
  /// zeros.
  PhaseResult expect(uint32_t transactions);
  /// "complete-tx operation"
  PhaseResult complete(uint32_t transactions);
  /// cp.async.mbarrier.arrive without .noinc: one more arrival is pending.
  PhaseResult hold();

  /// mbarrier.test_wait.parity: whether the phase of that parity, which is the
  /// current or the preceding one, has ended. Before phase 0 lies a phase of
  /// parity 1 that has.
  bool hasEnded(uint32_t parity) const { return (phase_ & 1) != parity; }

private:
  PhaseResult endIfDone();

  uint64_t phase_ = 0;
  uint32_t expected_;
  uint32_t pending_;
  int64_t transactions_ = 0;
};

/// The opaque value that mbarrier.arrive gives: which phase of which barrier.
/// It has fewer bits than both, but enough to tell a wrong one.
struct PhaseToken {
  uint32_t pending; ///< before the arrival
  bool noComplete;  ///< only these may be asked for their pending count
  uint32_t phase;   ///< the lowest 23 bits
  uint32_t barrier; ///< the lowest 20 bits of the barrier's number

  static constexpr uint32_t phaseBits = 23, barrierBits = 20;

  uint64_t encode() const {
    return uint64_t(barrier & ((1u << barrierBits) - 1)) << 44 |
           uint64_t(phase & ((1u << phaseBits) - 1)) << 21 |
           uint64_t(noComplete) << 20 | (pending & PhaseCounts::most);
  }
  static PhaseToken decode(uint64_t bits) {
    return {.pending = static_cast<uint32_t>(bits & PhaseCounts::most),
            .noComplete = (bits >> 20 & 1) != 0,
            .phase =
                static_cast<uint32_t>(bits >> 21 & ((1u << phaseBits) - 1)),
            .barrier = static_cast<uint32_t>(bits >> 44)};
  }
};

} // namespace cheems::emulator

#endif
