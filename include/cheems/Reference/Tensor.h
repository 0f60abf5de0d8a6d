// The one data type of the reference evaluators: a dense row-major tensor of
// doubles.
#ifndef CHEEMS_REFERENCE_TENSOR_H
#define CHEEMS_REFERENCE_TENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace cheems {
struct TensorView;
} // namespace cheems

namespace cheems::reference {

/// Owns its elements. Indexing `x(i, j, k)` takes one index a dimension;
/// indices are checked by assertions only.
struct Tensor {
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<double> data;

  Tensor() = default;
  /// All zeros.
  explicit Tensor(llvm::ArrayRef<int64_t> extents)
      : shape(extents), data(elements(extents)) {}
  /// `values` in row-major order, as many as the shape holds.
  Tensor(llvm::ArrayRef<int64_t> extents, std::vector<double> values)
      : shape(extents), data(std::move(values)) {
    assert(static_cast<int64_t>(data.size()) == elements(extents));
  }
  /// A stored tensor, widened; exact for every floating-point type.
  static Tensor from(const TensorView &view);

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }

  template <typename... Indices> double &operator()(Indices... indices) {
    return data[offset({static_cast<int64_t>(indices)...})];
  }
  template <typename... Indices> double operator()(Indices... indices) const {
    return data[offset({static_cast<int64_t>(indices)...})];
  }

  /// The same elements under another shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> extents) const {
    return Tensor(extents, data);
  }

  /// Entries [from, from + count) of the first dimension.
  Tensor rows(int64_t from, int64_t count) const {
    llvm::SmallVector<int64_t, 4> part = shape;
    part[0] = count;
    int64_t size = elements(llvm::ArrayRef<int64_t>(shape).drop_front());
    auto first = data.begin() + from * size;
    return Tensor(part, {first, first + count * size});
  }

private:
  static int64_t elements(llvm::ArrayRef<int64_t> extents) {
    int64_t product = 1;
    for (int64_t extent : extents) {
      product *= extent;
    }
    return product;
  }
  size_t offset(std::initializer_list<int64_t> indices) const {
    assert(indices.size() == shape.size());
    int64_t flat = 0;
    const int64_t *extent = shape.begin();
    for (int64_t index : indices) {
      assert(index >= 0 && index < *extent);
      flat = flat * *extent++ + index;
    }
    return static_cast<size_t>(flat);
  }
};

} // namespace cheems::reference

#endif
