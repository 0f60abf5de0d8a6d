// Converts between doubles and the bits of other types.
#include "Array.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace cheems::test {
namespace {

/// The bits in f32, of a number that is not in f32 those of the neighbour whose
/// last bit is set: rounded once more to fewer bits, they give what the number
/// itself gives.
uint32_t oddBitsOf(double value) {
  auto single = static_cast<float>(value);
  uint32_t bits = llvm::bit_cast<uint32_t>(single);
  if (single == value || value != value) {
    return bits;
  }
  bool isFarther = std::abs(static_cast<double>(single)) > std::abs(value);
  return (bits - (isFarther ? 1 : 0)) | 1;
}

uint32_t bitsInBF16(double value) {
  uint32_t bits = oddBitsOf(value);
  if (value != value) {
    return bits >> 16;
  }
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

uint32_t bitsInF16(double value) {
  llvm::APFloat result(value);
  bool inexact = false;
  result.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                 &inexact);
  return static_cast<uint32_t>(result.bitcastToAPInt().getZExtValue());
}

uint32_t bitsOf(double value, Number number) {
  switch (number) {
  case Number::F32:
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  case Number::BF16:
    return bitsInBF16(value);
  case Number::F16:
    return bitsInF16(value);
  case Number::I32:
  case Number::I8:
    return static_cast<uint32_t>(static_cast<int32_t>(value));
  }
  llvm_unreachable("every number is handled above");
}

double valueOf(uint32_t bits, Number number) {
  switch (number) {
  case Number::F32:
    return llvm::bit_cast<float>(bits);
  case Number::BF16:
    return llvm::bit_cast<float>(bits << 16);
  case Number::F16:
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits))
        .convertToDouble();
  case Number::I32:
    return static_cast<int32_t>(bits);
  case Number::I8:
    return static_cast<int8_t>(bits);
  }
  llvm_unreachable("every number is handled above");
}

} // namespace

size_t sizeOf(Number number) {
  switch (number) {
  case Number::F32:
  case Number::I32:
    return 4;
  case Number::BF16:
  case Number::F16:
    return 2;
  case Number::I8:
    return 1;
  }
  llvm_unreachable("every number is handled above");
}

bool isInteger(Number number) {
  return number == Number::I32 || number == Number::I8;
}

Number numberOf(mlir::Type type) {
  if (type.isF32()) {
    return Number::F32;
  }
  if (type.isBF16()) {
    return Number::BF16;
  }
  if (type.isF16()) {
    return Number::F16;
  }
  if (type.isInteger(32)) {
    return Number::I32;
  }
  if (type.isInteger(8)) {
    return Number::I8;
  }
  throw std::runtime_error("an element type that kernels do not have");
}

double nearest(double value, Number number) {
  return isInteger(number) ? value : valueOf(bitsOf(value, number), number);
}

Array::Array(Number number, llvm::ArrayRef<int64_t> shape)
    : kind(number), extents(shape) {
  size_t bytes = sizeOf(number);
  for (int64_t extent : shape) {
    bytes *= static_cast<size_t>(extent);
  }
  memory.assign(bytes, 0xff);
}

Array::Array(Number number, const reference::Tensor &values)
    : kind(number), extents(values.shape) {
  size_t size = sizeOf(kind), at = 0;
  memory.resize(values.data.size() * size);
  for (double value : values.data) {
    uint32_t bits = bitsOf(value, kind);
    std::memcpy(&memory[at], &bits, size);
    at += size;
  }
}

double Array::get(int64_t index) const {
  uint32_t bits = 0;
  size_t size = sizeOf(kind);
  std::memcpy(&bits, &memory[static_cast<size_t>(index) * size], size);
  return valueOf(bits, kind);
}

void Array::set(int64_t index, double value) {
  uint32_t bits = bitsOf(value, kind);
  size_t size = sizeOf(kind);
  std::memcpy(&memory[static_cast<size_t>(index) * size], &bits, size);
}

reference::Tensor Array::tensor() const {
  reference::Tensor result(extents);
  for (int64_t i = 0; i < elements(); ++i) {
    result.data[static_cast<size_t>(i)] = get(i);
  }
  return result;
}

} // namespace cheems::test
