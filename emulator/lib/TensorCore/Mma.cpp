//===- Mma.cpp - mma.sync with sums in f32 or s32 -------------------------===//
#include "Combinations.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Machine/Warp.h"
#include "Tile.h"
#include "WholeWarp.h"

CHEEMS_LANES_BEGIN
namespace {

using Unpack = void (*)(const uint32_t *lanes, float *rows, int pitch);

template <typename Number>
void unpackFragment(const uint32_t *lanes, float *rows, int pitch) {
  unpackRegister<Number>(lanes, rows, pitch);
}

Unpack unpackOf(Type type) {
  switch (type) {
  case Type::f16:
    return unpackFragment<NumberF16>;
  case Type::bf16:
    return unpackFragment<NumberBf16>;
  case Type::tf32:
    return unpackFragment<NumberTf32>;
  case Type::e4m3:
    return unpackFragment<NumberE4m3>;
  case Type::e5m2:
    return unpackFragment<NumberE5m2>;
  case Type::s8:
    return unpackFragment<NumberS8>;
  case Type::u8:
    return unpackFragment<NumberU8>;
  case Type::s4:
    return unpackFragment<NumberS4>;
  case Type::u4:
    return unpackFragment<NumberU4>;
  default:
    return nullptr;
  }
}

/// What a statement asks for.
struct Product {
  Unpack a, b;
  int rows;        ///< 8 or 16
  int depth;       ///< k
  int perRegister; ///< k of the registers of four lanes
  bool saturate;
  bool exclusive; ///< .xor of single bits, else .and
};

constexpr int mostDepth = 64;

/// sums[2 * half + parity][lane] += the product. Operands: D, A, B, C.
CHEEMS_TENSOR_INLINE void multiply(Warp &warp, const Product &product,
                                   const Slot *a, const Slot *b,
                                   float (*sums)[32]) {
  alignas(64) float rows[16][mostDepth], columns[8][mostDepth];
  alignas(64) float factors[mostDepth][8];
  int halves = product.rows / 8;
  int blocks = product.depth / product.perRegister;
  for (int block = 0; block < blocks; ++block) {
    int k = block * product.perRegister;
    for (int half = 0; half < halves; ++half) {
      product.a(warp.source<uint32_t>(*a++), rows[8 * half] + k, mostDepth);
    }
    product.b(warp.source<uint32_t>(*b++), columns[0] + k, mostDepth);
  }
  transposeColumns(columns[0], mostDepth, product.depth, factors[0]);
  for (int half = 0; half < halves; ++half) {
    multiplyRows(rows[8 * half], mostDepth, factors[0], product.depth,
                 sums[2 * half], sums[2 * half + 1]);
  }
}

/// How many registers A and B have.
CHEEMS_TENSOR_INLINE int registersOfB(const Product &product) {
  return product.depth / product.perRegister;
}
CHEEMS_TENSOR_INLINE int registersOfA(const Product &product) {
  return registersOfB(product) * (product.rows / 8);
}

/// PTX ISA, "Multiply-and-Accumulate Instruction: mma", with .f32 in C and D.
/// All registers are read before one is written: C may be D in another order.
Step multiplySingle(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<Product>();
  int count = product.rows / 4;
  const Slot *a = instruction.slots + count;
  const Slot *b = a + registersOfA(product), *c = b + registersOfB(product);
  alignas(64) float sums[4][32];
  for (int i = 0; i < count; ++i) {
    __builtin_memcpy(sums[i], warp.source<float>(c[i]), sizeof sums[i]);
  }
  multiply(warp, product, a, b, sums);
  for (int i = 0; i < count; ++i) {
    storeQuiet(sums[i], warp.destination<float>(instruction.slots[i]));
  }
  return Step::next;
}

/// Does what multiplySingle does, for the types and depths that most kernels
/// use: what is known when this is compiled need not be looked up.
template <typename Number, int blocks>
Step multiplyFixed(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  constexpr int depth = blocks * Number::count;
  const Slot *d = instruction.slots, *a = d + 4, *b = a + 2 * blocks,
             *c = b + blocks;
  alignas(64) float rows[16][depth], columns[8][depth], factors[depth][8];
  alignas(64) float sums[4][32];
  for (int block = 0; block < blocks; ++block) {
    int k = block * Number::count;
    for (int half = 0; half < 2; ++half) {
      unpackRegister<Number>(warp.source<uint32_t>(*a++), rows[8 * half] + k,
                             depth);
    }
    unpackRegister<Number>(warp.source<uint32_t>(*b++), columns[0] + k, depth);
  }
  for (int i = 0; i < 4; ++i) {
    __builtin_memcpy(sums[i], warp.source<float>(c[i]), sizeof sums[i]);
  }
  transposeColumns(columns[0], depth, depth, factors[0]);
  for (int half = 0; half < 2; ++half) {
    multiplyRows(rows[8 * half], depth, factors[0], depth, sums[2 * half],
                 sums[2 * half + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    storeQuiet(sums[i], warp.destination<float>(d[i]));
  }
  return Step::next;
}

/// With .f16: two sums a register, rounded once at the end.
Step multiplyHalf(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<Product>();
  int count = product.rows / 8;
  const Slot *a = instruction.slots + count;
  const Slot *b = a + registersOfA(product), *c = b + registersOfB(product);
  alignas(64) float sums[4][32];
  for (int i = 0; i < count; ++i) {
    unpackHalves(warp.source<uint32_t>(c[i]), sums[2 * i], sums[2 * i + 1]);
  }
  multiply(warp, product, a, b, sums);
  for (int i = 0; i < count; ++i) {
    storeQuiet(sums[2 * i], sums[2 * i]);
    storeQuiet(sums[2 * i + 1], sums[2 * i + 1]);
    packHalves(sums[2 * i], sums[2 * i + 1],
               warp.destination<uint32_t>(instruction.slots[i]));
  }
  return Step::next;
}

/// With integers: the sum of all products of an instruction is below 2^24, so
/// it is exact in f32.
Step multiplyInteger(Warp &warp, const Instruction &instruction,
                     LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<Product>();
  int count = product.rows / 4;
  const Slot *a = instruction.slots + count;
  const Slot *b = a + registersOfA(product), *c = b + registersOfB(product);
  alignas(64) float sums[4][32] = {};
  alignas(64) int32_t results[4][32];
  multiply(warp, product, a, b, sums);
  for (int i = 0; i < count; ++i) {
    int32_t whole[32];
    for (int lane = 0; lane < 32; ++lane) {
      whole[lane] = int32_t(sums[i][lane]);
    }
    accumulate(warp.source<int32_t>(c[i]), whole, product.saturate, results[i]);
  }
  for (int i = 0; i < count; ++i) {
    __builtin_memcpy(warp.destination<int32_t>(instruction.slots[i]),
                     results[i], sizeof results[i]);
  }
  return Step::next;
}

/// With single bits: multiplication is AND or XOR, and the ones are counted.
Step multiplyBits(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<Product>();
  int count = product.rows / 4, halves = product.rows / 8;
  const Slot *a = instruction.slots + count;
  const Slot *b = a + registersOfA(product), *c = b + registersOfB(product);
  int32_t sums[4][32] = {};
  for (int block = 0; block < registersOfB(product); ++block) {
    const auto *columns = warp.source<uint32_t>(b[block]);
    for (int i = 0; i < count; ++i) {
      const auto *rows = warp.source<uint32_t>(a[block * halves + i / 2]);
      for (int lane = 0; lane < 32; ++lane) {
        const uint32_t *row = rows + lane / 4 * 4;
        const uint32_t *column = columns + 4 * (2 * (lane % 4) + i % 2);
        for (int word = 0; word < 4; ++word) {
          uint32_t both = product.exclusive ? row[word] ^ column[word]
                                            : row[word] & column[word];
          sums[i][lane] += __builtin_popcount(both);
        }
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    accumulate(warp.source<int32_t>(c[i]), sums[i], false, sums[i]);
  }
  for (int i = 0; i < count; ++i) {
    __builtin_memcpy(warp.destination<int32_t>(instruction.slots[i]), sums[i],
                     sizeof sums[i]);
  }
  return Step::next;
}

template <typename Number> Handler fixed(const MmaCombination &combination) {
  return combination.depth == Number::count ? multiplyFixed<Number, 1>
                                            : multiplyFixed<Number, 2>;
}

Handler handlerOf(const MmaCombination &combination) {
  switch (combination.sum) {
  case Type::f32:
    return combination.a == Type::f16    ? fixed<NumberF16>(combination)
           : combination.a == Type::bf16 ? fixed<NumberBf16>(combination)
           : combination.a == Type::tf32 ? fixed<NumberTf32>(combination)
                                         : multiplySingle;
  case Type::f16:
    return multiplyHalf;
  default:
    return combination.a == Type::b1 ? multiplyBits : multiplyInteger;
  }
}

void decodeMma(Statement &statement) {
  MmaStatement decoded = decodeMmaStatement(statement);
  const MmaCombination &combination = decoded.combination;
  Product product = {
      unpackOf(combination.a), unpackOf(combination.b),      combination.rows,
      combination.depth,       4 * 32 / bits(combination.a), decoded.saturate,
      decoded.exclusive};
  statement.emit(handlerOf(combination), Pipe::tensor, decoded.slots,
                 statement.keep(product));
}

constexpr Opcode mmaOpcodes[] = {{"mma", decodeMma}};

} // namespace

std::span<const Opcode> mma() { return mmaOpcodes; }
CHEEMS_LANES_END
