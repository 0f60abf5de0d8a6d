// Slices of tensors.
#ifndef CHEEMS_LIB_INTERPRETER_SLICES_H
#define CHEEMS_LIB_INTERPRETER_SLICES_H

#include "Elements.h"
#include "Frame.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace cheems::interpreter {

/// Returns where a slice's elements lie in a tensor of `shape`; none, with an
/// error, where it is not inside.
std::optional<std::vector<int64_t>>
sliceOffsets(mlir::OffsetSizeAndStrideOpInterface op,
             llvm::ArrayRef<int64_t> shape, Frame &f);

/// The slice's shape without the dimensions dropped.
llvm::SmallVector<int64_t> sliceShape(mlir::OffsetSizeAndStrideOpInterface op,
                                      const llvm::SmallBitVector &dropped,
                                      Frame &f);

/// Puts `source` where the op says; `dropped` are dimensions that it lacks.
void insertSlice(mlir::OffsetSizeAndStrideOpInterface op,
                 const llvm::SmallBitVector &dropped, const Tensor &source,
                 Tensor &into, Frame &f);

} // namespace cheems::interpreter

#endif
