// Operands of kernels under test, in memory that notices what must not happen
// to it.
#ifndef CHEEMS_TEST_UNIT_KERNELS_BUFFER_H
#define CHEEMS_TEST_UNIT_KERNELS_BUFFER_H

#include "cheems/Reference/Tensor.h"
#include <vector>

namespace cheems::test {

enum class Element { F32, BF16, I8, U8, I32, Index };
size_t sizeOf(Element element);
/// Returns the spelling of the type in IR.
const char *spelling(Element element);
/// The nearest value of a type of floats or bytes, ties to even.
double rounded(double value, Element element);

/// Bytes that end where a page begins that faults on any access, after a page
/// that must keep its pattern.
class GuardedMemory {
public:
  /// All bytes 0xff: NaN in every float type, -1 in every integer type. The
  /// first byte is aligned to `alignment` (a power of two up to a page); up to
  /// alignment - 1 bytes before the faulting page belong to the pattern.
  GuardedMemory(size_t bytes, size_t alignment);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  unsigned char *data() const { return begin; }
  size_t size() const { return bytes; }
  /// Writing faults from now on.
  void protect();
  /// Nothing outside was written.
  bool intact() const;

private:
  unsigned char *mapping = nullptr, *begin = nullptr;
  size_t mapped = 0, bytes = 0;
};

/// A dense row-major array that a memref describes; aligned to its element
/// only.
class Buffer {
public:
  Buffer(Element element, llvm::ArrayRef<int64_t> shape);
  /// `values` are exact in `element`.
  Buffer(Element element, const reference::Tensor &values);
  static Buffer number(int64_t value);

  int64_t elements() const {
    return static_cast<int64_t>(memory.size() / sizeOf(element));
  }
  double get(int64_t index) const;
  void set(int64_t index, double value);
  llvm::ArrayRef<unsigned char> bytes() const {
    return {memory.data(), memory.size()};
  }
  bool intact() const { return memory.intact(); }
  /// Base twice, offset, sizes, strides: what a C interface of MLIR takes a
  /// pointer to.
  std::vector<int64_t> descriptor() const;

private:
  Element element;
  llvm::SmallVector<int64_t, 4> shape;
  GuardedMemory memory;
};

/// The memref descriptor of a row-major array at `data`.
std::vector<int64_t> describe(void *data, llvm::ArrayRef<int64_t> shape);

} // namespace cheems::test

#endif
