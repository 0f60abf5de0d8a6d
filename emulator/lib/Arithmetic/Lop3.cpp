//===- Lop3.cpp - Any function of three bits ------------------------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

#include <array>

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// A handler per table, so that the host's compiler simplifies each function.
template <size_t... table>
constexpr std::array<Handler, 256> handlersOf(std::index_sequence<table...>) {
  return {each<lookUp<table>>...};
}
constexpr std::array<Handler, 256> handlers =
    handlersOf(std::make_index_sequence<256>());

/// p = (d != 0) BoolOp q. Slots: p, d, q; the payload says .and.
Step combine(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Slot *slots = instruction.slots;
  LaneMask mask = laneBits([](uint32_t d) { return d != 0; },
                           warp.source<uint32_t>(slots[1]));
  LaneMask other = warp.predicate(slots[2]);
  warp.setPredicate(slots[0], instruction.payload ? mask & other : mask | other,
                    active);
  return Step::next;
}

/// PTX ISA, "Logic and Shift Instructions: lop3"
void decodeLop3(Statement &statement) {
  std::string_view operation = statement.takeAny({"and", "or"});
  bool combines = !operation.empty();
  statement.takeType({Type::b32});
  statement.end(combines ? 6 : 5);
  int64_t table = statement.immediate(4);
  if (table < 0 || table > 255) {
    statement.refuse("the table is not in 0 to 255");
  }
  auto [d, p] = statement.pair(statement.operand(0));
  if (combines != (p != nullptr)) {
    statement.refuse("the predicate d|p belongs to .and and .or");
  }
  Slot a = statement.source(1, Type::b32), b = statement.source(2, Type::b32),
       c = statement.source(3, Type::b32);
  Slot q = combines ? statement.predicate(5) : Slot();
  Slot result = statement.destination(*d, Type::b32);
  statement.emit(handlers[table], Pipe::alu, {result, a, b, c});
  if (combines) {
    statement.emit(combine, Pipe::none,
                   {statement.predicateDestination(*p), result, q},
                   operation == "and");
  }
}

constexpr Opcode lop3Opcodes[] = {{"lop3", decodeLop3}};

} // namespace

std::span<const Opcode> lop3() { return lop3Opcodes; }
CHEEMS_LANES_END
