//===- Logic.cpp - and, or, xor, not and cnot -----------------------------===//
#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

template <typename T> CHEEMS_LANE T conjunction(T a, T b) { return a & b; }
template <typename T> CHEEMS_LANE T disjunction(T a, T b) { return a | b; }
template <typename T> CHEEMS_LANE T difference(T a, T b) { return a ^ b; }
template <typename T> CHEEMS_LANE T complement(T a) { return T(~a); }
template <typename T> CHEEMS_LANE T isZero(T a) { return a == 0; }

/// A predicate is a mask of all lanes.
template <LaneMask (*compute)(LaneMask, LaneMask)>
Step onPredicates(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Slot *slots = instruction.slots;
  warp.setPredicate(slots[0],
                    compute(warp.predicate(slots[1]), warp.predicate(slots[2])),
                    active);
  return Step::next;
}

Step copyComplement(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  warp.setPredicate(instruction.slots[0], ~warp.predicate(instruction.slots[1]),
                    active);
  return Step::next;
}

constexpr Typed conjunctions[] = {
    {Type::pred, onPredicates<conjunction<LaneMask>>},
    {Type::b16, each<conjunction<uint16_t>>},
    {Type::b32, each<conjunction<uint32_t>>},
    {Type::b64, each<conjunction<uint64_t>>},
};
constexpr Typed disjunctions[] = {
    {Type::pred, onPredicates<disjunction<LaneMask>>},
    {Type::b16, each<disjunction<uint16_t>>},
    {Type::b32, each<disjunction<uint32_t>>},
    {Type::b64, each<disjunction<uint64_t>>},
};
constexpr Typed differences[] = {
    {Type::pred, onPredicates<difference<LaneMask>>},
    {Type::b16, each<difference<uint16_t>>},
    {Type::b32, each<difference<uint32_t>>},
    {Type::b64, each<difference<uint64_t>>},
};
constexpr Typed complements[] = {
    {Type::pred, copyComplement},
    {Type::b16, each<complement<uint16_t>>},
    {Type::b32, each<complement<uint32_t>>},
    {Type::b64, each<complement<uint64_t>>},
};
constexpr Typed zeroTests[] = {
    {Type::b16, each<isZero<uint16_t>>},
    {Type::b32, each<isZero<uint32_t>>},
    {Type::b64, each<isZero<uint64_t>>},
};

/// PTX ISA, "Logic and Shift Instructions: and"
void decodeAnd(Statement &statement) {
  emitUniform(statement, takeTyped(statement, conjunctions), Pipe::alu, 2);
}
/// PTX ISA, "Logic and Shift Instructions: or"
void decodeOr(Statement &statement) {
  emitUniform(statement, takeTyped(statement, disjunctions), Pipe::alu, 2);
}
/// PTX ISA, "Logic and Shift Instructions: xor"
void decodeXor(Statement &statement) {
  emitUniform(statement, takeTyped(statement, differences), Pipe::alu, 2);
}
/// PTX ISA, "Logic and Shift Instructions: not"
void decodeNot(Statement &statement) {
  emitUniform(statement, takeTyped(statement, complements), Pipe::alu, 1);
}
/// PTX ISA, "Logic and Shift Instructions: cnot"
void decodeLogicalNot(Statement &statement) {
  emitUniform(statement, takeTyped(statement, zeroTests), Pipe::alu, 1);
}

constexpr Opcode logicOpcodes[] = {
    {"and", decodeAnd}, {"or", decodeOr},           {"xor", decodeXor},
    {"not", decodeNot}, {"cnot", decodeLogicalNot},
};

} // namespace

std::span<const Opcode> logic() { return logicOpcodes; }
CHEEMS_LANES_END
