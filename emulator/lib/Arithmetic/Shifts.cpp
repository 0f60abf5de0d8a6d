//===- Shifts.cpp - shl, shr and shf --------------------------------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

constexpr Typed lefts[] = {{Type::b16, each<shiftLeft<uint16_t>>},
                           {Type::b32, each<shiftLeft<uint32_t>>},
                           {Type::b64, each<shiftLeft<uint64_t>>}};
constexpr Typed rights[] = {
    {Type::b16, each<shiftRight<uint16_t>>},
    {Type::b32, each<shiftRight<uint32_t>>},
    {Type::b64, each<shiftRight<uint64_t>>},
    {Type::u16, each<shiftRight<uint16_t>>},
    {Type::u32, each<shiftRight<uint32_t>>},
    {Type::u64, each<shiftRight<uint64_t>>},
    {Type::s16, each<shiftRight<int16_t>>},
    {Type::s32, each<shiftRight<int32_t>>},
    {Type::s64, each<shiftRight<int64_t>>},
};

void emitShift(Statement &statement, std::span<const Typed> handlers) {
  auto [type, handler] = takeTyped(statement, handlers);
  statement.end(3);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, Type::u32)});
}
/// PTX ISA, "Logic and Shift Instructions: shl"
void decodeLeft(Statement &statement) { emitShift(statement, lefts); }
/// PTX ISA, "Logic and Shift Instructions: shr"
void decodeRight(Statement &statement) { emitShift(statement, rights); }

/// The indices say whether there is .l and whether there is .wrap.
constexpr Handler funnels[2][2] = {
    {each<funnelShift<false, false>>, each<funnelShift<false, true>>},
    {each<funnelShift<true, false>>, each<funnelShift<true, true>>},
};
/// PTX ISA, "Logic and Shift Instructions: shf"
void decodeFunnel(Statement &statement) {
  bool left = statement.takeOne({"l", "r"}) == "l";
  bool wraps = statement.takeOne({"clamp", "wrap"}) == "wrap";
  Type type = statement.takeType({Type::b32});
  statement.end(4);
  statement.emit(funnels[left][wraps], Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, type), statement.source(3, Type::u32)});
}

constexpr Opcode shiftsOpcodes[] = {
    {"shl", decodeLeft}, {"shr", decodeRight}, {"shf", decodeFunnel}};

} // namespace

std::span<const Opcode> shifts() { return shiftsOpcodes; }
CHEEMS_LANES_END
