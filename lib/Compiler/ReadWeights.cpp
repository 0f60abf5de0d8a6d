// Elements of stored tensors, converted.
#include "cheems/Compiler/ReadWeights.h"
#include "cheems/Import/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

namespace cheems {
namespace {
float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float widenHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31,
           fraction = half & 0x3ff;
  if (exponent == 0) {
    float magnitude =
        static_cast<float>(fraction) * 0x1p-24f; // zero and denormals
    return sign ? -magnitude : magnitude;
  }
  exponent = exponent == 31 ? 255 : exponent + 112;
  return fromBits(sign | exponent << 23 | fraction << 13);
}

/// Round to nearest even; NaN stays NaN.
uint16_t toBrain(float value) {
  uint32_t bits = toBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  }
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// From here on the nearest f16 is infinity.
constexpr float kBeyondHalf = 65520;

/// Round to nearest even; NaN stays NaN.
Half toHalf(float value) {
  uint32_t bits = toBits(value), sign = bits >> 16 & 0x8000,
           magnitude = bits & 0x7fffffff, half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;
  } else if (magnitude >= toBits(kBeyondHalf)) {
    half = 0x7c00;
  } else if (magnitude < toBits(0x1p-14f)) {
    // Denormals are multiples of 2^-24, as the f32 from 0.5 on are: the sum
    // rounds.
    half = toBits(fromBits(magnitude) + 0.5f) - toBits(0.5f);
  } else {
    half = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112 << 23)) >> 13;
  }
  return {static_cast<uint16_t>(sign | half)};
}
} // namespace

void read(const TensorView &tensor, int64_t from,
          llvm::MutableArrayRef<float> out) {
  const uint8_t *bytes = tensor.bytes.data() + from * byteSize(tensor.type);
  switch (tensor.type) {
  case DType::F32:
    std::memcpy(out.data(), bytes, out.size() * sizeof(float));
    return;
  case DType::BF16:
  case DType::F16:
    for (auto [i, value] : llvm::enumerate(out)) {
      uint16_t small;
      std::memcpy(&small, bytes + 2 * i, 2);
      value = tensor.type == DType::BF16 ? fromBits(uint32_t(small) << 16)
                                         : widenHalf(small);
    }
    return;
  default:
    for (auto [i, value] : llvm::enumerate(out)) {
      value = static_cast<float>(tensor.at(from + i));
    }
  }
}

void read(const TensorView &tensor, int64_t from,
          llvm::MutableArrayRef<uint16_t> out) {
  if (tensor.type == DType::BF16) {
    std::memcpy(out.data(), tensor.bytes.data() + from * 2, out.size() * 2);
    return;
  }
  constexpr size_t kChunk = 1024;
  float wide[kChunk];
  while (!out.empty()) {
    llvm::MutableArrayRef<float> part(wide, std::min(kChunk, out.size()));
    read(tensor, from, part);
    llvm::transform(part, out.begin(), toBrain);
    out = out.drop_front(part.size());
    from += part.size();
  }
}

llvm::Error read(const TensorView &tensor, int64_t from,
                 llvm::MutableArrayRef<Half> out) {
  if (tensor.type == DType::F16) {
    std::memcpy(out.data(), tensor.bytes.data() + from * 2, out.size() * 2);
    return llvm::Error::success();
  }
  constexpr size_t kChunk = 1024;
  float wide[kChunk];
  while (!out.empty()) {
    llvm::MutableArrayRef<float> part(wide, std::min(kChunk, out.size()));
    read(tensor, from, part);
    for (float value : part) {
      if (std::isfinite(value) && std::abs(value) >= kBeyondHalf) {
        std::string line;
        llvm::raw_string_ostream(line)
            << "tensor '" << tensor.name << "' holds "
            << llvm::format("%g", value)
            << ", which is beyond f16, whose largest number is 65504: use "
               "--weights bf16";
        return llvm::make_error<UnsupportedError>(line);
      }
    }
    llvm::transform(part, out.begin(), toHalf);
    out = out.drop_front(part.size());
    from += part.size();
  }
  return llvm::Error::success();
}

} // namespace cheems
