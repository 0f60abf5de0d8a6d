// Converts parameters and writes them as rows; what a target lays out itself,
// its back end writes.
#include "WeightWriter.h"
#include "cheems/Compiler/ReadWeights.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace cheems {
namespace {
/// Writes parameters of one element type: float, uint16_t for bf16, or Half.
template <typename Element> class RowWriter {
public:
  explicit RowWriter(llvm::raw_ostream &os) : os(os) {}

  llvm::Error parameter(StoredParameterAttr parameter,
                        llvm::ArrayRef<const TensorView *> parts) {
    mlir::RankedTensorType type = parameter.getType();
    if (mlir::DenseI64ArrayAttr order = parameter.getPermute()) {
      permuted(*parts.front(), order.asArrayRef());
    } else if (parameter.getByColumns()) {
      byColumns(parts, type.getDimSize(0),
                type.getDimSize(1) / static_cast<int64_t>(parts.size()));
    } else {
      for (const TensorView *part : parts) {
        plain(*part);
      }
    }
    return std::move(failed);
  }

private:
  void take(const TensorView &tensor, int64_t from,
            llvm::MutableArrayRef<Element> out) {
    if constexpr (std::is_same_v<Element, Half>) {
      if (!failed) {
        failed = read(tensor, from, out);
      }
    } else {
      read(tensor, from, out);
    }
  }

  void emit(llvm::ArrayRef<Element> values) {
    os.write(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(Element));
  }

  void plain(const TensorView &tensor) {
    constexpr int64_t kChunk = 1 << 16;
    for (int64_t from = 0; from < tensor.elements(); from += kChunk) {
      row.resize(std::min(kChunk, tensor.elements() - from));
      take(tensor, from, row);
      emit(row);
    }
  }

  /// Row r of the first part, of the second, ..., then row r + 1.
  void byColumns(llvm::ArrayRef<const TensorView *> parts, int64_t rows,
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
          take(*part, r * columns, left.take_front(columns));
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
          take(tensor, at + from, row);
        } else {
          for (auto [i, value] : llvm::enumerate(row)) {
            take(tensor, at + (from + static_cast<int64_t>(i)) * step, value);
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

  llvm::raw_ostream &os;
  std::vector<Element> row;
  llvm::Error failed = llvm::Error::success(); ///< the first
};

/// A row of one of the tables.
struct Placed {
  StoredParameterAttr parameter;
  ParameterWriter *writer; ///< of the table's back end
};

llvm::Error write(llvm::raw_ostream &os, const Placed &placed,
                  llvm::ArrayRef<const TensorView *> parts) {
  StoredParameterAttr parameter = placed.parameter;
  if (parameter.getLayout() || parameter.getQuantized()) {
    return placed.writer
               ? placed.writer->write(parameter, parts)
               : llvm::createStringError(
                     "internal error: parameter '" + parts.front()->name +
                     "' has a layout, but its target no writer");
  }
  mlir::Type element = parameter.getType().getElementType();
  if (element.isBF16()) {
    return RowWriter<uint16_t>(os).parameter(parameter, parts);
  }
  if (element.isF16()) {
    return RowWriter<Half>(os).parameter(parameter, parts);
  }
  return RowWriter<float>(os).parameter(parameter, parts);
}
} // namespace

llvm::Error writeWeights(llvm::raw_ostream &os,
                         llvm::ArrayRef<WrittenParameters> tables,
                         StoredTensors stored, ProgressHandler progress) {
  std::map<int64_t, Placed> all; // by offset; several images may read one
  for (const WrittenParameters &table : tables) {
    for (StoredParameterAttr parameter : table.parameters) {
      all.try_emplace(parameter.getOffset(), Placed{parameter, table.writer});
    }
  }
  int64_t written = 0, done = 0;
  for (const auto &[offset, placed] : all) {
    progress("weights", static_cast<double>(done++) / all.size());
    llvm::SmallVector<const TensorView *> parts;
    for (auto name :
         placed.parameter.getNames().getAsRange<mlir::StringAttr>()) {
      parts.push_back(&stored(name));
    }
    if (offset < written) {
      return llvm::createStringError("internal error: parameter '" +
                                     parts.front()->name +
                                     "' lies on top of another");
    }
    os.write_zeros(offset - written);
    if (llvm::Error failed = write(os, placed, parts)) {
      return failed;
    }
    written = offset + placed.parameter.getBytes();
    for (const TensorView *part : parts) {
      part->release();
    }
  }
  progress("weights", 1);
  return llvm::Error::success();
}

} // namespace cheems
