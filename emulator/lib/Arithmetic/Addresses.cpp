//===- Addresses.cpp - cvta and isspacep ----------------------------------===//
#include "AddressSpaces/Spaces.h"
#include "Each.h"
#include "Families.h"
#include "Machine/Block.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

template <uint64_t window> CHEEMS_LANE uint64_t toGeneric(uint64_t address) {
  return address + window;
}
template <uint64_t window> CHEEMS_LANE uint64_t fromGeneric(uint64_t address) {
  return address - window;
}

struct Window {
  std::string_view space;
  Handler toGeneric, fromGeneric;
};
// Global memory and constants have the same addresses in both.
constexpr Window windows[] = {
    {"const", each<toGeneric<0>>, each<fromGeneric<0>>},
    {"global", each<toGeneric<0>>, each<fromGeneric<0>>},
    {"local", each<toGeneric<localWindow>>, each<fromGeneric<localWindow>>},
    {"shared", each<toGeneric<sharedWindow>>, each<fromGeneric<sharedWindow>>},
    {"shared::cta", each<toGeneric<sharedWindow>>,
     each<fromGeneric<sharedWindow>>},
    {"shared::cluster", each<toGeneric<sharedWindow>>,
     each<fromGeneric<sharedWindow>>},
    {"param", each<toGeneric<parameterWindow>>,
     each<fromGeneric<parameterWindow>>},
    {"param::entry", each<toGeneric<parameterWindow>>,
     each<fromGeneric<parameterWindow>>},
};

std::string_view takeSpace(Statement &statement) {
  return statement.takeOne({"const", "global", "local", "shared", "shared::cta",
                            "shared::cluster", "param", "param::entry"});
}

/// PTX ISA, "Data Movement and Conversion Instructions: cvta"
void decodeConvert(Statement &statement) {
  bool to = statement.take("to");
  std::string_view space = takeSpace(statement);
  Type type = statement.takeType({Type::u32, Type::u64});
  if (type == Type::u32) {
    statement.notModelled("a generic address of 32 bits");
  }
  statement.end(2);
  Slot address = statement.source(1, type);
  for (const Window &window : windows) {
    if (window.space == space) {
      statement.emit(to ? window.fromGeneric : window.toGeneric, Pipe::alu,
                     {statement.destination(0, type), address});
    }
  }
}

template <uint64_t window> CHEEMS_LANE bool isIn(uint64_t address) {
  return isInWindow(address, window);
}
/// "the .param window is contained within the .global window"
CHEEMS_LANE bool isGlobal(uint64_t address) {
  return !isInWindow(address, sharedWindow) &&
         !isInWindow(address, localWindow);
}

/// Whether it is memory of a block: the payload says of any in the cluster.
Step testShared(Warp &warp, const Instruction &instruction, LaneMask active) {
  const uint64_t *addresses = warp.source<uint64_t>(instruction.slots[1]);
  const Block &block = warp.block;
  LaneMask mask = 0;
  for (int lane = 0; lane < warpLanes; ++lane) {
    int rank = sharedRank(addresses[lane]);
    bool reached =
        rank < 0 || rank == block.rank ||
        (instruction.payload && size_t(rank) < block.cluster->blocks.size());
    mask |= LaneMask(reached && isInWindow(addresses[lane], sharedWindow))
            << lane;
  }
  warp.setPredicate(instruction.slots[0], mask, active);
  return Step::next;
}

/// PTX ISA, "Data Movement and Conversion Instructions: isspacep"
void decodeTest(Statement &statement) {
  std::string_view space = takeSpace(statement);
  Type type = statement.takeAnyType().value_or(Type::u64);
  if (space == "const") {
    statement.notModelled("a window of constants");
  }
  if (type != Type::u64) {
    statement.refuse("it has no such type");
  }
  statement.end(2);
  Slot address = statement.source(1, Type::u64);
  Handler handler = space == "global"            ? test<isGlobal>
                    : space == "local"           ? test<isIn<localWindow>>
                    : space.starts_with("param") ? test<isIn<parameterWindow>>
                                                 : testShared;
  statement.emit(handler, Pipe::alu,
                 {statement.predicateDestination(0), address},
                 space == "shared::cluster");
}

constexpr Opcode addressesOpcodes[] = {{"cvta", decodeConvert},
                                       {"isspacep", decodeTest}};

} // namespace

std::span<const Opcode> addresses() { return addressesOpcodes; }
CHEEMS_LANES_END
