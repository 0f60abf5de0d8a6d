// Rows of signed integers: of 8 bits, or of 4 bits as #cheems_tile.nibbles
// says.
#include "CodeWriter.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

namespace cheems {
namespace {
class Nibbles : public CodeLayout {
public:
  bool padsRows() const override { return false; }
  int64_t rowBytes(int64_t columns, int64_t bits) const override {
    return tile::QuantizedMatmulOp::getRowBytes(columns, bits);
  }
  uint8_t zero(int64_t) const override { return 0; }
  void place(llvm::ArrayRef<int8_t> codes, int64_t row, int64_t bits,
             llvm::MutableArrayRef<uint8_t> bytes) const override {
    auto size = static_cast<int64_t>(codes.size()),
         begin = row * rowBytes(size, bits);
    for (int64_t k = 0; k < size; ++k) {
      int64_t c = k / 128, j = k / 32 % 4, q = k / 4 % 4, i = k % 4;
      auto code = static_cast<uint8_t>(codes[k] & 15);
      bytes[begin + 64 * c + 16 * q + 4 * j + i] |=
          k / 16 % 2 ? code << 4 : code;
    }
  }
};
} // namespace

llvm::Error CodeWriter::write(StoredParameterAttr parameter,
                              llvm::ArrayRef<const TensorView *> parts) {
  Nibbles nibbles;
  return quantized.parameter(parameter, parts,
                             parameter.getLayout() ? &nibbles : nullptr);
}
} // namespace cheems
