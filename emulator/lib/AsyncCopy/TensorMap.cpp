//===- TensorMap.cpp - Encoding of tensor maps and its rules --------------===//
#include "TensorMap.h"

#include <cstring>

namespace cheems::emulator {
namespace {

using Kind = TensorMapCheck::Kind;

struct TypeFacts {
  int bytes;
  bool isFloat;
  const char *name;
};

/// The index is a TensorType.
constexpr TypeFacts types[tensorTypes] = {
    {1, false, "u8"},        {2, false, "u16"},   {4, false, "u32"},
    {4, false, "s32"},       {8, false, "u64"},   {8, false, "s64"},
    {2, true, "f16"},        {4, true, "f32"},    {4, true, "f32.ftz"},
    {8, true, "f64"},        {2, true, "bf16"},   {4, true, "tf32"},
    {4, true, "tf32.ftz"},   {0, false, "b4x16"}, {0, false, "b4x16_p64"},
    {0, false, "b6x16_p32"},
};

/// CUtensorMapDataType has f64 and bf16 before the f32 that flushes to zero.
constexpr TensorType driverTypes[tensorTypes] = {
    TensorType::u8,
    TensorType::u16,
    TensorType::u32,
    TensorType::s32,
    TensorType::u64,
    TensorType::s64,
    TensorType::f16,
    TensorType::f32,
    TensorType::f64,
    TensorType::bf16,
    TensorType::f32FlushToZero,
    TensorType::tf32,
    TensorType::tf32FlushToZero,
    TensorType::b4x16,
    TensorType::b4x16Padded64,
    TensorType::b6x16Padded32,
};

/// CUtensorMapSwizzle has one number for a swizzle and its atomicity.
struct DriverSwizzle {
  uint8_t swizzle, atomicity;
};
constexpr DriverSwizzle driverSwizzles[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0},
                                            {3, 1}, {3, 2}, {3, 3}};

TensorMapCheck invalid(std::string reason) {
  return {Kind::invalid, std::move(reason)};
}

TensorMapCheck notModelled(std::string what) {
  return {Kind::notModelled, std::move(what)};
}

std::string element(const char *array, int index, uint64_t value) {
  return std::string(array) + "[" + std::to_string(index) + "] is " +
         std::to_string(value) + "; ";
}

TensorMapCheck checkNumbers(const TensorMap &map, uint64_t bytes) {
  uint64_t alignment = map.interleave == 2 ? 32 : 16;
  std::string multiples = "multiples of " + std::to_string(alignment);
  if (map.globalAddress % alignment != 0) {
    return invalid("globalAddress is not a multiple of " +
                   std::to_string(alignment));
  }
  for (int i = 0; i < map.rank(); ++i) {
    if (map.globalDims[i] == 0 || map.globalDims[i] > uint64_t(1) << 32) {
      return invalid(element("globalDim", i, map.globalDims[i]) +
                     "1 to 2^32 are allowed");
    }
    if (map.boxDims[i] == 0 || map.boxDims[i] > 256) {
      return invalid(element("boxDim", i, map.boxDims[i]) +
                     "1 to 256 are allowed");
    }
    bool ignored = i == 0 && map.interleave == 0;
    if (!ignored && (map.elementStrides[i] == 0 || map.elementStrides[i] > 8)) {
      return invalid(element("elementStrides", i, map.elementStrides[i]) +
                     "1 to 8 are allowed");
    }
  }
  for (int i = 0; i < map.rank() - 1; ++i) {
    uint64_t stride = map.globalStrides[i];
    if (stride % alignment != 0 || stride >= uint64_t(1) << 40) {
      return invalid(element("globalStrides", i, stride) + multiples +
                     " below 2^40 are allowed");
    }
  }
  if (map.interleave == 0 && map.boxDims[0] * bytes % 16 != 0) {
    return invalid("boxDim[0] has " + std::to_string(map.boxDims[0] * bytes) +
                   " bytes; multiples of 16 are allowed");
  }
  return {};
}

} // namespace

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = elementBytes(type());
  for (int i = 0; i < rank(); ++i) {
    bytes *= boxExtent(i);
  }
  return bytes;
}

int elementBytes(TensorType type) { return types[size_t(type)].bytes; }
bool isFloat(TensorType type) { return types[size_t(type)].isFloat; }

TensorMapCheck checkTensorMap(const TensorMap &map) {
  if (map.rank() > 5) {
    return invalid("tensorRank is " + std::to_string(map.rank()) +
                   "; 1 to 5 are allowed");
  }
  if (map.elementType >= tensorTypes || map.interleave > 2 || map.swizzle > 4 ||
      map.swizzleAtomicity > 3 || map.fill > 1 || map.l2Promotion > 3 ||
      map.reserved != 0) {
    return invalid("a field has a number that no enumerator has");
  }
  if (map.interleave != 0 && map.rank() < 3) {
    return invalid("an interleaved layout needs a tensorRank of 3 or more");
  }
  const TypeFacts &type = types[map.elementType];
  if (map.fill == 1 && !type.isFloat) {
    return invalid("oobFill may be NaN only if elements are floating-point");
  }
  if (map.interleave == 2 && map.swizzle != 1) {
    return invalid("an interleave of 32 bytes needs a swizzle of 32 bytes");
  }
  if (type.bytes == 0) {
    return notModelled(std::string("a tensor of ") + type.name);
  }
  if (TensorMapCheck check = checkNumbers(map, type.bytes); !check) {
    return check;
  }
  if (map.swizzle == 4 || map.swizzleAtomicity != 0) {
    return notModelled("a swizzle that sm_90 does not have");
  }
  uint64_t inner = uint64_t(map.boxDims[0]) * type.bytes;
  uint64_t span = uint64_t(16) << map.swizzle;
  if (map.interleave == 0 && map.swizzle != 0 && inner > span) {
    return invalid("boxDim[0] has " + std::to_string(inner) +
                   " bytes, more than the swizzle's " + std::to_string(span));
  }
  if (map.interleave != 0) {
    return notModelled("an interleaved tensor");
  }
  if (map.type() == TensorType::f32FlushToZero ||
      map.type() == TensorType::tf32FlushToZero) {
    return notModelled(std::string("a tensor of ") + type.name);
  }
  return {};
}

TensorMapCheck encodeTiled(void *map, const TiledArguments &arguments) {
  if (map == nullptr || reinterpret_cast<uintptr_t>(map) % 64 != 0) {
    return invalid("tensorMap is not 64-byte aligned");
  }
  if (arguments.dataType >= tensorTypes) {
    return invalid("tensorDataType is no CUtensorMapDataType");
  }
  if (arguments.rank == 0 || arguments.rank > 5) {
    return invalid("tensorRank is " + std::to_string(arguments.rank) +
                   "; 1 to 5 are allowed");
  }
  if (arguments.interleave > 2 ||
      arguments.swizzle >= std::size(driverSwizzles) ||
      arguments.l2Promotion > 3 || arguments.oobFill > 1) {
    return invalid("an argument is no value of its enumeration");
  }
  if (arguments.globalDim == nullptr || arguments.boxDim == nullptr ||
      arguments.elementStrides == nullptr ||
      (arguments.rank > 1 && arguments.globalStrides == nullptr)) {
    return invalid("an array is a null pointer");
  }
  TensorMap made = {};
  made.globalAddress = arguments.globalAddress;
  for (uint32_t i = 0; i < 5; ++i) {
    bool used = i < arguments.rank;
    made.globalDims[i] = used ? arguments.globalDim[i] : 1;
    made.boxDims[i] = used ? arguments.boxDim[i] : 1;
    made.elementStrides[i] = used ? arguments.elementStrides[i] : 1;
    if (i + 1 < arguments.rank) {
      made.globalStrides[i] = arguments.globalStrides[i];
    }
  }
  made.rankMinusOne = static_cast<uint8_t>(arguments.rank - 1);
  made.elementType = static_cast<uint8_t>(driverTypes[arguments.dataType]);
  made.interleave = static_cast<uint8_t>(arguments.interleave);
  made.swizzle = driverSwizzles[arguments.swizzle].swizzle;
  made.swizzleAtomicity = driverSwizzles[arguments.swizzle].atomicity;
  made.fill = static_cast<uint8_t>(arguments.oobFill);
  made.l2Promotion = static_cast<uint8_t>(arguments.l2Promotion);
  TensorMapCheck check = checkTensorMap(made);
  if (check) {
    std::memcpy(map, &made, sizeof(made));
  }
  return check;
}

TensorMapCheck replaceAddress(void *map, uint64_t globalAddress) {
  if (map == nullptr || reinterpret_cast<uintptr_t>(map) % 64 != 0) {
    return invalid("tensorMap is not 64-byte aligned");
  }
  TensorMap changed;
  std::memcpy(&changed, map, sizeof(changed));
  changed.globalAddress = globalAddress;
  TensorMapCheck check = checkTensorMap(changed);
  if (check) {
    std::memcpy(map, &changed, sizeof(changed));
  }
  return check;
}

} // namespace cheems::emulator
