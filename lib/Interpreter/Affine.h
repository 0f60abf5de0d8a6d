// Affine expressions of numbers.
#ifndef CHEEMS_LIB_INTERPRETER_AFFINE_H
#define CHEEMS_LIB_INTERPRETER_AFFINE_H

#include "mlir/IR/AffineMap.h"

namespace cheems::interpreter {

int64_t evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dimensions,
                 llvm::ArrayRef<int64_t> symbols = {});
llvm::SmallVector<int64_t> evaluate(mlir::AffineMap map,
                                    llvm::ArrayRef<int64_t> dimensions,
                                    llvm::ArrayRef<int64_t> symbols = {});

} // namespace cheems::interpreter

#endif
