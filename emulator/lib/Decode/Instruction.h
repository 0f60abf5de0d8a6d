//===- Instruction.h - A decoded instruction --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_INSTRUCTION_H
#define CHEEMS_EMULATOR_DECODE_INSTRUCTION_H

#include <cstdint>

namespace cheems::emulator {

class Warp;

/// The threads of a warp.
constexpr int warpLanes = 32;
/// One bit a lane.
using LaneMask = uint32_t;
constexpr LaneMask allLanes = 0xffffffff;

/// The memory that a slot lies in.
enum class Base : uint8_t {
  registers, ///< of the warp
  constants, ///< of the program: immediates and addresses of variables
  block,     ///< special registers that all threads of a block share
  warp,      ///< special registers that differ from lane to lane
};

/// Says where an instruction finds the 32 values of an operand: the base is in
/// the two lowest bits, a byte offset (a multiple of 4) in the others.
///
/// A value of 16, 32, 64 or 128 bits is an array of 32 elements at a multiple
/// of 64 bytes. A predicate is one mask of 32 bits; the highest bit of its slot
/// says that the operand is negated (`!p`).
///
/// Two slots are the same or do not overlap, so a loop over lanes that reads
/// element l of its sources and writes element l of its destinations needs no
/// care for aliases.
class Slot {
public:
  Slot() = default;
  constexpr Slot(Base base, uint32_t offset)
      : bits(offset | static_cast<uint32_t>(base)) {}

  constexpr Base base() const { return static_cast<Base>(bits & 3); }
  constexpr uint32_t offset() const { return bits & 0x7ffffffc; }
  constexpr bool negated() const { return bits >> 31; }
  constexpr Slot negate() const {
    Slot slot = *this;
    slot.bits ^= 0x80000000;
    return slot;
  }
  constexpr bool operator==(const Slot &other) const = default;

private:
  uint32_t bits = 0;
};

/// What comes after an instruction.
enum class Step : uint8_t {
  next, ///< the next instruction
  /// The handler has changed the warp's groups (a branch, an exit).
  moved,
  /// The next instruction, but other warps run first: a poll failed.
  yield,
  /// The handler has called Warp::waitFor. The next instruction runs when what
  /// it waits for has happened.
  wait,
  /// Nothing was done: the instruction is tried again when lanes of the warp
  /// that are elsewhere have come here or have exited.
  converge,
};

struct Instruction;

/// Executes an instruction for the lanes of `active`: those of the running
/// group whose guard holds. It is not called if there is none.
using Handler = Step (*)(Warp &warp, const Instruction &instruction,
                         LaneMask active);

/// The machine's inner loop reads these in order. What only reports and
/// counters read is in Program::details.
struct Instruction {
  Handler handler = nullptr;
  const Slot *slots = nullptr; ///< of the operands, in the handler's order
  /// A number, or the address of something that Program keeps.
  uint64_t payload = 0;
  Slot guard; ///< without one: a constant mask of all lanes
  int line = 0;

  template <typename T> const T &as() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number or an address
    return *reinterpret_cast<const T *>(payload);
  }
};

/// Which unit of a multiprocessor executes an instruction, for counts and the
/// rates of "Throughput of Native Arithmetic Instructions" in the CUDA C++
/// Programming Guide.
enum class Pipe : uint8_t {
  none,       ///< not an instruction of the text: a step of a larger one
  control,    ///< branches, barriers, exits
  alu,        ///< 32-bit integers, logic, comparison, selection
  fma,        ///< f32 add, multiply, fused; integer multiply
  half,       ///< f16 and bf16
  fp64,       ///< double precision
  mufu,       ///< approximations: rcp, rsqrt, sin, cos, lg2, ex2, tanh
  conversion, ///< conversions from and to other types
  lsu,        ///< memory, shuffles and votes
  tensor,     ///< mma and wgmma
  async,      ///< bulk copies and tensor maps
};

} // namespace cheems::emulator

#endif
