//===- Fragments.h - Where matrices lie in registers ------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_FRAGMENTS_H
#define CHEEMS_EMULATOR_TENSORCORE_FRAGMENTS_H

#include <compare>

/// Which element of a matrix a lane holds in which register. PTX ISA, "Matrix
/// Fragments for mma.m16n8k16" and the sections beside it, "Register
/// Fragments" of wgmma, and the figures of ldmatrix and movmatrix.
///
/// A lane is 4 * group + thread: its group of four lanes and its place there.
/// All layouts but those of mma.m8n8k4 with f16 follow from one rule. A
/// register holds `packed` neighbours along k: 32 divided by the bits of an
/// element, or one f64. So the registers of a group of four lanes, one after
/// the other, are a row of A, or a column of B, with k ascending.
namespace cheems::emulator {

struct Position {
  int row = 0, column = 0;
  auto operator<=>(const Position &) const = default;
};

/// Element `element` of register `number` of multiplicand A (rows m, columns
/// k). `rows` is 8 or 16; with 16 the registers alternate between the upper
/// and the lower eight.
constexpr Position elementOfA(int rows, int packed, int lane, int number,
                              int element) {
  int halves = rows / 8;
  return {lane / 4 + 8 * (number % halves),
          packed * (lane % 4) + 4 * packed * (number / halves) + element};
}

/// Does the same for multiplicand B (rows k, columns n).
constexpr Position elementOfB(int packed, int lane, int number, int element) {
  return {packed * (lane % 4) + 4 * packed * number + element, lane / 4};
}

/// Accumulator `number` of a lane (rows m, columns n). Two f16 accumulators
/// share a register, the even one in its lower half.
constexpr Position accumulator(int lane, int number) {
  return {lane / 4 + 8 * (number / 2 % 2),
          2 * (lane % 4) + number % 2 + 8 * (number / 4)};
}

/// The same of wgmma: warp `warp` of the warpgroup holds 16 of the 64 rows, as
/// mma.m16n8 does.
constexpr Position warpgroupElementOfA(int packed, int warp, int lane,
                                       int number, int element) {
  Position position = elementOfA(16, packed, lane, number, element);
  return {position.row + 16 * warp, position.column};
}
constexpr Position warpgroupAccumulator(int warp, int lane, int number) {
  Position position = accumulator(lane, number);
  return {position.row + 16 * warp, position.column};
}

/// mma.m8n8k4 with f16 computes four matmuls; lanes 4 i to 4 i + 3 and 16 above
/// them belong to matmul i.
constexpr int quadMatmul(int lane) { return lane / 4 % 4; }

/// Element 0 to 3 of A or B. `acrossLanes`: A in row-major order, and B in
/// column-major order, have a row (column) a lane.
constexpr Position quadElementOfA(bool rowMajor, int lane, int element) {
  int upper = lane < 16 ? 0 : 4;
  return rowMajor ? Position{lane % 4 + upper, element}
                  : Position{element + upper, lane % 4};
}
constexpr Position quadElementOfB(bool rowMajor, int lane, int element) {
  int upper = lane < 16 ? 0 : 4;
  return rowMajor ? Position{lane % 4, element + upper}
                  : Position{element, lane % 4 + upper};
}
/// Accumulator 0 to 7, which are laid out by their type.
constexpr Position quadAccumulator(bool half, int lane, int number) {
  int upper = lane < 16 ? 0 : 4;
  return half ? Position{lane % 4 + upper, number}
              : Position{(lane & 1) + (number & 2) + upper,
                         (number & 4) + (lane & 2) + (number & 1)};
}

/// Half `element` of a lane's register of an 8 by 8 matrix of 16-bit elements:
/// ldmatrix, stmatrix and movmatrix. With .trans rows and columns change
/// places.
constexpr Position matrixElement(bool transposed, int lane, int element) {
  int major = lane / 4, minor = 2 * (lane % 4) + element;
  return transposed ? Position{minor, major} : Position{major, minor};
}

} // namespace cheems::emulator

#endif
