// Offsets of elements in row-major tensors.
#ifndef CHEEMS_LIB_INTERPRETER_ELEMENTS_H
#define CHEEMS_LIB_INTERPRETER_ELEMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::interpreter {

/// "[2, 3]"
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// The indices of an offset: "[0, 2]".
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t place);

int64_t elementsOf(llvm::ArrayRef<int64_t> shape);
/// None where an index is outside.
std::optional<int64_t> offsetOf(llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> index);

/// All indices below `extents`, the last running fastest, while `visit` says
/// true.
void forEachIndex(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit);

/// The offsets of a slice's elements, the last index running fastest; none
/// where the slice is not inside.
std::optional<std::vector<int64_t>> offsetsOf(llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> offsets,
                                              llvm::ArrayRef<int64_t> sizes,
                                              llvm::ArrayRef<int64_t> strides);

} // namespace cheems::interpreter

#endif
