// Numbers in memory, as kernels take them.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_ARRAY_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_ARRAY_H

#include "cheems/Reference/Tensor.h"
#include "mlir/IR/Types.h"

namespace cheems::test {

enum class Number { F32, BF16, F16, I32, I8 };
size_t sizeOf(Number number);
bool isInteger(Number number);
/// Returns the Number of an element type; fails where kernels have none such.
Number numberOf(mlir::Type type);
/// The nearest value that it has, ties to even.
double nearest(double value, Number number);

/// A dense row-major array in the host's memory.
class Array {
public:
  /// All bytes 0xff: NaN, or -1.
  Array(Number number, llvm::ArrayRef<int64_t> shape);
  /// Values are rounded.
  Array(Number number, const reference::Tensor &values);

  Number number() const { return kind; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  int64_t elements() const {
    return static_cast<int64_t>(memory.size() / sizeOf(kind));
  }
  double get(int64_t index) const;
  void set(int64_t index, double value);
  reference::Tensor tensor() const;
  std::vector<unsigned char> &bytes() { return memory; }
  const std::vector<unsigned char> &bytes() const { return memory; }

private:
  Number kind;
  llvm::SmallVector<int64_t, 4> extents;
  std::vector<unsigned char> memory;
};

} // namespace cheems::test

#endif
