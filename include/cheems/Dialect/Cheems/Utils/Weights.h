// How parameters reach their uses through the arguments of layer functions.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_WEIGHTS_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_WEIGHTS_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cheems {

/// True if `use` is the right operand [N, K] of a matmul y[m, n] = sum_k x[m,
/// k] * w[n, k].
bool isTransposedWeight(OpOperand &use);

/// Parameters and function arguments that must keep one type: an argument is in
/// the group of every parameter passed to it.
class WeightUses {
public:
  struct Group {
    SmallVector<ParameterOp> parameters;
    SmallVector<Value> values; ///< the parameters' results and the arguments
    SmallVector<OpOperand *>
        leaves; ///< uses that are not passing on to a function
    Type type() const { return values.front().getType(); }
    /// A parameter's dimensions are not the stored ones: its rows are no rows
    /// of the checkpoint's, so they neither merge nor are packed.
    bool permuted() const;
    /// The format of a matrix that is to be rounded: the first marked
    /// parameter's, or null.
    QuantizedAttr quantized() const;
    /// Retypes every value, and the signatures of the functions.
    void setType(Type type);
    /// What was `other`'s is now this weight's, value by value, in locations
    /// too.
    void takeLocations(const Group &other);
    /// The weight becomes integers, and its scales stand beside it everywhere:
    /// as parameters, as last arguments of functions, in calls. Returns the
    /// scales of each value.
    llvm::DenseMap<Value, Value> split(RankedTensorType codes,
                                       RankedTensorType scales,
                                       LayoutAttrInterface layout);
  };

  explicit WeightUses(ModuleOp module);
  MutableArrayRef<Group> groups() { return all; }

private:
  SmallVector<Group> all;
};

/// Erases parameters without a use, and arguments of private functions with
/// what is passed for them: what is left of weights that became one.
void eraseUnusedWeights(ModuleOp module);

} // namespace cheems

#endif
