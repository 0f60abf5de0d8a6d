// Integers and scales of matrices, rounded by the compiler's own functions.
#include "Elements.h"
#include "Parameters.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Import/Quantize.h"
#include "cheems/Reference/Linear.h"
#include "llvm/Support/MathExtras.h"

namespace cheems::interpreter {
using namespace mlir;

namespace {
constexpr int64_t kHeight = cpu::LinearOp::kColumns; // of a panel
constexpr int64_t kTogether = 4; // quantized values of one row side by side

struct Codes {
  Tensor codes, scales; ///< [N, K] and [N, G]
};
} // namespace

/// Tables that stand `by_columns` each other are rounded each by itself.
static std::optional<Codes> rounded(ParameterOp op, Frame &f) {
  std::optional<Tensor> matrix = storedWeight(op, f);
  if (!matrix) {
    return std::nullopt;
  }
  if (matrix->rank() != 2) {
    f.fail() << "rounds " << shapeText(matrix->shape) << ", which is no matrix";
    return std::nullopt;
  }
  int64_t parts =
      op.getByColumns() ? static_cast<int64_t>(op.getNames().size()) : 1;
  int64_t size = matrix->shape[1] / parts, rows = matrix->shape[0] * parts;
  QuantizedFormat format{op.getQuantizedAttr().getBits(),
                         op.getQuantizedAttr().getGroup()};
  int64_t step = format.bits == 8 ? 1 : 2; // quantized values of a byte
  bool fits = size % (format.group ? format.group : 1) == 0 &&
              (!isa_and_nonnull<cpu::PanelsAttr>(op.getLayoutAttr()) ||
               size % (kTogether * step) == 0);
  if (!fits) {
    f.fail() << "has no quantized rows of " << size;
    return std::nullopt;
  }
  int64_t groups = format.groups(size);
  Codes result{Tensor(matrix->shape),
               Tensor({matrix->shape[0], groups * parts})};
  std::vector<float> row(size), scales(groups);
  std::vector<int8_t> codes(size);
  for (int64_t n = 0; n < rows; ++n) {
    auto from = matrix->data.begin() + n * size;
    std::copy(from, from + size, row.begin());
    if (!quantizeRow(row, format, codes, scales)) {
      f.fail() << "holds a number that is not finite and has no code";
      return std::nullopt;
    }
    llvm::copy(codes, result.codes.data.begin() + n * size);
    llvm::copy(scales, result.scales.data.begin() + n * groups);
  }
  return result;
}

/// A byte as an i8 has it.
static double byte(int64_t bits) { return bits < 128 ? bits : bits - 256; }

static Tensor packedCodes(const Tensor &codes, int64_t bits) {
  int64_t rows = codes.shape[0], size = codes.shape[1],
          panels = llvm::divideCeilSigned(rows, kHeight),
          middle = int64_t(1) << (bits - 1), step = kTogether * 8 / bits;
  Tensor result({panels, size / step, kHeight, kTogether});
  auto stored = [&](int64_t n, int64_t k) {
    return n < rows ? static_cast<int64_t>(codes(n, k)) + middle : middle;
  };
  for (int64_t n = 0; n < panels * kHeight; ++n) {
    for (int64_t k = 0; k < size; k += step) {
      for (int64_t j = 0; j < kTogether; ++j) {
        int64_t high = bits == 4 ? stored(n, k + kTogether + j) << 4 : 0;
        result(n / kHeight, k / step, n % kHeight, j) =
            byte(stored(n, k + j) | high);
      }
    }
  }
  return result;
}

static Tensor packedScales(const Tensor &scales) {
  int64_t rows = scales.shape[0], groups = scales.shape[1];
  Tensor result({llvm::divideCeilSigned(rows, kHeight), groups, kHeight});
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t g = 0; g < groups; ++g) {
      result(n / kHeight, g, n % kHeight) = scales(n, g);
    }
  }
  return result;
}

void quantizedParameter(ParameterOp op, Frame &f) {
  std::optional<Codes> all = rounded(op, f);
  if (!all) {
    return;
  }
  if (isa_and_nonnull<tile::NibblesAttr>(op.getLayoutAttr())) {
    f.set(op.getResult(), reference::nibblesOf(all->codes));
    return;
  }
  bool panels = static_cast<bool>(op.getLayoutAttr());
  if (op.getQuantizedAttr().getPart() == QuantizedPart::Scales) {
    f.set(op.getResult(), panels ? packedScales(all->scales) : all->scales);
  } else {
    f.set(op.getResult(),
          panels ? packedCodes(all->codes, op.getQuantizedAttr().getBits())
                 : all->codes);
  }
}

} // namespace cheems::interpreter
