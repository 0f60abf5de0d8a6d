// Converts and packs parameters.
#include "WeightWriter.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"
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

/// Elements [from, from + out.size()) as f32.
void widen(const TensorView &tensor, int64_t from,
           llvm::MutableArrayRef<float> out) {
  const uint8_t *bytes = tensor.bytes.data() + from * byteSize(tensor.type);
  for (auto [i, value] : llvm::enumerate(out)) {
    uint16_t small;
    switch (tensor.type) {
    case DType::F32:
      std::memcpy(&value, bytes + 4 * i, 4);
      continue;
    case DType::BF16:
      std::memcpy(&small, bytes + 2 * i, 2);
      value = fromBits(uint32_t(small) << 16);
      continue;
    case DType::F16:
      std::memcpy(&small, bytes + 2 * i, 2);
      value = widenHalf(small);
      continue;
    default:
      value = static_cast<float>(tensor.at(from + i));
    }
  }
}

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Checkpoint &checkpoint)
      : os(os), checkpoint(checkpoint) {}

  void parameter(mlir::DictionaryAttr entry) {
    auto type = mlir::cast<mlir::RankedTensorType>(
        entry.getAs<mlir::TypeAttr>("type").getValue());
    brain = type.getElementType().isBF16();
    pad(entry.getAs<mlir::IntegerAttr>("offset").getInt());
    auto panels = entry.getAs<mlir::cheems::PanelsAttr>("layout");
    llvm::SmallVector<const TensorView *> parts;
    for (mlir::Attribute name : entry.getAs<mlir::ArrayAttr>("names")) {
      parts.push_back(
          &checkpoint.tensor(mlir::cast<mlir::StringAttr>(name).getValue()));
    }
    if (panels) {
      packed(parts, type.getDimSize(0), panels.getRows(), panels.getPair(),
             type.getDimSize(1) * panels.getPair());
    } else {
      for (const TensorView *part : parts) {
        plain(*part);
      }
    }
  }

  void pad(int64_t offset) {
    if (offset > written) {
      os.write_zeros(offset - written);
      written = offset;
    }
  }

private:
  void emit(llvm::ArrayRef<float> values) {
    if (!brain) {
      os.write(reinterpret_cast<const char *>(values.data()),
               values.size() * 4);
      written += values.size() * 4;
      return;
    }
    narrow.resize(values.size());
    llvm::transform(values, narrow.begin(), toBrain);
    os.write(reinterpret_cast<const char *>(narrow.data()), narrow.size() * 2);
    written += narrow.size() * 2;
  }

  void plain(const TensorView &tensor) {
    constexpr int64_t kChunk = 1 << 16;
    for (int64_t from = 0; from < tensor.elements(); from += kChunk) {
      row.resize(std::min(kChunk, tensor.elements() - from));
      widen(tensor, from, row);
      emit(row);
    }
  }

  /// [count, K/pair, height, pair] of the parts' rows one below the other; rows
  /// past the last are zero.
  void packed(llvm::ArrayRef<const TensorView *> parts, int64_t count,
              int64_t height, int64_t pair, int64_t size) {
    std::vector<float> panel(height * size);
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
          widen(*parts[part], next++ * size, row);
        } else {
          std::fill(row.begin(), row.end(), 0.0f);
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
  const Checkpoint &checkpoint;
  int64_t written = 0;
  bool brain = false;
  std::vector<float> row;
  std::vector<uint16_t> narrow;
};
} // namespace

llvm::Error writeWeights(llvm::raw_ostream &os, mlir::ArrayAttr table,
                         const Checkpoint &checkpoint,
                         ProgressHandler progress) {
  Writer writer(os, checkpoint);
  for (auto [i, entry] : llvm::enumerate(table)) {
    progress("weights", static_cast<double>(i) / table.size());
    writer.parameter(mlir::cast<mlir::DictionaryAttr>(entry));
  }
  progress("weights", 1);
  return llvm::Error::success();
}

} // namespace cheems
