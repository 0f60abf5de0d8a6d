//===- MmaF64AndM8N8K4.cpp - mma with f64, and m8n8k4 with f16
//----------------===//
#include "Combinations.h"
#include "Families.h"
#include "Fragments.h"
#include "Machine/Warp.h"
#include "Numbers.h"
#include "WholeWarp.h"

#include <cmath>
#include <limits>

using namespace cheems::emulator;

namespace {

struct DoubleMatmul {
  int rows, depth;
};

/// PTX ISA, "Multiply-and-Accumulate Instruction: mma": "Precision of the
/// element-wise multiplication and addition operation is identical to that of
/// .f64 precision fused multiply-add." Here with k ascending.
Step multiplyDouble(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<DoubleMatmul>();
  int sums = product.rows / 4, columns = product.depth / 4;
  const Slot *a = instruction.slots + sums;
  const Slot *b = a + columns * product.rows / 8, *c = b + columns;
  double left[16][16], right[16][8], result[4][warpLanes];
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int i = 0; i < columns * product.rows / 8; ++i) {
      Position at = elementOfA(product.rows, 1, lane, i, 0);
      left[at.row][at.column] = warp.source<double>(a[i])[lane];
    }
    for (int i = 0; i < columns; ++i) {
      Position at = elementOfB(1, lane, i, 0);
      right[at.row][at.column] = warp.source<double>(b[i])[lane];
    }
  }
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int i = 0; i < sums; ++i) {
      Position at = accumulator(lane, i);
      double sum = warp.source<double>(c[i])[lane];
      for (int k = 0; k < product.depth; ++k) {
        sum = std::fma(left[at.row][k], right[k][at.column], sum);
      }
      result[i][lane] = sum;
    }
  }
  for (int i = 0; i < sums; ++i) {
    std::copy(result[i], result[i] + warpLanes,
              warp.destination<double>(instruction.slots[i]));
  }
  return Step::next;
}

void decodeDouble(Statement &statement) {
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  std::string_view shape =
      statement.takeOne({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"});
  DoubleMatmul product = {shape == "m8n8k4" ? 8 : 16, shape == "m16n8k8" ? 8
                                                      : shape == "m16n8k16"
                                                          ? 16
                                                          : 4};
  if (takeLayouts(statement) != std::pair(true, false)) {
    statement.refuse("f64 takes layouts .row.col alone");
  }
  for (int i = 0; i < 4; ++i) {
    statement.takeType({Type::f64});
  }
  if (std::string_view rounding = statement.takeAny({"rn", "rz", "rm", "rp"});
      !rounding.empty() && rounding != "rn") {
    statement.notModelled("mma with f64 and ." + std::string(rounding));
  }
  if (product.rows == 16 && statement.architecture() < 90) {
    statement.refuse("this shape with f64 needs sm_90 or higher");
  }
  statement.end(4);
  size_t sums = size_t(product.rows) / 4, columns = size_t(product.depth) / 4;
  size_t counts[4] = {sums, columns * size_t(product.rows) / 8, columns, sums};
  std::vector<Slot> slots;
  for (size_t i = 0; i < 4; ++i) {
    requireVector(statement, i);
    auto more =
        i == 0
            ? statement.destinations(statement.operand(i), Type::f64, counts[i])
            : statement.sources(statement.operand(i), Type::f64, counts[i]);
    slots.insert(slots.end(), more.begin(), more.end());
  }
  statement.emit(multiplyDouble, Pipe::tensor, slots, statement.keep(product));
}

struct QuadMatmul {
  bool rowA, rowB;
  bool halfC, halfD;
};

float half(Warp &warp, const Slot *slots, int lane, int element) {
  return fromF16(uint16_t(warp.source<uint32_t>(slots[element / 2])[lane] >>
                          16 * (element % 2)));
}

/// Four products of 8 by 8 by 4. D with f32 may have C with f16.
Step multiplyQuads(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &product = instruction.as<QuadMatmul>();
  const Slot *a = instruction.slots + (product.halfD ? 4 : 8);
  const Slot *b = a + 2, *c = b + 2;
  float left[4][8][4], right[4][4][8], sums[4][8][8];
  for (int lane = 0; lane < warpLanes; ++lane) {
    int number = quadMatmul(lane);
    for (int i = 0; i < 4; ++i) {
      Position at = quadElementOfA(product.rowA, lane, i);
      left[number][at.row][at.column] = half(warp, a, lane, i);
      at = quadElementOfB(product.rowB, lane, i);
      right[number][at.row][at.column] = half(warp, b, lane, i);
    }
    for (int i = 0; i < 8; ++i) {
      Position at = quadAccumulator(product.halfC, lane, i);
      sums[number][at.row][at.column] = product.halfC
                                            ? half(warp, c, lane, i)
                                            : warp.source<float>(c[i])[lane];
    }
  }
  for (int number = 0; number < 4; ++number) {
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 8; ++column) {
        float &sum = sums[number][row][column];
        for (int k = 0; k < 4; ++k) {
          sum = std::fma(left[number][row][k], right[number][k][column], sum);
        }
        sum = std::isnan(sum) ? floatOf(canonicalNan) : sum;
      }
    }
  }
  for (int lane = 0; lane < warpLanes; ++lane) {
    float mine[8];
    for (int i = 0; i < 8; ++i) {
      Position at = quadAccumulator(product.halfD, lane, i);
      mine[i] = sums[quadMatmul(lane)][at.row][at.column];
    }
    for (int i = 0; i < (product.halfD ? 4 : 8); ++i) {
      Slot slot = instruction.slots[i];
      if (product.halfD) {
        warp.destination<uint32_t>(slot)[lane] =
            toF16(mine[2 * i]) | uint32_t(toF16(mine[2 * i + 1])) << 16;
      } else {
        warp.destination<float>(slot)[lane] = mine[i];
      }
    }
  }
  return Step::next;
}

void decodeQuads(Statement &statement) {
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  statement.takeOne({"m8n8k4"});
  auto [rowA, rowB] = takeLayouts(statement);
  Type d = statement.takeType({Type::f16, Type::f32});
  statement.takeType({Type::f16});
  statement.takeType({Type::f16});
  Type c = statement.takeType({Type::f16, Type::f32});
  if (c == Type::f32 && d == Type::f16) {
    statement.refuse("C with f32 needs D with f32");
  }
  statement.end(4);
  QuadMatmul product = {rowA, rowB, c == Type::f16, d == Type::f16};
  size_t counts[4] = {product.halfD ? 4u : 8u, 2, 2, product.halfC ? 4u : 8u};
  std::vector<Slot> slots;
  for (size_t i = 0; i < 4; ++i) {
    requireVector(statement, i);
    auto more =
        i == 0
            ? statement.destinations(statement.operand(i), Type::b32, counts[i])
            : statement.sources(statement.operand(i), Type::b32, counts[i]);
    slots.insert(slots.end(), more.begin(), more.end());
  }
  statement.emit(multiplyQuads, Pipe::tensor, slots, statement.keep(product));
}

void refuseSparse(Statement &statement) {
  statement.notModelled("mma of sparse matrices");
}
void refuseScaled(Statement &statement) {
  statement.notModelled("mma with .kind and scales per block");
}
void refuseWmma(Statement &statement) { statement.notModelled("wmma"); }

constexpr Opcode mmaOfItsOwnOpcodes[] = {
    {"mma", refuseSparse, "sp"},
    {"mma", refuseSparse, "sp::ordered_metadata"},
    {"mma", refuseScaled, "kind::f8f6f4"},
    {"mma", refuseScaled, "kind::mxf4"},
    {"mma", refuseScaled, "kind::mxf4nvf4"},
    {"mma", refuseScaled, "kind::mxf8f6f4"},
    {"mma", decodeDouble, "f64"},
    {"mma", decodeQuads, "m8n8k4"},
    {"wmma", refuseWmma},
};

} // namespace

std::span<const Opcode> cheems::emulator::mmaOfItsOwn() {
  return mmaOfItsOwnOpcodes;
}
