//===- Events.h - Executions that touched memory ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_EVENTS_H
#define CHEEMS_EMULATOR_CHECK_EVENTS_H

#include "AddressSpaces/Access.h"
#include "Clocks.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cheems::emulator {

/// What lanes of a warp did by one instruction at one value of their clocks:
/// one execution of it if they wrote, maybe several if they only read.
struct Event {
  uint32_t warp = 0; ///< of the grid: cluster, then rank of the block
  Clock clock = 0;
  uint32_t instruction = 0;   ///< its number in the program
  Scope scope = Scope::none;  ///< of a strong access
  bool isUnit = false;        ///< a unit wrote, by the async proxy
  bool isCopy = false;        ///< cp.async wrote, by the generic proxy
  uint32_t lanesInFlight = 0; ///< of an asynchronous operation that writes

  bool isStrong() const { return scope != Scope::none; }

  /// The answers for the knowledge that asked last.
  uint64_t asked = 0;
  LaneMask ordered = 0, fenced = 0;
};

/// A number of an event, in the order in which they happened. A cell of memory
/// has these, so "all of that comes before" is one comparison.
using EventNumber = uint32_t;
constexpr EventNumber noEvent = 0;
/// Writes of an asynchronous operation that nobody has waited for: nothing of
/// any other thread comes after them. These are numbered apart, with this bit.
constexpr EventNumber inFlight = EventNumber(1) << 31;

/// The events that a memory remembers: of the warps of a cluster, or of those
/// of a grid.
class Events {
public:
  Events(ProxiedMemory memory, uint32_t warpsPerCluster, uint32_t firstWarp,
         uint32_t warps)
      : memory(memory), warpsPerCluster(warpsPerCluster), firstWarp(firstWarp),
        recent(warps), lowest(warps) {}

  Event &operator[](EventNumber number) {
    return number & inFlight ? copies[number & ~inFlight] : all[number];
  }

  /// The number of the one that comes next.
  EventNumber next() const { return static_cast<EventNumber>(all.size()); }
  /// A new one.
  EventNumber add(const Event &event);
  /// The same read at the same clock, or a new one.
  EventNumber addRead(const Event &event);
  /// An operation of so many lanes, which is in flight.
  EventNumber addCopy(const Event &event);
  /// So many lanes have waited for their parts. Nothing refers to these any
  /// more.
  void endCopy(EventNumber copy, int lanes);

  /// Lanes of the event's warp that come before whoever knows this, in the
  /// cluster `home`. They are fenced, too, if `isFenced`.
  LaneMask before(Event &event, const Knowledge &known, uint32_t home,
                  bool isFenced) {
    if (event.lanesInFlight) {
      return 0;
    }
    if (event.asked != horizon(known, home).serial) {
      ask(event, known, home);
    }
    return isFenced ? event.ordered & event.fenced : event.ordered;
  }
  /// All events with lower numbers come before whoever knows this.
  const Knowledge::Horizon &horizon(const Knowledge &known, uint32_t home) {
    const Knowledge::Horizon &horizon = known.horizons[size_t(memory)];
    if (!horizon.serial || horizon.generation != generation) {
      findHorizon(known, home);
    }
    return horizon;
  }

  /// Whether events that nothing refers to should be dropped. To look at so
  /// many cells must be worth it.
  bool isFull(size_t cells) const {
    return all.size() >= limit && all.size() >= cells / 4;
  }
  /// Drops all events but those that are marked, and numbers the others anew in
  /// the same order: `renumber` calls its argument with each number that is
  /// kept. It is called twice.
  template <typename F> void drop(F renumber) {
    std::vector<EventNumber> numbers(all.size());
    renumber([&](EventNumber &number) {
      if (!(number & inFlight)) {
        numbers[number] = 1;
      }
    });
    compact(numbers);
    renumber([&](EventNumber &number) {
      if (!(number & inFlight)) {
        number = numbers[number];
      }
    });
  }

private:
  /// What is known of the clocks of a warp's lanes, or null.
  const Clock *clocksOf(const Knowledge &known, uint32_t home, uint32_t warp,
                        bool isFenced) const;
  void ask(Event &event, const Knowledge &known, uint32_t home);
  void findHorizon(const Knowledge &known, uint32_t home);
  /// From marks to new numbers.
  void compact(std::vector<EventNumber> &numbers);

  static constexpr size_t recentReads = 64;
  using Recent = std::array<EventNumber, recentReads>;

  const ProxiedMemory memory;
  const uint32_t warpsPerCluster, firstWarp;
  std::vector<Event> all{1};
  std::vector<Event> copies;
  std::vector<EventNumber> freeCopies;
  /// The first index is the warp, the second the instruction modulo
  /// `recentReads`.
  std::vector<std::unique_ptr<Recent>> recent;
  size_t limit = size_t(1) << 14;
  uint32_t generation = 0;
  uint64_t serials = 0;
  /// Each warp has one: the lowest clocks of its lanes in the knowledge
  /// `serial`.
  struct Lowest {
    uint64_t serial = 0;
    Clock ordered = 0, fenced = 0;
  };
  std::vector<Lowest> lowest;
};

} // namespace cheems::emulator

#endif
