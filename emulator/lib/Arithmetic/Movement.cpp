//===- Movement.cpp - mov, with packing and unpacking ---------------------===//
#include "Each.h"
#include "Families.h"
#include "Modifiers.h"

using namespace cheems::emulator::lanes;

CHEEMS_LANES_BEGIN
namespace {

struct Bits128 {
  uint64_t low, high;
};

template <typename T> CHEEMS_LANE T same(T value) { return value; }

Step copyPredicate(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  warp.setPredicate(instruction.slots[0], warp.predicate(instruction.slots[1]),
                    active);
  return Step::next;
}

constexpr Typed copies[] = {
    {Type::pred, copyPredicate},         {Type::b16, each<same<uint16_t>>},
    {Type::b32, each<same<uint32_t>>},   {Type::b64, each<same<uint64_t>>},
    {Type::u16, each<same<uint16_t>>},   {Type::u32, each<same<uint32_t>>},
    {Type::u64, each<same<uint64_t>>},   {Type::s16, each<same<uint16_t>>},
    {Type::s32, each<same<uint32_t>>},   {Type::s64, each<same<uint64_t>>},
    {Type::f16, each<same<uint16_t>>},   {Type::bf16, each<same<uint16_t>>},
    {Type::f16x2, each<same<uint32_t>>}, {Type::bf16x2, each<same<uint32_t>>},
    {Type::f32, each<same<uint32_t>>},   {Type::f64, each<same<uint64_t>>},
    {Type::b128, each<same<Bits128>>},
};

// E has the size of an element, held in an R.

template <typename D, typename R, int bits> CHEEMS_LANE D pack2(R a, R b) {
  constexpr R mask = R(~R(0)) >> (8 * sizeof(R) - bits);
  return D(a & mask) | D(b & mask) << bits;
}
template <typename D, typename R, int bits>
CHEEMS_LANE D pack4(R a, R b, R c, R d) {
  return pack2<D, R, bits>(a, b) | pack2<D, R, bits>(c, d) << 2 * bits;
}
CHEEMS_LANE Bits128 packDoubles(uint64_t a, uint64_t b) { return {a, b}; }
CHEEMS_LANE Bits128 packQuads(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return {a | uint64_t(b) << 32, c | uint64_t(d) << 32};
}

/// Element number `index`.
template <typename S, typename R, int bits, int index>
CHEEMS_LANE R part(S value) {
  constexpr R mask = R(~R(0)) >> (8 * sizeof(R) - bits);
  return R(value >> index * bits) & mask;
}
template <typename R, int index> CHEEMS_LANE R part128(Bits128 value) {
  constexpr int perHalf = 8 / sizeof(R);
  uint64_t half = index < perHalf ? value.low : value.high;
  return R(half >> index % perHalf * 32);
}

/// Slots: the whole, then its parts.
template <auto...> struct Unpack;
template <typename S, typename R, R (*...parts)(S)> struct Unpack<parts...> {
  static Step run(Warp &warp, const Instruction &instruction, LaneMask active) {
    const Slot *slot = instruction.slots;
    const S *whole = warp.source<S>(*slot);
    (eachLane(
         warp.destination<R>(*++slot), active,
         [](S value) { return parts(value); }, whole),
     ...);
    return Step::next;
  }
};

struct Packing {
  int bits;
  size_t count;
  Type element;
  Handler pack, unpack;
};
template <typename S, typename R, int bits>
constexpr Packing packing2(Type element) {
  return {2 * bits, 2, element, each<pack2<S, R, bits>>,
          Unpack<part<S, R, bits, 0>, part<S, R, bits, 1>>::run};
}
template <typename S, typename R, int bits>
constexpr Packing packing4(Type element) {
  return {4 * bits, 4, element, each<pack4<S, R, bits>>,
          Unpack<part<S, R, bits, 0>, part<S, R, bits, 1>, part<S, R, bits, 2>,
                 part<S, R, bits, 3>>::run};
}
constexpr Packing packings[] = {
    packing2<uint16_t, uint16_t, 8>(Type::b8),
    packing4<uint32_t, uint16_t, 8>(Type::b8),
    packing2<uint32_t, uint16_t, 16>(Type::b16),
    packing4<uint64_t, uint16_t, 16>(Type::b16),
    packing2<uint64_t, uint32_t, 32>(Type::b32),
    {128, 4, Type::b32, each<packQuads>,
     Unpack<part128<uint32_t, 0>, part128<uint32_t, 1>, part128<uint32_t, 2>,
            part128<uint32_t, 3>>::run},
    {128, 2, Type::b64, each<packDoubles>,
     Unpack<part128<uint64_t, 0>, part128<uint64_t, 1>>::run},
};

const Packing &packingOf(Statement &statement, Type type, size_t count) {
  for (const Packing &packing : packings) {
    if (isBits(type) && packing.bits == bits(type) && packing.count == count) {
      return packing;
    }
  }
  statement.refuse(std::to_string(count) + " elements do not make a ." +
                   std::string(name(type)));
}

bool isVector(Statement &statement, const ptx::Operand &operand) {
  return std::holds_alternative<ptx::VectorOperand>(operand.value) ||
         statement.elements(operand).size() > 1;
}

/// PTX ISA, "Data Movement and Conversion Instructions: mov"
void decodeMove(Statement &statement) {
  auto [type, copy] = takeTyped(statement, copies);
  statement.end(2);
  const ptx::Operand &to = statement.operand(0), &from = statement.operand(1);
  if (isVector(statement, to)) {
    size_t count = statement.elements(to).size();
    const Packing &packing = packingOf(statement, type, count);
    std::vector<Slot> slots = {statement.source(from, type)};
    for (Slot slot : statement.destinations(to, packing.element, count)) {
      slots.push_back(slot);
    }
    statement.emit(packing.unpack, Pipe::alu, slots);
    return;
  }
  if (isVector(statement, from)) {
    size_t count = statement.elements(from).size();
    const Packing &packing = packingOf(statement, type, count);
    std::vector<Slot> slots = {statement.destination(to, type)};
    for (Slot slot : statement.sources(from, packing.element, count)) {
      slots.push_back(slot);
    }
    statement.emit(packing.pack, Pipe::alu, slots);
    return;
  }
  Slot source = statement.source(from, type);
  statement.emit(copy, Pipe::alu, {statement.destination(to, type), source});
}

constexpr Opcode movementOpcodes[] = {{"mov", decodeMove}};

} // namespace

std::span<const Opcode> movement() { return movementOpcodes; }
CHEEMS_LANES_END
