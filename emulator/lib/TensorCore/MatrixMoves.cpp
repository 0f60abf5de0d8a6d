//===- MatrixMoves.cpp - ldmatrix, stmatrix, movmatrix --------------------===//
#include "AddressSpaces/Access.h"
#include "Families.h"
#include "Fragments.h"
#include "Machine/Warp.h"
#include "WholeWarp.h"

#include <cstring>

using namespace cheems::emulator;

namespace {

/// Each of the first 8 `count` lanes has the address of a row of 16 bytes
/// (PTX ISA, "Warp-level matrix load instruction: ldmatrix").
struct Move {
  AccessKind kind;
  int64_t offset;
  int count; ///< matrices: 1, 2 or 4
  bool wide; ///< addresses of 64 bits
  bool transposed;

  LaneMask lanes() const {
    return count == 4 ? allLanes : (LaneMask(1) << 8 * count) - 1;
  }
};

/// Finds the rows in the host's memory. "If the generic address doesn't fall in
/// .shared state space, then the behavior is undefined."
void rows(Warp &warp, const Instruction &instruction, const Move &move,
          Slot base, LanePointers &pointers) {
  uint64_t addresses[warpLanes];
  for (int lane = 0; lane < warpLanes; ++lane) {
    uint64_t address = move.wide ? warp.source<uint64_t>(base)[lane]
                                 : warp.source<uint32_t>(base)[lane];
    address += uint64_t(move.offset);
    addresses[lane] = move.wide ? address : uint32_t(address);
    if (move.kind.space == Space::generic && (move.lanes() >> lane & 1) &&
        !isInWindow(addresses[lane], sharedWindow)) {
      warp.fail(instruction, "wrong-space",
                "The generic address of a matrix's row must point into shared "
                "memory.",
                lane, addresses[lane]);
    }
  }
  access(warp, instruction, move.kind, addresses, move.lanes(), pointers);
}

Step loadMatrices(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &move = instruction.as<Move>();
  LanePointers from;
  rows(warp, instruction, move, instruction.slots[move.count], from);
  for (int matrix = 0; matrix < move.count; ++matrix) {
    auto *to = warp.destination<uint32_t>(instruction.slots[matrix]);
    std::byte *const *row = from.of + 8 * matrix;
    if (!move.transposed) {
      for (int i = 0; i < 8; ++i) {
        std::memcpy(to + 4 * i, row[i], 16);
      }
      continue;
    }
    uint16_t elements[8][8];
    for (int i = 0; i < 8; ++i) {
      std::memcpy(elements[i], row[i], 16);
    }
    for (int lane = 0; lane < warpLanes; ++lane) {
      Position low = matrixElement(true, lane, 0);
      Position high = matrixElement(true, lane, 1);
      to[lane] = elements[low.row][low.column] |
                 uint32_t(elements[high.row][high.column]) << 16;
    }
  }
  return Step::next;
}

Step storeMatrices(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto &move = instruction.as<Move>();
  LanePointers to;
  rows(warp, instruction, move, instruction.slots[move.count], to);
  for (int matrix = 0; matrix < move.count; ++matrix) {
    const auto *from = warp.source<uint32_t>(instruction.slots[matrix]);
    std::byte *const *row = to.of + 8 * matrix;
    uint16_t elements[8][8];
    for (int lane = 0; lane < warpLanes; ++lane) {
      for (int half = 0; half < 2; ++half) {
        Position at = matrixElement(move.transposed, lane, half);
        elements[at.row][at.column] = uint16_t(from[lane] >> 16 * half);
      }
    }
    for (int i = 0; i < 8; ++i) {
      std::memcpy(row[i], elements[i], 16);
    }
  }
  return Step::next;
}

/// PTX ISA, "Warp-level matrix transpose instruction: movmatrix".
Step transposeMatrix(Warp &warp, const Instruction &instruction,
                     LaneMask active) {
  if (!isWholeWarp(warp, instruction, active)) {
    return Step::converge;
  }
  const auto *from = warp.source<uint32_t>(instruction.slots[1]);
  uint16_t elements[8][8];
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int half = 0; half < 2; ++half) {
      Position at = matrixElement(false, lane, half);
      elements[at.row][at.column] = uint16_t(from[lane] >> 16 * half);
    }
  }
  auto *to = warp.destination<uint32_t>(instruction.slots[0]);
  for (int lane = 0; lane < warpLanes; ++lane) {
    Position low = matrixElement(true, lane, 0);
    Position high = matrixElement(true, lane, 1);
    to[lane] = elements[low.row][low.column] |
               uint32_t(elements[high.row][high.column]) << 16;
  }
  return Step::next;
}

/// Modifiers and operands of ldmatrix and stmatrix; `vector` and `address` are
/// the numbers of their operands.
void decodeMove(Statement &statement, Effect effect, size_t vector,
                size_t address, Handler handler) {
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  for (std::string_view shape : {"m16n16", "m8n16", "m16n8"}) {
    if (statement.take(shape)) {
      statement.notModelled("shape ." + std::string(shape) +
                            " of 8-bit elements, which needs sm_100");
    }
  }
  statement.takeOne({"m8n8"});
  std::string_view count = statement.takeOne({"x1", "x2", "x4"});
  Move move;
  move.count = count[1] - '0';
  move.transposed = statement.take("trans");
  Space space = statement.takeAny({"shared", "shared::cta"}).empty()
                    ? Space::generic
                    : Space::shared;
  statement.takeType({Type::b16});
  statement.end(2);
  requireVector(statement, vector);
  const ptx::Operand &registers = statement.operand(vector);
  std::vector<Slot> slots =
      effect == Effect::load
          ? statement.destinations(registers, Type::b32, size_t(move.count))
          : statement.sources(registers, Type::b32, size_t(move.count));
  DecodedAddress where = statement.address(address, space);
  slots.push_back(where.base);
  move.offset = where.offset;
  move.wide = where.wide;
  move.kind = {.effect = effect, .space = space, .bytes = 16};
  statement.emit(handler, Pipe::lsu, slots, statement.keep(move));
}

void decodeLoad(Statement &statement) {
  decodeMove(statement, Effect::load, 0, 1, loadMatrices);
}
void decodeStore(Statement &statement) {
  if (statement.architecture() < 90) {
    statement.refuse("it needs sm_90 or higher");
  }
  decodeMove(statement, Effect::store, 1, 0, storeMatrices);
}

void decodeTranspose(Statement &statement) {
  for (std::string_view modifier : {"sync", "aligned", "m8n8", "trans"}) {
    statement.takeOne({modifier});
  }
  statement.takeType({Type::b16});
  statement.end(2);
  statement.emit(
      transposeMatrix, Pipe::lsu,
      {statement.destination(0, Type::b32), statement.source(1, Type::b32)});
}

constexpr Opcode matrixMovesOpcodes[] = {{"ldmatrix", decodeLoad},
                                         {"stmatrix", decodeStore},
                                         {"movmatrix", decodeTranspose}};

} // namespace

std::span<const Opcode> cheems::emulator::matrixMoves() {
  return matrixMovesOpcodes;
}
