//===- TensorMap.h - The 128 bytes of a tensor map --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_TENSORMAP_H
#define CHEEMS_EMULATOR_ASYNCCOPY_TENSORMAP_H

#include <cstdint>
#include <string>

namespace cheems::emulator {

/// What a tensor map says of an element. The numbers are those of
/// tensormap.replace.elemtype (PTX ISA, "tensormap.replace"); the driver API
/// numbers the same types in another order.
enum class TensorType : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f32FlushToZero,
  f64,
  bf16,
  tf32,
  tf32FlushToZero,
  b4x16,
  b4x16Padded64,
  b6x16Padded32,
};
constexpr int tensorTypes = 16;

/// A tensor map as this emulator encodes it, for tensors in tiled mode (PTX
/// ISA, "Tensors" and "Tensor-map"). The GPU's encoding is secret; programs
/// only move its 128 bytes, and change fields by tensormap.replace.
///
/// Dimension 0 is the innermost one. A field that tensormap.replace sets has
/// the number that the instruction has. So 128 bytes of zeros are a map that
/// the instruction can complete, as they are on sm_90a, and a wrong number is
/// kept until the map is used, where it is reported.
struct TensorMap {
  uint64_t globalAddress;
  uint64_t globalStrides[4];  ///< bytes; of dimension i + 1
  uint64_t globalDims[5];     ///< elements
  uint32_t boxDims[5];        ///< elements, before element strides
  uint32_t elementStrides[5]; ///< that of dimension 0 is ignored
  uint8_t rankMinusOne;
  uint8_t elementType;      ///< TensorType
  uint8_t interleave;       ///< 0: none, 1: 16 bytes, 2: 32 bytes
  uint8_t swizzle;          ///< 0: none, 1, 2, 3: 32, 64, 128 bytes, 4: 96
  uint8_t swizzleAtomicity; ///< 0: 16 bytes, 1: 32, 2: 32 with flip, 3: 64
  uint8_t fill;             ///< 0: zeros, 1: NaN
  uint8_t l2Promotion;      ///< 0: none, 1, 2, 3: 64, 128, 256 bytes
  uint8_t reserved;         ///< zero

  int rank() const { return rankMinusOne + 1; }
  TensorType type() const { return static_cast<TensorType>(elementType); }
  /// Elements of the box along a dimension: with an element stride only every
  /// so many are copied.
  uint32_t boxExtent(int dimension) const {
    uint32_t stride = dimension == 0 ? 1 : elementStrides[dimension];
    return (boxDims[dimension] + stride - 1) / stride;
  }
  /// What one copy moves to or from shared memory, and adds to the transaction
  /// count of its mbarrier. Elements out of bounds count, too.
  uint64_t boxBytes() const;
};
static_assert(sizeof(TensorMap) == 128);

/// Bytes of an element; 0 of the packed 4- and 6-bit types.
int elementBytes(TensorType type);
bool isFloat(TensorType type);

/// Whether arguments or a map are right.
struct TensorMapCheck {
  enum class Kind : uint8_t {
    valid,
    invalid,     ///< the driver answers CUDA_ERROR_INVALID_VALUE
    notModelled, ///< right, but the driver answers CUDA_ERROR_NOT_SUPPORTED
  } kind = Kind::valid;
  std::string reason; ///< "boxDim[1] is 257; 1 to 256 are allowed"

  explicit operator bool() const { return kind == Kind::valid; }
};

/// The rules of cuTensorMapEncodeTiled on a map that is there, which
/// tensormap.replace may have made.
TensorMapCheck checkTensorMap(const TensorMap &map);

/// Arguments of cuTensorMapEncodeTiled, numbered as in the driver API's
/// enumerations.
struct TiledArguments {
  uint32_t dataType = 0; ///< CUtensorMapDataType
  uint32_t rank = 0;
  uint64_t globalAddress = 0;
  const uint64_t *globalDim = nullptr;      ///< `rank` of them
  const uint64_t *globalStrides = nullptr;  ///< rank - 1; null if rank is 1
  const uint32_t *boxDim = nullptr;         ///< `rank`
  const uint32_t *elementStrides = nullptr; ///< `rank`
  uint32_t interleave = 0;                  ///< CUtensorMapInterleave
  uint32_t swizzle = 0;                     ///< CUtensorMapSwizzle
  uint32_t l2Promotion = 0;                 ///< CUtensorMapL2promotion
  uint32_t oobFill = 0;                     ///< CUtensorMapFloatOOBfill
};

/// cuTensorMapEncodeTiled: checks all that the documentation of the driver API
/// demands, and then writes 128 bytes to `map`, which must be 64-byte aligned.
TensorMapCheck encodeTiled(void *map, const TiledArguments &arguments);

/// cuTensorMapReplaceAddress
TensorMapCheck replaceAddress(void *map, uint64_t globalAddress);

} // namespace cheems::emulator

#endif
