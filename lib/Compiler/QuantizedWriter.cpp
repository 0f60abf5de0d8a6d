// Rounds matrices, some rows at a time on all threads.
#include "QuantizedWriter.h"
#include "cheems/Compiler/ReadWeights.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace cheems {
constexpr int64_t kHeight = CodeLayout::kHeight;

struct QuantizedWriter::Rows {
  llvm::ArrayRef<const TensorView *> parts;
  bool byColumns;
  int64_t count = 0, columns;

  Rows(llvm::ArrayRef<const TensorView *> parts, bool byColumns)
      : parts(parts), byColumns(byColumns), columns(parts.front()->shape[1]) {
    for (const TensorView *part : parts) {
      count += part->shape[0];
    }
  }
  std::pair<const TensorView *, int64_t> at(int64_t row) const {
    if (byColumns) {
      auto width = static_cast<int64_t>(parts.size());
      return {parts[row % width], row / width};
    }
    const TensorView *const *part = parts.begin();
    while (row >= (*part)->shape[0]) {
      row -= (*part++)->shape[0];
    }
    return {*part, row};
  }
  void release() const {
    for (const TensorView *part : parts) {
      part->release();
    }
  }
};

/// The tensor that holds a number without a code, or null. `bytes` is empty
/// where scales alone are wanted.
const TensorView *
QuantizedWriter::roundPanel(const Rows &rows, int64_t panel,
                            QuantizedFormat format, const CodeLayout *layout,
                            llvm::MutableArrayRef<uint8_t> bytes) {
  int64_t groups = format.groups(rows.columns), from = panel * kHeight;
  std::vector<float> row(rows.columns);
  std::vector<int8_t> codes(rows.columns);
  for (int64_t n = from; n < std::min(from + kHeight, rows.count); ++n) {
    auto [tensor, index] = rows.at(n);
    read(*tensor, index * rows.columns, row);
    if (!quantizeRow(row, format, codes,
                     llvm::MutableArrayRef(scales).slice(n * groups, groups))) {
      return tensor;
    }
    if (bytes.empty()) {
      continue;
    }
    if (layout) {
      layout->place(codes, n - from, format.bits, bytes);
    } else {
      std::memcpy(&bytes[(n - from) * rows.columns], codes.data(),
                  codes.size());
    }
  }
  return nullptr;
}

llvm::Error QuantizedWriter::round(const Rows &rows, QuantizedFormat format,
                                   const CodeLayout *layout, bool writeCodes) {
  if (!pool) {
    pool.emplace();
  }
  scales.assign(rows.count * format.groups(rows.columns), 0);
  // So many weights at a time keep the threads busy, and few of them are in
  // memory.
  constexpr int64_t kWeights = 1 << 20, kHeld = 1 << 24;
  int64_t count = llvm::divideCeilSigned(rows.count, kHeight),
          weights = kHeight * rows.columns,
          rowBytes = layout ? layout->rowBytes(rows.columns, format.bits)
                            : rows.columns,
          panelBytes = kHeight * rowBytes;
  int64_t some = std::max<int64_t>(kWeights / weights, 1), held = 0;
  int64_t share = llvm::divideCeilSigned(some, pool->getMaxConcurrency());
  std::vector<uint8_t> bytes;
  for (int64_t first = 0; first < count; first += some) {
    int64_t last = std::min(first + some, count);
    bytes.assign(writeCodes ? (last - first) * panelBytes : 0,
                 layout ? layout->zero(format.bits) : 0);
    std::vector<const TensorView *> bad(some);
    for (int64_t begin = first; begin < last; begin += share) {
      pool->async([&, begin, end = std::min(begin + share, last)] {
        for (int64_t p = begin; p < end; ++p) {
          llvm::MutableArrayRef<uint8_t> own(bytes);
          bad[p - first] = roundPanel(
              rows, p, format, layout,
              writeCodes ? own.slice((p - first) * panelBytes, panelBytes)
                         : own);
        }
      });
    }
    pool->wait();
    for (const TensorView *tensor : bad) {
      if (tensor) {
        return llvm::createStringError(
            "tensor '" + tensor->name +
            "' holds a number that is not finite and has no code; --weights "
            "f32 or bf16 keeps it");
      }
    }
    if (writeCodes) {
      int64_t rest = rows.count - first * kHeight;
      os.write(reinterpret_cast<const char *>(bytes.data()),
               layout && layout->padsRows()
                   ? bytes.size()
                   : std::min<int64_t>(bytes.size(), rest * rowBytes));
    }
    held += some * weights;
    if (held >= kHeld) {
      rows.release();
      held = 0;
    }
  }
  return llvm::Error::success();
}

/// Writes them as [rows, groups], or in panels [panels, groups, 16].
void QuantizedWriter::writeScales(int64_t groups, bool panels, bool brain) {
  auto rows = static_cast<int64_t>(scales.size()) / groups;
  auto write = [&](float scale) {
    auto bits = llvm::bit_cast<uint32_t>(scale);
    if (brain) { // which they are
      bits >>= 16;
    }
    os.write(reinterpret_cast<const char *>(&bits), brain ? 2 : 4);
  };
  if (!panels) {
    llvm::for_each(scales, write);
    return;
  }
  for (int64_t from = 0; from < rows; from += kHeight) {
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t n = from; n < from + kHeight; ++n) {
        write(n < rows ? scales[n * groups + g] : 0);
      }
    }
  }
}

llvm::Error QuantizedWriter::parameter(StoredParameterAttr parameter,
                                       llvm::ArrayRef<const TensorView *> parts,
                                       const CodeLayout *layout) {
  QuantizedAttr attribute = parameter.getQuantized();
  QuantizedFormat format{attribute.getBits(), attribute.getGroup()};
  bool codes = attribute.getPart() == QuantizedPart::Codes,
       panels = layout && layout->padsRows(),
       byColumns = parameter.getByColumns();
  Rows rows(parts, byColumns);
  mlir::Builder b(parameter.getContext());
  mlir::Attribute matrix = b.getArrayAttr(
      {parameter.getNames(), b.getBoolAttr(byColumns),
       b.getI64IntegerAttr(format.bits), b.getI64IntegerAttr(format.group)});
  if (codes || matrix != scalesOf) {
    if (llvm::Error failed = round(rows, format, layout, codes)) {
      return failed;
    }
    scalesOf = matrix;
  }
  if (!codes) {
    writeScales(format.groups(rows.columns), panels,
                parameter.getType().getElementType().isBF16());
  }
  return llvm::Error::success();
}
} // namespace cheems
