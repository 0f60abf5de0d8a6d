// Memory that runs out at a chosen moment, to see what that leaves behind.
// Compiling FailingAllocations.cpp into a test replaces operator new.
#ifndef CHEEMS_TEST_UNIT_MEMORYSHORTAGE_FAILINGALLOCATIONS_H
#define CHEEMS_TEST_UNIT_MEMORYSHORTAGE_FAILINGALLOCATIONS_H

#include <cstdint>
#include <new>

namespace cheems::test {

/// While one lives, operator new gives this thread so many more blocks and then
/// throws std::bad_alloc.
class FailingAllocations {
public:
  explicit FailingAllocations(int64_t blocks);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations &) = delete;
  FailingAllocations &operator=(const FailingAllocations &) = delete;
  /// Whether it threw.
  bool threw() const;
};

/// Calls `attempt` with no block to be had, then with one, and so on until it
/// has all it asks for. After each call `look(blocks)` sees what it left; an
/// exception of a call ends that call alone.
template <typename Attempt, typename Look>
void withEverMoreMemory(const Attempt &attempt, const Look &look) {
  bool threw = true;
  for (int64_t blocks = 0; threw; ++blocks) {
    {
      FailingAllocations memory(blocks);
      try {
        attempt();
      } catch (const std::bad_alloc &) {
      }
      threw = memory.threw();
    }
    look(blocks);
  }
}

} // namespace cheems::test

#endif
