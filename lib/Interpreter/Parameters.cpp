// Named weights: joined, transposed, in panels, converted to their type.
#include "Parameters.h"
#include "Elements.h"
#include "Handlers.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

namespace cheems::interpreter {
using namespace mlir;

/// One below the other, or with `by_columns` row after row of all.
static Tensor joined(ArrayRef<Tensor> parts, bool byColumns) {
  SmallVector<int64_t, 4> shape = parts.front().shape;
  int64_t &grows = byColumns ? shape.back() : shape.front();
  grows = 0;
  for (const Tensor &part : parts) {
    grows += byColumns ? part.shape.back() : part.shape.front();
  }
  Tensor whole(shape);
  auto to = whole.data.begin();
  for (int64_t row = 0; byColumns && row < shape.front(); ++row) {
    for (const Tensor &part : parts) {
      to = llvm::copy(part.rows(row, 1).data, to);
    }
  }
  for (const Tensor &part : parts) {
    to = byColumns ? to : llvm::copy(part.data, to);
  }
  return whole;
}

std::optional<Tensor> storedWeight(ParameterOp op, Frame &f) {
  bool byColumns = op.getByColumns();
  std::vector<Tensor> parts;
  for (auto name : op.getNames().getAsRange<StringAttr>()) {
    const TensorView *view = f.weight(name.getValue());
    if (!view) {
      return std::nullopt;
    }
    ArrayRef<int64_t> shape = view->shape;
    ArrayRef<int64_t> first =
        parts.empty() ? shape : ArrayRef<int64_t>(parts.front().shape);
    bool fits = shape.size() == first.size() && !shape.empty() &&
                (byColumns ? shape.drop_back() == first.drop_back()
                           : shape.drop_front() == first.drop_front());
    if (!fits) {
      f.fail() << "joins the weight '" << name.getValue() << "' of shape "
               << shapeText(shape) << " to one of " << shapeText(first);
      return std::nullopt;
    }
    parts.push_back(Tensor::from(*view));
  }
  return joined(parts, byColumns);
}

/// Dimension d of the result is dimension order[d] of `x`.
static Tensor permuted(const Tensor &x, ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (int64_t d : order) {
    shape.push_back(x.shape[d]);
  }
  Tensor result(shape);
  auto to = result.data.begin();
  SmallVector<int64_t> from(order.size());
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    for (auto [d, source] : llvm::enumerate(order)) {
      from[source] = index[d];
    }
    *to++ = x.data[*offsetOf(x.shape, from)];
    return true;
  });
  return result;
}

/// Matrices of the last two dimensions in panels; rows past the last are zero.
static Tensor packed(const Tensor &x, int64_t height, int64_t pair) {
  ArrayRef<int64_t> shape(x.shape);
  int64_t rows = shape[x.rank() - 2], columns = shape.back(),
          panels = llvm::divideCeilSigned(rows, height),
          matrices = elementsOf(shape.drop_back(2));
  SmallVector<int64_t> whole(shape.drop_back(2));
  whole.append({panels, columns / pair, height, pair});
  Tensor result(whole);
  for (int64_t m = 0; m < matrices; ++m) {
    for (int64_t n = 0; n < rows; ++n) {
      for (int64_t k = 0; k < columns; ++k) {
        int64_t panel = (m * panels + n / height) * (columns / pair) + k / pair;
        result.data[(panel * height + n % height) * pair + k % pair] =
            x.data[(m * rows + n) * columns + k];
      }
    }
  }
  return result;
}

/// Rounded to nearest even; what the type has stays as it is.
static double converted(double value, Type element) {
  auto narrow = static_cast<float>(value);
  if (element.isF32()) {
    return narrow;
  }
  llvm::APFloat rounded(narrow);
  bool loses;
  rounded.convert(element.isBF16() ? llvm::APFloat::BFloat()
                                   : llvm::APFloat::IEEEhalf(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
  return rounded.convertToDouble();
}

static void parameter(ParameterOp op, Frame &f) {
  auto panels = dyn_cast_or_null<cpu::PanelsAttr>(op.getLayoutAttr());
  if (op.getLayoutAttr() && !panels && !op.getQuantizedAttr()) {
    f.fail() << "cannot be interpreted in the layout " << op.getLayoutAttr();
    return;
  }
  auto quantized = op.getQuantizedAttr();
  if (quantized && quantized.getPart() != QuantizedPart::Matrix) {
    quantizedParameter(op, f);
    return;
  }
  Type element = op.getType().getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16()) {
    f.fail() << "cannot be interpreted as weights of " << element;
    return;
  }
  std::optional<Tensor> whole = storedWeight(op, f);
  if (!whole) {
    return;
  }
  if (auto order = op.getPermute()) {
    if (static_cast<int64_t>(order->size()) != whole->rank()) {
      f.fail() << "permutes " << order->size() << " dimensions of "
               << shapeText(whole->shape);
      return;
    }
    whole = permuted(*whole, *order);
  }
  if (panels) {
    if (whole->rank() < 2 || whole->shape.back() % panels.getPair() != 0) {
      f.fail() << "has no panels of " << shapeText(whole->shape);
      return;
    }
    whole = packed(*whole, panels.getRows(), panels.getPair());
  }
  for (double &value : whole->data) {
    value = converted(value, element);
  }
  f.set(op.getResult(), std::move(*whole));
}

void addParameters(Handlers &handlers) { handlers.add<ParameterOp>(parameter); }

} // namespace cheems::interpreter
