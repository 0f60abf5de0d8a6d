//===- Permutation.cpp - prmt ---------------------------------------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

template <PermuteMode mode>
CHEEMS_LANE uint32_t permuteByMode(uint32_t a, uint32_t b, uint32_t c) {
  constexpr const uint16_t *selectors =
      permuteSelectors[static_cast<int>(mode)];
  uint32_t low = c & 1 ? selectors[1] : selectors[0];
  uint32_t high = c & 1 ? selectors[3] : selectors[2];
  return permute(a, b, c & 2 ? high : low);
}

/// The selectors are known, and none replicates a sign: shifts and masks.
template <uint16_t selectors>
CHEEMS_LANE uint32_t permuteBy(uint32_t a, uint32_t b) {
  return permute(a, b, selectors);
}

/// The selectors are in the payload.
Step permuteByPayload(Warp &warp, const Instruction &instruction,
                      LaneMask active) {
  const Slot *slots = instruction.slots;
  auto selectors = static_cast<uint32_t>(instruction.payload);
  eachLane(
      warp.destination<uint32_t>(slots[0]), active,
      [selectors](uint32_t a, uint32_t b) {
        uint32_t result = 0;
        for (int byte = 0; byte < 4; ++byte) {
          uint32_t selector = selectors >> 4 * byte & 0xf;
          uint32_t value = (selector & 4 ? b : a) >> 8 * (selector & 3) & 0xff;
          uint32_t sign = value & 0x80 ? 0xff : 0;
          result |= (selector & 8 ? sign : value) << 8 * byte;
        }
        return result;
      },
      warp.source<uint32_t>(slots[1]), warp.source<uint32_t>(slots[2]));
  return Step::next;
}

/// Selectors that compilers use most: halves of two registers.
Handler handlerOf(uint16_t selectors) {
  switch (selectors) {
  case 0x5410:
    return each<permuteBy<0x5410>>;
  case 0x7632:
    return each<permuteBy<0x7632>>;
  case 0x1032:
    return each<permuteBy<0x1032>>;
  case 0x3210:
    return each<permuteBy<0x3210>>;
  case 0x5432:
    return each<permuteBy<0x5432>>;
  case 0x7610:
    return each<permuteBy<0x7610>>;
  case 0x3340:
    return each<permuteBy<0x3340>>;
  default:
    return permuteByPayload;
  }
}

constexpr std::pair<std::string_view, Handler> modes[] = {
    {"f4e", each<permuteByMode<PermuteMode::f4e>>},
    {"b4e", each<permuteByMode<PermuteMode::b4e>>},
    {"rc8", each<permuteByMode<PermuteMode::rc8>>},
    {"ecl", each<permuteByMode<PermuteMode::ecl>>},
    {"ecr", each<permuteByMode<PermuteMode::ecr>>},
    {"rc16", each<permuteByMode<PermuteMode::rc16>>},
};

/// PTX ISA, "Data Movement and Conversion Instructions: prmt"
void decodePermute(Statement &statement) {
  Type type = statement.takeType({Type::b32});
  std::string_view mode =
      statement.takeAny({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  statement.end(4);
  Slot a = statement.source(1, type), b = statement.source(2, type);
  if (mode.empty() && statement.isImmediate(3)) {
    auto selectors = static_cast<uint16_t>(statement.immediate(3));
    statement.emit(handlerOf(selectors), Pipe::alu,
                   {statement.destination(0, type), a, b}, selectors);
    return;
  }
  Handler handler = each<permute>;
  for (auto [name, ofMode] : modes) {
    handler = name == mode ? ofMode : handler;
  }
  Slot c = statement.source(3, type);
  statement.emit(handler, Pipe::alu, {statement.destination(0, type), a, b, c});
}

constexpr Opcode permutationOpcodes[] = {{"prmt", decodePermute}};

} // namespace

std::span<const Opcode> permutation() { return permutationOpcodes; }
CHEEMS_LANES_END
