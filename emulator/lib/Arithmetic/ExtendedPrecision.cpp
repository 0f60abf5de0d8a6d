//===- ExtendedPrecision.cpp - Sums with a carry flag ---------------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// What a lane adds to c.
template <typename T> CHEEMS_LANE T itself(T a, T) { return a; }

/// destination = term(a, b) +- c, with the flag as a third summand. Slots:
/// destination, flag, c, a and, of a product, b. Payload: whether the flag is
/// read (1) and written (2).
///
/// PTX ISA, "Extended-Precision Integer Arithmetic Instructions": "The
/// condition code register ... holds carry-in/carry-out or borrow-in/
/// borrow-out". A subtraction's flag is its borrow.
template <typename T, auto term, bool subtracts>
Step carrying(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Slot *slots = instruction.slots;
  using U = Unsigned<T>;
  LaneMask flags = instruction.payload & 1 ? warp.predicate(slots[1]) : 0;
  const U *c = warp.source<U>(slots[2]);
  const T *a = warp.source<T>(slots[3]), *b = warp.source<T>(slots[4]);
  alignas(64) U sums[warpLanes];
  LaneMask carries = 0;
  for (int lane = 0; lane < warpLanes; ++lane) {
    U x = U(term(a[lane], b[lane])), y = c[lane], in = flags >> lane & 1;
    U partial = subtracts ? x - y : x + y;
    U sum = subtracts ? partial - in : partial + in;
    bool carry = subtracts ? x < y || partial < in : partial < x || sum < in;
    sums[lane] = sum;
    carries |= LaneMask(carry) << lane;
  }
  eachLane(
      warp.destination<U>(slots[0]), active, [](U sum) { return sum; },
      static_cast<const U *>(sums));
  if (instruction.payload & 2) {
    warp.setPredicate(slots[1], carries, active);
  }
  return Step::next;
}

template <typename T, bool subtracts>
constexpr Handler plain = carrying<T, itself<T>, subtracts>;

constexpr Typed sums[] = {
    {Type::u32, plain<uint32_t, false>},
    {Type::s32, plain<uint32_t, false>},
    {Type::u64, plain<uint64_t, false>},
    {Type::s64, plain<uint64_t, false>},
};
constexpr Typed differences[] = {
    {Type::u32, plain<uint32_t, true>},
    {Type::s32, plain<uint32_t, true>},
    {Type::u64, plain<uint64_t, true>},
    {Type::s64, plain<uint64_t, true>},
};
constexpr Typed lowMatmuls[] = {
    {Type::u32, carrying<uint32_t, multiplyLow<uint32_t>, false>},
    {Type::s32, carrying<uint32_t, multiplyLow<uint32_t>, false>},
    {Type::u64, carrying<uint64_t, multiplyLow<uint64_t>, false>},
    {Type::s64, carrying<uint64_t, multiplyLow<uint64_t>, false>},
};
constexpr Typed highMatmuls[] = {
    {Type::u32, carrying<uint32_t, multiplyHigh<uint32_t>, false>},
    {Type::s32, carrying<int32_t, multiplyHigh<int32_t>, false>},
    {Type::u64, carrying<uint64_t, multiplyHigh<uint64_t>, false>},
    {Type::s64, carrying<int64_t, multiplyHigh<int64_t>, false>},
};

void decodeSum(Statement &statement, bool reads,
               std::span<const Typed> handlers) {
  bool writes = statement.take("cc");
  auto [type, handler] = takeTyped(statement, handlers);
  statement.end(3);
  Slot a = statement.source(1, type), b = statement.source(2, type);
  Slot flag = statement.carry(reads, writes);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), flag, b, a, a},
                 reads | writes << 1);
}

void decodeMatmul(Statement &statement, bool reads) {
  bool writes = statement.take("cc");
  bool low = statement.takeOne({"lo", "hi"}) == "lo";
  auto [type, handler] = low ? takeTyped(statement, lowMatmuls)
                             : takeTyped(statement, highMatmuls);
  statement.end(4);
  Slot a = statement.source(1, type), b = statement.source(2, type),
       c = statement.source(3, type);
  Slot flag = statement.carry(reads, writes);
  statement.emit(handler, Pipe::fma,
                 {statement.destination(0, type), flag, c, a, b},
                 reads | writes << 1);
}

/// PTX ISA, "Extended-Precision Arithmetic Instructions: add.cc"
void decodeAdd(Statement &statement) { decodeSum(statement, false, sums); }
/// PTX ISA, "Extended-Precision Arithmetic Instructions: addc"
void decodeAddCarry(Statement &statement) { decodeSum(statement, true, sums); }
/// PTX ISA, "Extended-Precision Arithmetic Instructions: sub.cc"
void decodeSubtract(Statement &statement) {
  decodeSum(statement, false, differences);
}
/// PTX ISA, "Extended-Precision Arithmetic Instructions: subc"
void decodeSubtractBorrow(Statement &statement) {
  decodeSum(statement, true, differences);
}
/// PTX ISA, "Extended-Precision Arithmetic Instructions: mad.cc"
void decodeMultiplyAdd(Statement &statement) { decodeMatmul(statement, false); }
/// PTX ISA, "Extended-Precision Arithmetic Instructions: madc"
void decodeMultiplyAddCarry(Statement &statement) {
  decodeMatmul(statement, true);
}

constexpr Opcode extendedPrecisionOpcodes[] = {
    {"add", decodeAdd, "cc"},         {"addc", decodeAddCarry},
    {"sub", decodeSubtract, "cc"},    {"subc", decodeSubtractBorrow},
    {"mad", decodeMultiplyAdd, "cc"}, {"madc", decodeMultiplyAddCarry},
};

} // namespace

std::span<const Opcode> extendedPrecision() { return extendedPrecisionOpcodes; }
CHEEMS_LANES_END
