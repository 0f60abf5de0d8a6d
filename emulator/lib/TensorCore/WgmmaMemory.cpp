//===- WgmmaMemory.cpp - Operands of wgmma in shared memory ---------------===//
#include "WgmmaMemory.h"
#include "AddressSpaces/Access.h"
#include "Machine/Block.h"

#include <cstring>

using namespace cheems::emulator;

namespace {

constexpr uint32_t pieceBytes = 16;

/// Whether all 16 bytes were written and nothing is under way to them.
bool isReadable(const SharedState *states) {
  constexpr uint64_t all = 0x0101010101010101;
  static_assert(sizeof(SharedState) == 1);
  uint64_t words[2];
  std::memcpy(words, states, pieceBytes);
  return words[0] == all * uint64_t(SharedState::initialised) &&
         words[1] == words[0];
}

/// Tells boxes of bytes of one operand.
class Teller {
public:
  Teller(Warp &warp, const Instruction &instruction, uint64_t number)
      : warp(warp), instruction(instruction), range{.kind = AsyncKind::product,
                                                    .operation = number,
                                                    .lane = 0,
                                                    .effect = Effect::load,
                                                    .space = Space::shared,
                                                    .owner = &warp.block,
                                                    .address = 0,
                                                    .bytes = 0} {}

  void tell(uint32_t address, uint32_t bytes, uint32_t count = 1,
            int64_t stride = 0, uint32_t outer = 1, int64_t outerStride = 0,
            uint32_t outermost = 1, int64_t outermostStride = 0) {
    range.address = address;
    range.bytes = bytes;
    range.counts[0] = count;
    range.counts[1] = outer;
    range.counts[2] = outermost;
    range.strides[0] = stride;
    range.strides[1] = outerStride;
    range.strides[2] = outermostStride;
    warp.block.observe([&](BlockObserver &observer) {
      observer.startAsync(warp, instruction, range);
    });
  }

  /// Rows of 32 bytes. The pattern of a swizzle repeats after eight rows, so
  /// rows eight apart are a box if their distance keeps it.
  void tellAlongK(const MatrixDescriptor &descriptor, uint32_t rows) {
    bool repeats = descriptor.swizzleBytes == pieceBytes ||
                   descriptor.strideOffset % (8 * descriptor.swizzleBytes) == 0;
    uint32_t count = repeats ? rows / 8 : 1;
    for (uint32_t row = 0; row < (repeats ? 8 : rows); ++row) {
      uint32_t low = descriptor.alongK(row, 0);
      uint32_t high = descriptor.alongK(row, 1);
      if (low + pieceBytes == high || high + pieceBytes == low) {
        tell(std::min(low, high), 2 * pieceBytes, count,
             descriptor.strideOffset);
      } else {
        tell(low, pieceBytes, count, descriptor.strideOffset);
        tell(high, pieceBytes, count, descriptor.strideOffset);
      }
    }
  }

  /// A whole row of the pattern is the same bytes in any order.
  void tellAlongRows(const MatrixDescriptor &descriptor, uint32_t pieces,
                     uint32_t depth) {
    uint32_t width = descriptor.swizzleBytes / pieceBytes;
    if (pieces % width == 0 &&
        descriptor.start % descriptor.swizzleBytes == 0) {
      bool plain = width == 1;
      tell(descriptor.start, descriptor.swizzleBytes, 8,
           descriptor.swizzleBytes, depth / 8,
           plain ? descriptor.leadingOffset : descriptor.strideOffset,
           pieces / width,
           plain ? descriptor.strideOffset : descriptor.leadingOffset);
      return;
    }
    for (uint32_t piece = 0; piece < pieces; ++piece) {
      for (uint32_t k = 0; k < depth; ++k) {
        tell(descriptor.alongRows(piece, k), pieceBytes);
      }
    }
  }

  void tellMatrix(uint64_t bits, uint32_t rows, bool alongRows,
                  const WgmmaMatmul &product) {
    MatrixDescriptor descriptor(bits);
    if (alongRows) {
      tellAlongRows(descriptor, rows / 8, uint32_t(product.depth()));
    } else {
      tellAlongK(descriptor, rows);
    }
  }

private:
  Warp &warp;
  const Instruction &instruction;
  AsyncRange range;
};

} // namespace

void cheems::emulator::findPieces(Warp &warp, const Instruction &instruction,
                                  const MatrixDescriptor &descriptor, int rows,
                                  bool alongRows, int depth,
                                  const std::byte **pieces) {
  Block &block = warp.block;
  uint32_t end = block.sharedBytes();
  auto find = [&](uint32_t address) -> const std::byte * {
    if (address + pieceBytes <= end && isReadable(block.sharedState(address)))
        [[likely]] {
      return block.shared(address);
    }
    return range(warp, instruction, Space::shared, block, address, pieceBytes,
                 false);
  };
  if (!alongRows) {
    for (int row = 0; row < rows; ++row) {
      *pieces++ = find(descriptor.alongK(uint32_t(row), 0));
      *pieces++ = find(descriptor.alongK(uint32_t(row), 1));
    }
    return;
  }
  for (int piece = 0; piece < rows / 8; ++piece) {
    for (int k = 0; k < depth; ++k) {
      *pieces++ = find(descriptor.alongRows(uint32_t(piece), uint32_t(k)));
    }
  }
}

void cheems::emulator::tellOperands(Warp &warp, const Instruction &instruction,
                                    uint64_t a, uint64_t b, uint64_t number) {
  const auto &product = instruction.as<WgmmaMatmul>();
  Teller teller(warp, instruction, number);
  if (!product.aInRegisters) {
    teller.tellMatrix(a, 64, product.aAlongRows, product);
  }
  teller.tellMatrix(b, uint32_t(product.columns), product.bAlongRows, product);
}
