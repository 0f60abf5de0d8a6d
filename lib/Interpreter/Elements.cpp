// Offsets of elements in row-major tensors.
#include "Elements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace cheems::interpreter {

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(shape[d]);
  }
  return text + "]";
}

std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t place) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = place % shape[d];
    place /= shape[d];
  }
  return shapeText(index);
}

int64_t elementsOf(llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape) {
    product *= extent;
  }
  return product;
}

std::optional<int64_t> offsetOf(llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> index) {
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) {
      return std::nullopt;
    }
    place = place * shape[d] + index[d];
  }
  return place;
}

void forEachIndex(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit) {
  if (llvm::any_of(extents, [](int64_t extent) { return extent <= 0; })) {
    return;
  }
  llvm::SmallVector<int64_t> index(extents.size(), 0);
  while (visit(index)) {
    size_t d = extents.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) {
      index[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

std::optional<std::vector<int64_t>> offsetsOf(llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> offsets,
                                              llvm::ArrayRef<int64_t> sizes,
                                              llvm::ArrayRef<int64_t> strides) {
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t last = offsets[d] + (sizes[d] - 1) * strides[d];
    bool inside = sizes[d] == 0 || (offsets[d] >= 0 && offsets[d] < shape[d] &&
                                    last >= 0 && last < shape[d]);
    if (sizes[d] < 0 || !inside) {
      return std::nullopt;
    }
  }
  std::vector<int64_t> indices;
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    int64_t place = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      place = place * shape[d] + offsets[d] + index[d] * strides[d];
    }
    indices.push_back(place);
    return true;
  });
  return indices;
}

} // namespace cheems::interpreter
