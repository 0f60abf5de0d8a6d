// Writes matrices in panels, exact or quantized.
#include "PanelWriter.h"
#include "cheems/Compiler/ReadWeights.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include <algorithm>

namespace cheems {
namespace {
/// The panels have one element type: float, or uint16_t for bf16.
template <typename Element> class Panels {
public:
  explicit Panels(llvm::raw_ostream &os) : os(os) {}

  /// Matrices [N, K] of the last two dimensions in `order`, each as `packed`
  /// writes one.
  void permutedPanels(const TensorView &tensor, llvm::ArrayRef<int64_t> order,
                      int64_t height, int64_t pair) {
    llvm::SmallVector<int64_t> strides(order.size(), 1);
    for (int64_t d = static_cast<int64_t>(order.size()) - 1; d > 0; --d) {
      strides[d - 1] = strides[d] * tensor.shape[d];
    }
    llvm::ArrayRef<int64_t> outer = order.drop_back(2),
                            inner = order.take_back(2);
    int64_t rows = tensor.shape[inner[0]], size = tensor.shape[inner[1]];
    int64_t matrices = 1;
    for (int64_t d : outer) {
      matrices *= tensor.shape[d];
    }
    std::vector<Element> panel(height * size);
    row.resize(1);
    for (int64_t m = 0; m < matrices; ++m) {
      int64_t base = 0, rest = m;
      for (int64_t d : llvm::reverse(outer)) {
        base += rest % tensor.shape[d] * strides[d];
        rest /= tensor.shape[d];
      }
      for (int64_t n = 0; n < rows; n += height) {
        std::fill(panel.begin(), panel.end(), Element(0));
        for (int64_t r = 0; r < std::min(height, rows - n); ++r) {
          for (int64_t k = 0; k < size; ++k) {
            read(tensor,
                 base + (n + r) * strides[inner[0]] + k * strides[inner[1]],
                 row);
            panel[k / pair * pair * height + r * pair + k % pair] = row[0];
          }
        }
        emit(panel);
      }
    }
  }

  /// [count, K/pair, height, pair] of the parts' rows one below the other; rows
  /// past the last are zero.
  void packed(llvm::ArrayRef<const TensorView *> parts, int64_t count,
              int64_t height, int64_t pair, int64_t size) {
    std::vector<Element> panel(height * size);
    row.resize(size);
    int64_t part = 0, next = 0;
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t r = 0; r < height; ++r) {
        while (part < static_cast<int64_t>(parts.size()) &&
               next == parts[part]->shape[0]) {
          ++part;
          next = 0;
        }
        if (part < static_cast<int64_t>(parts.size())) {
          read(*parts[part], next++ * size, row);
        } else {
          std::fill(row.begin(), row.end(), Element(0));
        }
        for (int64_t k = 0; k < size; k += pair) {
          std::copy_n(row.begin() + k, pair,
                      panel.begin() + k * height + r * pair);
        }
      }
      emit(panel);
    }
  }

private:
  void emit(llvm::ArrayRef<Element> values) {
    os.write(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(Element));
  }

  llvm::raw_ostream &os;
  std::vector<Element> row;
};

/// Unsigned bytes [K/4, 16, 4], or [K/8, 16, 4] where two quantized values
/// share one.
class CodePanels : public CodeLayout {
public:
  bool padsRows() const override { return true; }
  int64_t rowBytes(int64_t columns, int64_t bits) const override {
    return columns * bits / 8;
  }
  uint8_t zero(int64_t bits) const override {
    uint8_t code = stored(0, bits);
    return bits == 8 ? code : code | code << 4;
  }
  void place(llvm::ArrayRef<int8_t> codes, int64_t row, int64_t bits,
             llvm::MutableArrayRef<uint8_t> panel) const override {
    auto size = static_cast<int64_t>(codes.size());
    int64_t step = kTogether * 8 / bits;
    for (int64_t k = 0; k < size; k += step) {
      uint8_t *to = &panel[(k / step * kHeight + row) * kTogether];
      for (int64_t j = 0; j < kTogether; ++j) {
        uint8_t low = stored(codes[k + j], bits);
        to[j] =
            bits == 8 ? low : low | stored(codes[k + kTogether + j], bits) << 4;
      }
    }
  }

private:
  static constexpr int64_t kTogether =
      4; ///< quantized values of one row side by side

  /// What is stored of a code, with zero in the middle.
  static uint8_t stored(int8_t code, int64_t bits) {
    return static_cast<uint8_t>(code + (1 << (bits - 1)));
  }
};
static_assert(CodeLayout::kHeight == cpu::LinearOp::kColumns);

template <typename Element>
void writePanels(llvm::raw_ostream &os, StoredParameterAttr parameter,
                 llvm::ArrayRef<const TensorView *> parts) {
  auto layout = mlir::cast<cpu::PanelsAttr>(parameter.getLayout());
  mlir::RankedTensorType type = parameter.getType();
  Panels<Element> panels(os);
  if (mlir::DenseI64ArrayAttr order = parameter.getPermute()) {
    panels.permutedPanels(*parts.front(), order.asArrayRef(), layout.getRows(),
                          layout.getPair());
  } else {
    panels.packed(parts, type.getDimSize(0), layout.getRows(), layout.getPair(),
                  type.getDimSize(1) * layout.getPair());
  }
}
} // namespace

llvm::Error PanelWriter::write(StoredParameterAttr parameter,
                               llvm::ArrayRef<const TensorView *> parts) {
  if (parameter.getQuantized()) {
    CodePanels panels;
    return quantized.parameter(parameter, parts,
                               parameter.getLayout() ? &panels : nullptr);
  }
  if (parameter.getType().getElementType().isBF16()) {
    writePanels<uint16_t>(os, parameter, parts);
  } else {
    writePanels<float>(os, parameter, parts);
  }
  return llvm::Error::success();
}
} // namespace cheems
