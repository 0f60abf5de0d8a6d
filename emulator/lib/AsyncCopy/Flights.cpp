//===- Flights.cpp - Operations that signal an mbarrier later -------------===//
#include "Flights.h"

namespace cheems::emulator {
namespace {

/// SplitMix64: one step.
uint64_t next(uint64_t &state) {
  uint64_t value = state += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

} // namespace

Flight::~Flight() = default;

Flights::Flights(Block &block)
    : random(block.grid.device.options.seed * 0x100000001b3 + block.number) {}

void Flights::add(std::unique_ptr<Flight> flight) {
  flights.push_back(std::move(flight));
}

void Flights::land(size_t index) {
  std::unique_ptr<Flight> flight = std::move(flights[index]);
  flights.erase(flights.begin() + static_cast<ptrdiff_t>(index));
  flight->land();
}

void Flights::landGroups(const Warp &warp) {
  for (size_t i = 0; i < flights.size();) {
    if (flights[i]->landsWithGroups(warp)) {
      land(i);
    } else {
      ++i;
    }
  }
}

bool Flights::advance(Block &) {
  if (flights.empty()) {
    return false;
  }
  land(next(random) % flights.size());
  return true;
}

void Flights::finish(Block &block) {
  for (const auto &flight : flights) {
    const Finding finding(
        "copy-in-flight-at-exit",
        "the block exits, and nobody has waited for the end "
        "of this operation on its mbarrier",
        flight->warp.place(flight->instruction, flight->lane));
    if (!flight->isOfThreads()) {
      throw Finding(finding);
    }
    block.warn(finding); // as of a copy whose group nobody has waited for
  }
  if (readers != 0) {
    Warp &warp = block.warps.front();
    throw Finding("copy-in-flight-at-exit",
                  "the block exits while " + std::to_string(readers) +
                      " copies to other blocks of the cluster still read its "
                      "shared memory",
                  warp.place(block.program().instructions.back()));
  }
}

std::string Flights::describe(Block &) {
  if (flights.empty()) {
    return {};
  }
  return std::to_string(flights.size()) + " copies in flight\n";
}

} // namespace cheems::emulator
