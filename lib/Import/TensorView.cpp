// Element types of safetensors and access to single elements.
#include "cheems/Import/SafeTensors.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <limits>

namespace cheems {

llvm::StringRef spelling(DType type) {
  switch (type) {
  case DType::F32:
    return "F32";
  case DType::BF16:
    return "BF16";
  case DType::F16:
    return "F16";
  case DType::F64:
    return "F64";
  case DType::I64:
    return "I64";
  case DType::I32:
    return "I32";
  }
  llvm_unreachable("no other types");
}

int64_t byteSize(DType type) {
  switch (type) {
  case DType::BF16:
  case DType::F16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  }
  llvm_unreachable("no other types");
}

static double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 31) {
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

int64_t TensorView::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

double TensorView::at(int64_t i) const {
  using namespace llvm::support::endian;
  assert(i >= 0 && i < elements());
  const uint8_t *place = bytes.data() + i * byteSize(type);
  switch (type) {
  case DType::F32:
    return llvm::bit_cast<float>(read32le(place));
  case DType::BF16:
    return llvm::bit_cast<float>(static_cast<uint32_t>(read16le(place)) << 16);
  case DType::F16:
    return halfToDouble(read16le(place));
  case DType::F64:
    return llvm::bit_cast<double>(read64le(place));
  case DType::I64:
    return static_cast<double>(static_cast<int64_t>(read64le(place)));
  case DType::I32:
    return static_cast<int32_t>(read32le(place));
  }
  llvm_unreachable("no other types");
}

} // namespace cheems
