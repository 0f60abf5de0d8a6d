// Which products one launch computes, and what becomes of their sums.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PRODUCTGROUP_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PRODUCTGROUP_H

#include "Elementwise.h"
#include "Strategy.h"

namespace cheems::tile {

/// Which kernel computes a product.
enum class ProductForm { ManyRows, FewRows, F32 };

/// Whether the op is y[t, n] = sum_k x[t, k] * w[n, k] from zero, of types that
/// kernels have.
bool isLinear(linalg::MatmulOp op);

/// Products of one input whose sums a block has together, and what becomes of
/// them.
struct ProductChain {
  SmallVector<linalg::MatmulOp> products;
  linalg::GenericOp after; ///< may be null

  Value x() const { return products[0]->getOperand(0); }
  Value weight(size_t i) const { return products[i]->getOperand(1); }
  int64_t outputs() const { return weightType().getDimSize(0); }
  int64_t depth() const { return weightType().getDimSize(1); }
  Operation *last() const {
    linalg::GenericOp op = after;
    linalg::MatmulOp product = products[0];
    return op ? op.getOperation() : product.getOperation();
  }
  ProductForm form() const;
  /// Where the result is written to.
  Value out() const;
  /// What `after` reads besides the sums.
  SmallVector<Value> others() const;

private:
  RankedTensorType weightType() const {
    return cast<RankedTensorType>(weight(0).getType());
  }
};

/// The products that `op` reads and that a block may compute: at most two, of
/// one input.
ProductChain chainBefore(linalg::GenericOp op);

/// Chains of one launch: each block computes one of them.
struct ProductGroup {
  SmallVector<ProductChain> chains;
  Operation *at; ///< the launch comes in front of it

  /// All chains of the input of `chain` whose tiles are the same.
  static ProductGroup around(const ProductChain &chain,
                             const Strategy &strategy);
};

} // namespace cheems::tile

#endif
