//===- BitFields.cpp - Counting, finding, extracting and inserting bits ---===//
#include "Each.h"
#include "Families.h"
#include "Integers.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

template <typename T> CHEEMS_LANE uint32_t ones(T a) { return countOnes(a); }
template <typename T> CHEEMS_LANE uint32_t zeros(T a) {
  return countLeadingZeros(a);
}
template <typename T> CHEEMS_LANE T reversed(T a) { return reverseBits(a); }

constexpr Typed counts[] = {{Type::b32, each<ones<uint32_t>>},
                            {Type::b64, each<ones<uint64_t>>}};
constexpr Typed zeroCounts[] = {{Type::b32, each<zeros<uint32_t>>},
                                {Type::b64, each<zeros<uint64_t>>}};
constexpr Typed positions[] = {
    {Type::u32, each<findBit<uint32_t, false>>},
    {Type::u64, each<findBit<uint64_t, false>>},
    {Type::s32, each<findBit<int32_t, false>>},
    {Type::s64, each<findBit<int64_t, false>>},
};
constexpr Typed shiftAmounts[] = {
    {Type::u32, each<findBit<uint32_t, true>>},
    {Type::u64, each<findBit<uint64_t, true>>},
    {Type::s32, each<findBit<int32_t, true>>},
    {Type::s64, each<findBit<int64_t, true>>},
};

void emitCount(Statement &statement, std::span<const Typed> handlers) {
  auto [type, handler] = takeTyped(statement, handlers);
  statement.end(2);
  statement.emit(
      handler, Pipe::alu,
      {statement.destination(0, Type::u32), statement.source(1, type)});
}

/// PTX ISA, "Integer Arithmetic Instructions: popc"
void decodeCountOnes(Statement &statement) { emitCount(statement, counts); }
/// PTX ISA, "Integer Arithmetic Instructions: clz"
void decodeCountZeros(Statement &statement) {
  emitCount(statement, zeroCounts);
}
/// PTX ISA, "Integer Arithmetic Instructions: bfind"
void decodeFind(Statement &statement) {
  bool shiftAmount = statement.take("shiftamt");
  emitCount(statement, shiftAmount ? shiftAmounts : positions);
}

constexpr Typed reversals[] = {{Type::b32, each<reversed<uint32_t>>},
                               {Type::b64, each<reversed<uint64_t>>}};
/// PTX ISA, "Integer Arithmetic Instructions: brev"
void decodeReverse(Statement &statement) {
  emitUniform(statement, takeTyped(statement, reversals), Pipe::alu, 1);
}

constexpr Typed nthBits[] = {{Type::b32, each<findNthSet>}};
/// PTX ISA, "Integer Arithmetic Instructions: fns"
void decodeFindNth(Statement &statement) {
  emitUniform(statement, takeTyped(statement, nthBits), Pipe::alu, 3);
}

constexpr Typed extractions[] = {
    {Type::u32, each<extractField<uint32_t>>},
    {Type::u64, each<extractField<uint64_t>>},
    {Type::s32, each<extractField<int32_t>>},
    {Type::s64, each<extractField<int64_t>>},
};
/// PTX ISA, "Integer Arithmetic Instructions: bfe"
void decodeExtract(Statement &statement) {
  auto [type, handler] = takeTyped(statement, extractions);
  statement.end(4);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, Type::u32),
                  statement.source(3, Type::u32)});
}

constexpr Typed insertions[] = {{Type::b32, each<insertField<uint32_t>>},
                                {Type::b64, each<insertField<uint64_t>>}};
/// PTX ISA, "Integer Arithmetic Instructions: bfi"
void decodeInsert(Statement &statement) {
  auto [type, handler] = takeTyped(statement, insertions);
  statement.end(5);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, type), statement.source(3, Type::u32),
                  statement.source(4, Type::u32)});
}

constexpr Typed clampedExtensions[] = {{Type::u32, each<extend<false, false>>},
                                       {Type::s32, each<extend<true, false>>}};
constexpr Typed wrappedExtensions[] = {{Type::u32, each<extend<false, true>>},
                                       {Type::s32, each<extend<true, true>>}};
/// PTX ISA, "Integer Arithmetic Instructions: szext"
void decodeExtend(Statement &statement) {
  bool clamps = statement.takeOne({"clamp", "wrap"}) == "clamp";
  auto [type, handler] =
      takeTyped(statement, clamps ? clampedExtensions : wrappedExtensions);
  statement.end(3);
  statement.emit(handler, Pipe::alu,
                 {statement.destination(0, type), statement.source(1, type),
                  statement.source(2, Type::u32)});
}

constexpr Typed clampedMasks[] = {{Type::b32, each<fieldMask<false>>}};
constexpr Typed wrappedMasks[] = {{Type::b32, each<fieldMask<true>>}};
/// PTX ISA, "Integer Arithmetic Instructions: bmsk"
void decodeMask(Statement &statement) {
  bool clamps = statement.takeOne({"clamp", "wrap"}) == "clamp";
  emitUniform(statement,
              takeTyped(statement, clamps ? clampedMasks : wrappedMasks),
              Pipe::alu, 2);
}

constexpr Opcode bitFieldsOpcodes[] = {
    {"popc", decodeCountOnes}, {"clz", decodeCountZeros},
    {"bfind", decodeFind},     {"brev", decodeReverse},
    {"fns", decodeFindNth},    {"bfe", decodeExtract},
    {"bfi", decodeInsert},     {"szext", decodeExtend},
    {"bmsk", decodeMask},
};

} // namespace

std::span<const Opcode> bitFields() { return bitFieldsOpcodes; }
CHEEMS_LANES_END
