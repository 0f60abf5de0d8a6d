// Tensors out of safetensors files and into one.
#ifndef CHEEMS_LIB_INTERPRETER_TENSORFILE_H
#define CHEEMS_LIB_INTERPRETER_TENSORFILE_H

#include "cheems/Import/SafeTensors.h"
#include "cheems/Reference/Tensor.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace cheems::interpreter {

using reference::Tensor;

/// A stored tensor as one of elements of a type, which have to hold its
/// numbers.
llvm::Expected<Tensor> readTensor(const TensorView &view, mlir::Type element);

struct NamedTensor {
  std::string name;
  DType type;
  Tensor tensor;
};

/// What a tensor of such elements is written as; none where nothing can be.
std::optional<DType> storedType(mlir::Type element);

/// Writes a file of that name once all is in it.
llvm::Error writeTensors(llvm::StringRef path,
                         llvm::ArrayRef<NamedTensor> tensors);

} // namespace cheems::interpreter

#endif
