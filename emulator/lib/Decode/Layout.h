//===- Layout.h - Where a warp keeps its registers --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_LAYOUT_H
#define CHEEMS_EMULATOR_DECODE_LAYOUT_H

#include <cstdint>
#include <vector>

/// Compilers give each value a register of its own, thousands in a kernel. A
/// warp's registers should lie in the nearest caches, so registers that are
/// never live at once share a place.
///
/// What is live is a matter of each lane alone: an instruction changes elements
/// of active lanes only, so it is enough that no path of one thread needs two
/// registers of a place, however the lanes of a warp have parted. That holds
/// because a place serves registers of one size: element l of them is at the
/// same bytes.
namespace cheems::emulator {

/// Registers, statements and the control flow of one function.
struct Flow {
  struct Register {
    uint8_t bits;        ///< 1 (a predicate), 16, 32, 64 or 128
    bool pinned = false; ///< shares its place with no other
  };
  struct Use {
    uint32_t reg;
    bool reads;
    /// All lanes that execute the statement write it, and there is no guard: a
    /// value from before is not needed after.
    bool kills;
  };
  struct Node {
    uint32_t firstUse = 0, uses = 0;
    uint32_t firstTarget = 0, targets = 0;
    bool fallsThrough = true;
  };

  std::vector<Register> registers;
  std::vector<Node> nodes; ///< statements in order
  std::vector<Use> uses;
  std::vector<uint32_t> targets; ///< nodes; nodes.size() is the end
};

/// Says where each register may hold a value that is still needed: from the
/// first to the last statement of its interval.
struct Liveness {
  struct Interval {
    uint32_t first = UINT32_MAX, last = 0; ///< first > last: it is never used
    bool empty() const { return first > last; }
  };
  std::vector<Interval> intervals;
  int peak = 0; ///< the most 32-bit registers that are live at once
};

Liveness analyse(const Flow &flow);

/// The registers that are needed after a statement and not written by it: what
/// a call must not change.
std::vector<uint32_t> liveAcross(const Flow &flow, uint32_t node);

struct Layout {
  std::vector<uint32_t> offsets; ///< of each register, in bytes
  uint32_t bytes = 0;            ///< a multiple of 64
};

/// Two registers that a statement uses never share a place, even if the one
/// dies where the other is born: a handler may write a destination before it
/// has read all sources. Without `reuse` each has a place of its own (for
/// tests).
Layout place(const Flow &flow, const Liveness &liveness, bool reuse = true);

} // namespace cheems::emulator

#endif
