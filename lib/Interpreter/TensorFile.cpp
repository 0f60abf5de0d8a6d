// Tensors out of safetensors files and into one.
#include "TensorFile.h"
#include "Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace cheems::interpreter {
using namespace mlir;

static bool isWhole(DType type) {
  return type == DType::I32 || type == DType::I64;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether an element of the type can be the number.
static bool holds(Type element, double number) {
  if (std::isnan(number) || element.isF64()) {
    return true;
  }
  if (isa<FloatType>(element)) {
    auto narrow = static_cast<float>(number);
    uint32_t dropped = element.isBF16() ? 0xffff : 0;
    return narrow == number &&
           (llvm::bit_cast<uint32_t>(narrow) & dropped) == 0;
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  double end = std::ldexp(1.0, static_cast<int>(width) - 1);
  return width == 1 ? number == 0 || number == 1
                    : number >= -end && number < end;
}

llvm::Expected<Tensor> readTensor(const TensorView &view, Type element) {
  bool isFloat = element.isF32() || element.isBF16() || element.isF64();
  if ((!isFloat && !element.isIntOrIndex()) || isWhole(view.type) == isFloat) {
    return llvm::createStringError(
        "tensor '" + view.name + "' is of " + spelling(view.type) +
        ", and elements of " + textOf(element) + " are wanted: write it as " +
        (isFloat ? "F32" : "I32"));
  }
  Tensor tensor = Tensor::from(view);
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    if (!holds(element, tensor.data[i])) {
      return llvm::createStringError(
          "tensor '" + view.name + "' has the element " +
          indexText(view.shape, static_cast<int64_t>(i)) + ", " +
          std::to_string(tensor.data[i]) + ", which is no " + textOf(element));
    }
  }
  return tensor;
}

std::optional<DType> storedType(Type element) {
  if (element.isF32()) {
    return DType::F32;
  }
  if (element.isBF16()) {
    return DType::BF16;
  }
  if (element.isF64()) {
    return DType::F64;
  }
  if (element.isIndex() || element.isInteger(64)) {
    return DType::I64;
  }
  bool fits = element.isInteger() && element.getIntOrFloatBitWidth() <= 32;
  return fits ? std::optional(DType::I32) : std::nullopt;
}

static void writeElement(llvm::raw_ostream &os, DType type, double value) {
  using llvm::endianness;
  auto write = [&](auto bits) {
    llvm::support::endian::write(os, bits, endianness::little);
  };
  switch (type) {
  case DType::F32:
    return write(static_cast<float>(value));
  case DType::BF16: // it is one already
    return write(static_cast<uint16_t>(
        llvm::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  case DType::F64:
    return write(value);
  case DType::I32:
    return write(static_cast<int32_t>(value));
  case DType::I64:
    return write(static_cast<int64_t>(value));
  case DType::F16:
    break;
  }
  llvm_unreachable("no tensor is written as F16");
}

/// The header, with the length before it; a multiple of 8 bytes.
static std::string headerOf(llvm::ArrayRef<NamedTensor> tensors) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  int64_t at = 0;
  json.object([&] {
    for (const NamedTensor &each : tensors) {
      int64_t end = at + static_cast<int64_t>(each.tensor.data.size()) *
                             byteSize(each.type);
      json.attributeObject(each.name, [&] {
        json.attribute("dtype", spelling(each.type));
        json.attributeArray("shape", [&] {
          for (int64_t extent : each.tensor.shape) {
            json.value(extent);
          }
        });
        json.attributeArray("data_offsets", [&] {
          json.value(at);
          json.value(end);
        });
      });
      at = end;
    }
  });
  os.flush();
  text.resize(llvm::alignTo(text.size(), 8), ' ');
  return text;
}

llvm::Error writeTensors(llvm::StringRef path,
                         llvm::ArrayRef<NamedTensor> tensors) {
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    std::string header = headerOf(tensors);
    llvm::support::endian::write<uint64_t>(os, header.size(),
                                           llvm::endianness::little);
    os << header;
    for (const NamedTensor &each : tensors) {
      for (double value : each.tensor.data) {
        writeElement(os, each.type, value);
      }
    }
    return llvm::Error::success();
  });
  return error ? llvm::createStringError("cannot write " +
                                         llvm::toString(std::move(error)))
               : llvm::Error::success();
}

} // namespace cheems::interpreter
