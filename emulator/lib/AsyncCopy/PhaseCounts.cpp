//===- PhaseCounts.cpp - The arithmetic of an mbarrier object -------------===//
#include "PhaseCounts.h"

namespace cheems::emulator {

PhaseResult PhaseCounts::endIfDone() {
  if (pending_ != 0 || transactions_ != 0) {
    return PhaseResult::incomplete;
  }
  ++phase_;
  pending_ = expected_;
  return PhaseResult::complete;
}

PhaseResult PhaseCounts::arrive(uint32_t count) {
  if (count == 0 || count > most) {
    return PhaseResult::countOutOfRange;
  }
  if (count > pending_) {
    return PhaseResult::overArrival;
  }
  pending_ -= count;
  return endIfDone();
}

PhaseResult PhaseCounts::drop(uint32_t count) {
  if (count == 0 || count > most) {
    return PhaseResult::countOutOfRange;
  }
  if (count > expected_) {
    return PhaseResult::overArrival;
  }
  expected_ -= count;
  return arrive(count);
}

PhaseResult PhaseCounts::expect(uint32_t transactions) {
  transactions_ += transactions;
  if (transactions_ > int64_t(most)) {
    return PhaseResult::transactionOverflow;
  }
  return transactions == 0 ? PhaseResult::incomplete : endIfDone();
}

PhaseResult PhaseCounts::complete(uint32_t transactions) {
  transactions_ -= transactions;
  if (transactions_ < -int64_t(most)) {
    return PhaseResult::transactionOverflow;
  }
  return transactions == 0 ? PhaseResult::incomplete : endIfDone();
}

PhaseResult PhaseCounts::hold() {
  if (pending_ == most) {
    return PhaseResult::pendingOutOfRange;
  }
  ++pending_;
  return PhaseResult::incomplete;
}

} // namespace cheems::emulator
