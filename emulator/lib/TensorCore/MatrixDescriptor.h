//===- MatrixDescriptor.h - Operands of wgmma in memory ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_MATRIXDESCRIPTOR_H
#define CHEEMS_EMULATOR_TENSORCORE_MATRIXDESCRIPTOR_H

#include <cstdint>

/// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout": "Matrix
/// Descriptor Format", "Strides" and "Canonical Layouts".
namespace cheems::emulator {

/// What the 64 bits say. All offsets are bytes.
struct MatrixDescriptor {
  uint32_t start = 0;
  uint32_t leadingOffset = 0;
  uint32_t strideOffset = 0;
  uint32_t baseOffset = 0;   ///< 0 to 7
  uint32_t swizzleBytes = 0; ///< of a row of the pattern: 16 is none

  constexpr explicit MatrixDescriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3fff) << 4),
        leadingOffset(uint32_t(bits >> 16 & 0x3fff) << 4),
        strideOffset(uint32_t(bits >> 32 & 0x3fff) << 4),
        baseOffset(uint32_t(bits >> 49 & 7)) {
    constexpr uint32_t rows[4] = {16, 128, 64, 32};
    swizzleBytes = rows[bits >> 62];
  }

  /// The address of a byte that lies at `address` in the layout without
  /// swizzling. `Swizzle<b, 4, 3>` of "Canonical Layouts": bits 7 and up of the
  /// address, counted from where the pattern starts, change bits 4 and up. The
  /// base offset is bits 7 to 9 of that start.
  constexpr uint32_t swizzled(uint32_t address) const {
    uint32_t chunks = swizzleBytes / 16 - 1;
    uint32_t base = chunks ? baseOffset : 0;
    return address ^ ((((address >> 7) - base) & chunks) << 4);
  }

  /// The address of 16 bytes of a K-major matrix: those of row `row` (m or n),
  /// and number `chunk` along k.
  constexpr uint32_t alongK(uint32_t row, uint32_t chunk) const {
    uint32_t step = swizzleBytes == 16 ? leadingOffset : 16;
    return swizzled(start + row % 8 * swizzleBytes + row / 8 * strideOffset +
                    chunk * step);
  }

  /// The address of 16 bytes of an MN-major matrix: number `chunk` along m or
  /// n, and index `k`.
  constexpr uint32_t alongRows(uint32_t chunk, uint32_t k) const {
    uint32_t width = swizzleBytes / 16;
    uint32_t far = swizzleBytes == 16 ? strideOffset : leadingOffset;
    uint32_t deep = swizzleBytes == 16 ? leadingOffset : strideOffset;
    return swizzled(start + chunk % width * 16 + chunk / width * far +
                    k % 8 * swizzleBytes + k / 8 * deep);
  }
};

} // namespace cheems::emulator

#endif
