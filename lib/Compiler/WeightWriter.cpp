// Converts and packs parameters.
#include "WeightWriter.h"
#include "QuantizedWriter.h"
#include "ReadWeights.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "llvm/Support/raw_ostream.h"

namespace cheems {
namespace {
/// Writes parameters of one element type: float, or uint16_t for bf16.
template <typename Element> class Writer {
public:
  explicit Writer(llvm::raw_ostream &os) : os(os) {}

  void parameter(mlir::DictionaryAttr entry, mlir::RankedTensorType type,
                 llvm::ArrayRef<const TensorView *> parts) {
    auto panels = entry.getAs<mlir::cheems::PanelsAttr>("layout");
    auto order = entry.getAs<mlir::DenseI64ArrayAttr>("permute");
    if (panels && order) {
      permutedPanels(*parts.front(), order.asArrayRef(), panels.getRows(),
                     panels.getPair());
    } else if (panels) {
      packed(parts, type.getDimSize(0), panels.getRows(), panels.getPair(),
             type.getDimSize(1) * panels.getPair());
    } else if (order) {
      permuted(*parts.front(), order.asArrayRef());
    } else if (entry.contains("beside")) {
      beside(parts, type.getDimSize(0),
             type.getDimSize(1) / static_cast<int64_t>(parts.size()));
    } else {
      for (const TensorView *part : parts) {
        plain(*part);
      }
    }
  }

private:
  void emit(llvm::ArrayRef<Element> values) {
    os.write(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(Element));
  }

  void plain(const TensorView &tensor) {
    constexpr int64_t kChunk = 1 << 16;
    for (int64_t from = 0; from < tensor.elements(); from += kChunk) {
      row.resize(std::min(kChunk, tensor.elements() - from));
      read(tensor, from, row);
      emit(row);
    }
  }

  /// Row r of the first part, of the second, ..., then row r + 1.
  void beside(llvm::ArrayRef<const TensorView *> parts, int64_t rows,
              int64_t columns) {
    // A table is no smaller than memory at times: what was read goes at once.
    constexpr int64_t kChunk = 1 << 16, kHeld = 1 << 24;
    auto width = columns * static_cast<int64_t>(parts.size());
    int64_t some = std::max<int64_t>(kChunk / std::max<int64_t>(width, 1), 1);
    int64_t held = 0;
    for (int64_t from = 0; from < rows; from += some) {
      some = std::min(some, rows - from);
      row.resize(some * width);
      llvm::MutableArrayRef<Element> left(row);
      for (int64_t r = from; r < from + some; ++r) {
        for (const TensorView *part : parts) {
          read(*part, r * columns, left.take_front(columns));
          left = left.drop_front(columns);
        }
      }
      emit(row);
      held += some * width;
      if (held >= kHeld) {
        for (const TensorView *part : parts) {
          part->release();
        }
        held = 0;
      }
    }
  }

  /// Dimension d of what is written is dimension order[d] of what is stored.
  void permuted(const TensorView &tensor, llvm::ArrayRef<int64_t> order) {
    llvm::SmallVector<int64_t> strides(order.size(), 1), extents, steps;
    for (int64_t d = static_cast<int64_t>(order.size()) - 1; d > 0; --d) {
      strides[d - 1] = strides[d] * tensor.shape[d];
    }
    for (int64_t d : order) {
      extents.push_back(tensor.shape[d]);
      steps.push_back(strides[d]);
    }
    // The last dimension in runs, so that few bytes wait in `row`.
    constexpr int64_t kChunk = 1 << 16;
    int64_t length = extents.empty() ? 1 : extents.pop_back_val();
    int64_t step = steps.empty() ? 1 : steps.pop_back_val();
    int64_t rows = tensor.elements() / std::max<int64_t>(length, 1);
    llvm::SmallVector<int64_t> place(extents.size(), 0);
    int64_t at = 0;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t from = 0; from < length; from += kChunk) {
        row.resize(std::min(kChunk, length - from));
        if (step == 1) {
          read(tensor, at + from, row);
        } else {
          for (auto [i, value] : llvm::enumerate(row)) {
            read(tensor, at + (from + static_cast<int64_t>(i)) * step, value);
          }
        }
        emit(row);
      }
      for (int64_t d = static_cast<int64_t>(place.size()) - 1; d >= 0; --d) {
        at += steps[d];
        if (++place[d] < extents[d]) {
          break;
        }
        at -= steps[d] * extents[d];
        place[d] = 0;
      }
    }
  }

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

  llvm::raw_ostream &os;
  std::vector<Element> row;
};
} // namespace

llvm::Error writeWeights(llvm::raw_ostream &os, mlir::ArrayAttr table,
                         StoredTensors stored, ProgressHandler progress) {
  int64_t written = 0;
  QuantizedWriter quantized(os);
  for (auto [i, attribute] : llvm::enumerate(table)) {
    progress("weights", static_cast<double>(i) / table.size());
    auto entry = mlir::cast<mlir::DictionaryAttr>(attribute);
    auto type = mlir::cast<mlir::RankedTensorType>(
        entry.getAs<mlir::TypeAttr>("type").getValue());
    llvm::SmallVector<const TensorView *> parts;
    for (mlir::Attribute name : entry.getAs<mlir::ArrayAttr>("names")) {
      parts.push_back(&stored(mlir::cast<mlir::StringAttr>(name).getValue()));
    }
    int64_t offset = entry.getAs<mlir::IntegerAttr>("offset").getInt();
    os.write_zeros(offset - written);
    if (entry.contains("quantized")) {
      if (llvm::Error failed = quantized.parameter(entry, type, parts)) {
        return failed;
      }
    } else if (type.getElementType().isBF16()) {
      Writer<uint16_t>(os).parameter(entry, type, parts);
    } else {
      Writer<float>(os).parameter(entry, type, parts);
    }
    written =
        offset + type.getNumElements() * type.getElementTypeBitWidth() / 8;
    for (const TensorView *part : parts) {
      part->release();
    }
  }
  progress("weights", 1);
  return llvm::Error::success();
}

} // namespace cheems
