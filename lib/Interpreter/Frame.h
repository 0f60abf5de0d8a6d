// The values of one function while it runs, and what handlers do with them.
#ifndef CHEEMS_LIB_INTERPRETER_FRAME_H
#define CHEEMS_LIB_INTERPRETER_FRAME_H

#include "cheems/Interpreter/Interpreter.h"
#include "llvm/ADT/DenseMap.h"

namespace cheems::interpreter {

struct TileBlock;

/// The first failure stops the run. Until a handler returns it may go on with
/// what it is given; it looks at failed() before it takes elements for indices.
class Frame {
public:
  Frame(Interpreter &interpreter, mlir::Operation *function)
      : interpreter(interpreter), current(function) {}

  /// Runs a block, whose arguments are set, and returns what its terminator
  /// hands on.
  llvm::SmallVector<RuntimeValue> run(mlir::Block &block);
  llvm::SmallVector<RuntimeValue> run(mlir::Block &block,
                                      llvm::ArrayRef<RuntimeValue> arguments);

  bool failed() const { return failure; }
  /// An error at the op that runs.
  mlir::InFlightDiagnostic fail();
  /// The error is reported already.
  void stop() { failure = true; }

  const RuntimeValue &value(mlir::Value of) const;
  Memory &memory(mlir::Value of) const { return *value(of).memory(); }
  /// Returns the tensor as it is, written or not.
  const Tensor &tensor(mlir::Value of) const { return value(of).tensor(); }
  /// An operand that is read as a whole.
  const Tensor &read(mlir::Value of);
  /// The same of integers: zeros once something has failed.
  std::vector<int64_t> readIntegers(mlir::Value of);
  /// An element of an operand, which is read.
  RuntimeValue element(mlir::Value of, int64_t place);
  /// A number as an element of a type, which a double has to hold.
  double elementOf(const RuntimeValue &number, mlir::Type type);
  double real(mlir::Value of) const { return value(of).asReal(); }
  int64_t integer(mlir::Value of) const { return value(of).asInteger(); }
  int64_t extent(mlir::OpFoldResult of) const;
  llvm::SmallVector<int64_t>
  extents(llvm::ArrayRef<mlir::OpFoldResult> of) const;

  /// A value's shape is one of its type, or the run fails.
  void set(mlir::Value of, RuntimeValue to);
  /// A result of a float type: bf16 and f16 are rounded.
  void setReal(mlir::Value of, double to);

  /// Calls a function of the module.
  llvm::SmallVector<RuntimeValue> call(mlir::func::FuncOp function,
                                       llvm::ArrayRef<RuntimeValue> arguments);
  /// Runs the only block of an op that sees no values outside it, as a block of
  /// a grid.
  void runIsolated(mlir::Operation *op, llvm::ArrayRef<RuntimeValue> arguments,
                   TileBlock &inGrid);
  /// Null where nothing has the name.
  mlir::Operation *symbol(mlir::SymbolRefAttr name);
  /// Null, with an error, where no function has the name.
  mlir::func::FuncOp function(mlir::SymbolRefAttr name);
  /// The same of a weight.
  const TensorView *weight(llvm::StringRef name);
  /// Returns where ops note what they choose; null where nobody asks.
  Choices *choices() const;
  /// What the op `name` is to choose, which has the shape; null: what it likes.
  const Tensor *given(const std::string &name, llvm::ArrayRef<int64_t> shape);

  /// These are the indices of the loops of the innermost structured op.
  llvm::ArrayRef<int64_t> loops;
  /// This is set in a kernel.
  TileBlock *tileBlock = nullptr;

private:
  /// Runs an op on tensors by their elements: on numbers, one after the other.
  void runByElements(mlir::Operation &op);
  bool mayBe(mlir::Type type, const RuntimeValue &value);

  Interpreter &interpreter;
  mlir::Operation *current; ///< the op that runs
  llvm::DenseMap<mlir::Value, RuntimeValue> values;
  bool failure = false;
};

/// An element as a number of a type.
RuntimeValue numberOf(double element, mlir::Type type);

} // namespace cheems::interpreter

#endif
