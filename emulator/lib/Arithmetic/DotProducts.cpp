//===- DotProducts.cpp - dp4a and dp2a ------------------------------------===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

/// The indices say whether a and whether b is signed.
constexpr Handler byteMatmuls[2][2] = {
    {each<dotBytes<false, false>>, each<dotBytes<false, true>>},
    {each<dotBytes<true, false>>, each<dotBytes<true, true>>},
};
/// The last index says whether the instruction has .hi.
constexpr Handler halfMatmuls[2][2][2] = {
    {{each<dotHalves<false, false, false>>,
      each<dotHalves<false, false, true>>},
     {each<dotHalves<false, true, false>>, each<dotHalves<false, true, true>>}},
    {{each<dotHalves<true, false, false>>, each<dotHalves<true, false, true>>},
     {each<dotHalves<true, true, false>>, each<dotHalves<true, true, true>>}},
};

struct Types {
  Type a, b;
  Type sum() const { return a == Type::u32 && b == Type::u32 ? a : Type::s32; }
};

Types takeTypes(Statement &statement) {
  Type a = statement.takeType({Type::u32, Type::s32});
  Type b = statement.takeType({Type::u32, Type::s32});
  return {a, b};
}

void emitMatmul(Statement &statement, Types types, Handler handler) {
  statement.end(4);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, types.sum()),
                  statement.source(1, types.a), statement.source(2, types.b),
                  statement.source(3, types.sum())});
}

/// PTX ISA, "Integer Arithmetic Instructions: dp4a"
void decodeBytes(Statement &statement) {
  Types types = takeTypes(statement);
  emitMatmul(statement, types,
             byteMatmuls[isSigned(types.a)][isSigned(types.b)]);
}

/// PTX ISA, "Integer Arithmetic Instructions: dp2a"
void decodeHalves(Statement &statement) {
  bool high = statement.takeOne({"lo", "hi"}) == "hi";
  Types types = takeTypes(statement);
  emitMatmul(statement, types,
             halfMatmuls[isSigned(types.a)][isSigned(types.b)][high]);
}

constexpr Opcode dotProductsOpcodes[] = {{"dp4a", decodeBytes},
                                         {"dp2a", decodeHalves}};

} // namespace

std::span<const Opcode> dotProducts() { return dotProductsOpcodes; }
CHEEMS_LANES_END
