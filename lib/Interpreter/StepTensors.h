// What a function's arguments and results are called in files.
#ifndef CHEEMS_LIB_INTERPRETER_STEPTENSORS_H
#define CHEEMS_LIB_INTERPRETER_STEPTENSORS_H

#include "TensorFile.h"
#include "cheems/Interpreter/RuntimeValue.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cheems::interpreter {

/// The arguments of a function, by their names in the files. Pools that are not
/// there are empty.
mlir::FailureOr<llvm::SmallVector<RuntimeValue>>
readArguments(mlir::func::FuncOp function,
              llvm::ArrayRef<SafeTensorsFile> files);

/// The results, by their names; an element that was never written is an error.
mlir::FailureOr<std::vector<NamedTensor>>
nameResults(mlir::func::FuncOp function, llvm::ArrayRef<RuntimeValue> results);

} // namespace cheems::interpreter

#endif
