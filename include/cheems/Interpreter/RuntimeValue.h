// What an SSA value is while a module is interpreted.
#ifndef CHEEMS_INTERPRETER_RUNTIMEVALUE_H
#define CHEEMS_INTERPRETER_RUNTIMEVALUE_H

#include "cheems/Reference/Tensor.h"
#include <memory>

namespace cheems::interpreter {

using reference::Tensor;

/// What ops write into: all that have it see that.
class Memory;

/// A tensor of any element type, memory, or a number: an integer for integers
/// and indices (i1 is 0 or 1), else a double. Elements of tensors of integers
/// are the same whole numbers. Nothing is rounded to the type but where an op
/// says so.
class RuntimeValue {
public:
  RuntimeValue() = default;
  RuntimeValue(std::shared_ptr<Memory> memory) : written(std::move(memory)) {}
  RuntimeValue(Tensor tensor)
      : shared(std::make_shared<const Tensor>(std::move(tensor))) {}
  RuntimeValue(double number) { real = number; }
  RuntimeValue(int64_t number) { integer = number; }

  bool isTensor() const { return shared != nullptr; }
  bool isMemory() const { return written != nullptr; }
  const Tensor &tensor() const { return *shared; }
  const std::shared_ptr<Memory> &memory() const { return written; }
  double asReal() const { return real; }
  int64_t asInteger() const { return integer; }

private:
  std::shared_ptr<const Tensor> shared;
  std::shared_ptr<Memory> written; ///< both null: a number
  union {
    double real;
    int64_t integer = 0;
  };
};

/// What `tensor.empty` holds: a NaN that no arithmetic on numbers gives.
double uninitialised();
bool isUninitialised(double value);

/// A tensor of them.
Tensor emptyTensor(llvm::ArrayRef<int64_t> shape);

} // namespace cheems::interpreter

#endif
