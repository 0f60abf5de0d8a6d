// Executes a module of cheems ops with the evaluators of lib/Reference.
#ifndef CHEEMS_INTERPRETER_INTERPRETER_H
#define CHEEMS_INTERPRETER_INTERPRETER_H

#include "cheems/Import/SafeTensors.h"
#include "cheems/Interpreter/Choices.h"
#include "cheems/Interpreter/RuntimeValue.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include <functional>

namespace cheems::interpreter {

class Handlers;

/// The weight of a name, or null.
using StoredWeights = std::function<const TensorView *(llvm::StringRef)>;

class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, StoredWeights weights);
  ~Interpreter();
  Interpreter(const Interpreter &) = delete;

  /// Runs a function of the module. Values are in the order of arguments and
  /// results. An op that cannot be interpreted, or is given what its
  /// specification forbids, is an error at that op.
  mlir::FailureOr<llvm::SmallVector<RuntimeValue>>
  call(mlir::func::FuncOp function, llvm::ArrayRef<RuntimeValue> arguments);

  /// Ops note what they choose, and follow what is given; null: neither.
  Choices *choices = nullptr;

private:
  friend class Frame;
  mlir::ModuleOp module;
  StoredWeights weights;
  std::unique_ptr<Handlers> handlers;
  mlir::SymbolTableCollection symbols;
  int64_t depth = 0; ///< of calls
};

} // namespace cheems::interpreter

#endif
