// Converts between doubles and the bits of other types.
#include "Array.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>
#include <stdexcept>

namespace cheems::test {
namespace {

const llvm::fltSemantics &semanticsOf(Number number) {
  switch (number) {
  case Number::BF16:
    return llvm::APFloat::BFloat();
  case Number::F16:
    return llvm::APFloat::IEEEhalf();
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

llvm::APFloat converted(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat result(value);
  bool inexact = false;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
  return result;
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
  return isInteger(number)
             ? value
             : converted(value, semanticsOf(number)).convertToDouble();
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
    : Array(number, values.shape) {
  for (int64_t i = 0; i < elements(); ++i) {
    set(i, values.data[static_cast<size_t>(i)]);
  }
}

double Array::get(int64_t index) const {
  uint32_t bits = 0;
  size_t size = sizeOf(kind);
  std::memcpy(&bits, &memory[static_cast<size_t>(index) * size], size);
  if (kind == Number::I32) {
    return static_cast<int32_t>(bits);
  }
  if (kind == Number::I8) {
    return static_cast<int8_t>(bits);
  }
  llvm::APInt integer(static_cast<unsigned>(8 * size), bits);
  return llvm::APFloat(semanticsOf(kind), integer).convertToDouble();
}

void Array::set(int64_t index, double value) {
  uint32_t bits =
      isInteger(kind)
          ? static_cast<uint32_t>(static_cast<int32_t>(value))
          : static_cast<uint32_t>(converted(value, semanticsOf(kind))
                                      .bitcastToAPInt()
                                      .getZExtValue());
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
