//===- Widths.cpp - Values that change their width -----------------------===//
#include "Widths.h"

#include "Lanes/Loop.h"

#include <stdexcept>

using namespace cheems::emulator;

namespace {

/// 128 bits; a struct because arrays of it are read as bytes.
struct Wide {
  uint64_t low, high;
};

// A narrow operand in a wide register is rare, so these are compiled for any
// host, and lane by lane.
template <typename D, typename S, typename F>
void each(D *destination, LaneMask active, const S *source, F compute) {
  forLanes(active,
           [&](int lane) { destination[lane] = compute(source[lane]); });
}

template <typename D, typename S>
Step convert(Warp &warp, const Instruction &instruction, LaneMask active) {
  each(warp.destination<D>(instruction.slots[0]), active,
       warp.source<S>(instruction.slots[1]),
       [](S value) { return static_cast<D>(value); });
  return Step::next;
}

/// S is signed or unsigned, and so is the extension.
template <typename S>
Step widen(Warp &warp, const Instruction &instruction, LaneMask active) {
  each(warp.destination<Wide>(instruction.slots[0]), active,
       warp.source<S>(instruction.slots[1]), [](S value) {
         return Wide{static_cast<uint64_t>(static_cast<int64_t>(value)),
                     value < 0 ? ~uint64_t(0) : 0};
       });
  return Step::next;
}

template <typename D>
Step chop(Warp &warp, const Instruction &instruction, LaneMask active) {
  each(warp.destination<D>(instruction.slots[0]), active,
       warp.source<Wide>(instruction.slots[1]),
       [](Wide value) { return static_cast<D>(value.low); });
  return Step::next;
}

} // namespace

Handler cheems::emulator::widthHandler(int to, int from, bool isSigned) {
  switch (to * 1000 + from) {
  case 32016:
    return isSigned ? convert<uint32_t, int16_t> : convert<uint32_t, uint16_t>;
  case 64016:
    return isSigned ? convert<uint64_t, int16_t> : convert<uint64_t, uint16_t>;
  case 64032:
    return isSigned ? convert<uint64_t, int32_t> : convert<uint64_t, uint32_t>;
  case 16032:
    return convert<uint16_t, uint32_t>;
  case 16064:
    return convert<uint16_t, uint64_t>;
  case 32064:
    return convert<uint32_t, uint64_t>;
  case 128016:
    return isSigned ? widen<int16_t> : widen<uint16_t>;
  case 128032:
    return isSigned ? widen<int32_t> : widen<uint32_t>;
  case 128064:
    return isSigned ? widen<int64_t> : widen<uint64_t>;
  case 16128:
    return chop<uint16_t>;
  case 32128:
    return chop<uint32_t>;
  case 64128:
    return chop<uint64_t>;
  default:
    throw std::logic_error("no value is converted between these widths");
  }
}

Step cheems::emulator::copyPredicate(Warp &warp, const Instruction &instruction,
                                     LaneMask active) {
  warp.setPredicate(instruction.slots[0], warp.predicate(instruction.slots[1]),
                    active);
  return Step::next;
}

Step cheems::emulator::frameAddress64(Warp &warp,
                                      const Instruction &instruction,
                                      LaneMask active) {
  each(warp.destination<uint64_t>(instruction.slots[0]), active,
       warp.source<uint32_t>(instruction.slots[1]),
       [offset = instruction.payload](uint32_t frame) {
         return frame + offset;
       });
  return Step::next;
}

Step cheems::emulator::frameAddress32(Warp &warp,
                                      const Instruction &instruction,
                                      LaneMask active) {
  each(warp.destination<uint32_t>(instruction.slots[0]), active,
       warp.source<uint32_t>(instruction.slots[1]),
       [offset = static_cast<uint32_t>(instruction.payload)](uint32_t frame) {
         return frame + offset;
       });
  return Step::next;
}
