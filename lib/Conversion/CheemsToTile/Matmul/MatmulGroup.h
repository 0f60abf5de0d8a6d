// Which matmuls one launch computes, and what becomes of their sums.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULGROUP_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULGROUP_H

#include "Builder/Elementwise.h"
#include "Strategy/Strategy.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems::tile {

/// Which kernel computes a matmul.
enum class MatmulForm { ManyRows, FewRows, F32, Quantized, QuantizedFewRows };

/// A linalg.matmul or a cheems_tile.quantized_matmul.
struct Product {
  Operation *op;

  /// Null if `op` is none that kernels have: y[t, n] = sum_k x[t, k] * w[n, k]
  /// from zero.
  static Product of(Operation *op);
  explicit operator bool() const { return op; }

  bool isQuantized() const { return isa<QuantizedMatmulOp>(op); }
  /// The factors, and of quantized values the scales.
  ValueRange inputs() const {
    return op->getOperands().take_front(isQuantized() ? 2 : 1);
  }
  ValueRange weights() const {
    return op->getOperands().slice(isQuantized() ? 2 : 1,
                                   isQuantized() ? 2 : 1);
  }
  Value x() const { return op->getOperand(0); }
  RankedTensorType matrix() const {
    return cast<RankedTensorType>(weights()[0].getType());
  }
  int64_t depth() const {
    return cast<RankedTensorType>(x().getType()).getDimSize(1);
  }
  /// Memory for the sums, whatever it holds.
  Value target() const;
  /// Whether a block may compute both.
  bool isLike(Product other) const;
};

/// Matmuls of one input whose sums a block has together, and what becomes of
/// them.
struct MatmulChain {
  SmallVector<Product> products;
  linalg::GenericOp after; ///< may be null

  Value x() const { return products[0].x(); }
  ValueRange inputs() const { return products[0].inputs(); }
  int64_t outputs() const { return products[0].matrix().getDimSize(0); }
  int64_t depth() const { return products[0].depth(); }
  /// Bytes that divide a row of x, at most those of an access.
  int64_t alignment() const {
    return alignmentOf(depth(), getElementTypeOrSelf(x()));
  }
  Operation *last() const {
    linalg::GenericOp op = after;
    return op ? op.getOperation() : products[0].op;
  }
  MatmulForm form() const;
  /// Whether `op` is one of the matmuls of the chain. The elementwise op after
  /// a matmul may have only other matmuls in its chain.
  bool has(Operation *op) const;
  /// All of them, in the order of the block.
  SmallVector<Operation *> ops() const;
  /// Returns the strategy of the first matmul. Matmuls of one launch have that
  /// of the first chain.
  MatmulStrategyAttr strategy() const {
    return strategyOf<MatmulStrategyAttr>(products[0].op);
  }
  /// Returns the tensor that the result is written to.
  Value out() const;
  /// What `after` reads besides the sums.
  SmallVector<Value> others() const;
};

/// The matmuls that `op` reads and that a block may compute: at most two, of
/// one input.
MatmulChain chainBefore(linalg::GenericOp op);

/// The matmul with the elementwise op that alone reads it, and another matmul
/// of that op.
MatmulChain chainOf(Product product);

/// Whether a launch before `at` can have the chain: all but x is there.
bool canBeAt(const MatmulChain &chain, Operation *at);

/// Chains of one launch: each block computes one of them.
struct MatmulGroup {
  SmallVector<MatmulChain> chains;
  Operation *at; ///< the launch comes before it

  /// All chains of the input of `chain` for which the strategy has the same
  /// tiles.
  static MatmulGroup around(const MatmulChain &chain, const Strategy &strategy);
  /// The chains of a group of kind `matmuls`. None if one launch cannot have
  /// all.
  static MatmulGroup of(GroupOp group);

  /// The matmul that has the strategy of all.
  Operation *root() const { return chains.front().products[0].op; }
  SmallVector<Operation *> ops() const;
};

/// Whether launches before `at` can have all matmuls.
bool canBeAt(ArrayRef<MatmulGroup> groups, Operation *at);

/// The one result of a group that is `value` of its body. Null if there is
/// none, or several.
Value resultOf(GroupOp group, Value value);

/// The groups of matmuls of a form whose inputs are `rows`, in order. None if
/// something else reads these, or nothing does.
std::optional<SmallVector<GroupOp>> matmulsThatRead(ValueRange rows,
                                                    MatmulForm form);

} // namespace cheems::tile

#endif
