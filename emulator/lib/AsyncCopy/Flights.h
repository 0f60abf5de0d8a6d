//===- Flights.h - Operations that signal an mbarrier later -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_FLIGHTS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_FLIGHTS_H

#include "Barriers.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cheems::emulator {

/// An asynchronous operation in late mode, between its instruction and the
/// signal to its mbarrier.
class Flight {
public:
  Flight(Warp &warp, const Instruction &instruction, int lane,
         uint64_t operation)
      : warp(warp), instruction(instruction), lane(lane), operation(operation) {
  }
  virtual ~Flight();

  /// Moves the bytes and signals.
  virtual void land() = 0;
  /// It is of cp.async, and no bulk operation.
  virtual bool isOfThreads() const { return false; }
  /// It is part of what cp.async.wait_group of that warp waits for.
  virtual bool landsWithGroups(const Warp &) const { return false; }

  Warp &warp;
  const Instruction &instruction;
  const int lane;
  const uint64_t operation;
};

/// A bulk copy's signal to its mbarrier, when its bytes have been moved.
void signalBytes(const Flight &flight, Barrier &barrier, uint32_t bytes);

/// The flights whose mbarrier lies in a block. A wait for an mbarrier only asks
/// whether its phase has ended, so flights land when nothing else can run, one
/// at a time, in an order that the seed determines.
class Flights : public BlockExtension {
public:
  explicit Flights(Block &block);

  void add(std::unique_ptr<Flight> flight);
  /// Those that cp.async.wait_group of `warp` waits for.
  void landGroups(const Warp &warp);

  bool advance(Block &block) override;
  void finish(Block &block) override;
  std::string describe(Block &block) override;

  /// Flights elsewhere that read the shared memory of this block.
  uint32_t readers = 0;

private:
  void land(size_t index);

  std::vector<std::unique_ptr<Flight>> flights; ///< the oldest first
  uint64_t random;
};

} // namespace cheems::emulator

#endif
