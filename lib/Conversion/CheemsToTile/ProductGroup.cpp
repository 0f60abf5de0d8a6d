// Finds products that one launch may compute.
#include "ProductGroup.h"

using namespace mlir;
using namespace cheems::tile;

/// Whether `value` is zero everywhere.
static bool isZero(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

bool cheems::tile::isLinear(linalg::MatmulOp op) {
  MLIRContext *context = op.getContext();
  AffineExpr t, n, k;
  bindDims(context, t, n, k);
  SmallVector<AffineMap> wanted = {AffineMap::get(3, 0, {t, k}, context),
                                   AffineMap::get(3, 0, {n, k}, context),
                                   AffineMap::get(3, 0, {t, n}, context)};
  if (!op.hasPureTensorSemantics() || op.getIndexingMapsArray() != wanted ||
      !isZero(op.getDpsInits()[0])) {
    return false;
  }
  auto x = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto w = cast<RankedTensorType>(op.getDpsInputs()[1].getType());
  Type element = w.getElementType();
  return w.hasStaticShape() && x.getElementType() == element &&
         getElementTypeOrSelf(op.getResult(0)).isF32() &&
         (element.isF32() || element.isF16() || element.isBF16());
}

ProductForm ProductChain::form() const {
  return weightType().getElementType().isF32() ? ProductForm::F32
         : hasFewRows(last())                  ? ProductForm::FewRows
                                               : ProductForm::ManyRows;
}

Value ProductChain::out() const {
  Value out = last()->getOperand(last()->getNumOperands() - 1);
  // Sums alone are stored where zeros were to be.
  return after ? out : out.getDefiningOp<linalg::FillOp>().getOutputs()[0];
}

SmallVector<Value> ProductChain::others() const {
  SmallVector<Value> others;
  linalg::GenericOp op = after;
  if (op) {
    llvm::copy_if(op.getInputs(), std::back_inserter(others), [&](Value value) {
      return !llvm::is_contained(products, value.getDefiningOp());
    });
  }
  return others;
}

/// A product that only `user` reads.
static linalg::MatmulOp productFor(Value operand, Operation *user) {
  auto product = operand.getDefiningOp<linalg::MatmulOp>();
  return product && isLinear(product) && operand.hasOneUse() &&
                 product->getBlock() == user->getBlock()
             ? product
             : linalg::MatmulOp();
}

ProductChain cheems::tile::chainBefore(linalg::GenericOp op) {
  ProductChain chain;
  chain.after = op;
  if (!isElementwise(op)) {
    return chain;
  }
  for (Value operand : op.getInputs()) {
    linalg::MatmulOp product = productFor(operand, op);
    bool fits =
        product &&
        (chain.products.empty() ||
         (chain.products.size() == 1 && product->getOperand(0) == chain.x() &&
          product->getOperand(1).getType() == chain.weight(0).getType()));
    if (fits) {
      chain.products.push_back(product);
    }
  }
  return chain;
}

static bool haveSameTiles(const ProductChain &a, const ProductChain &c,
                          const Strategy &strategy) {
  if (a.form() != ProductForm::ManyRows) {
    return true; // the form and k alone say what they are
  }
  return strategy.product(a.outputs(), 1)
      .hasSameTiles(strategy.product(c.outputs(), 1));
}

/// Whether `value` is there in front of `at`.
static bool isThere(Value value, Operation *at) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != at->getBlock() || op->isBeforeInBlock(at);
}

/// Whether a launch in front of `at` can have the chain.
static bool canBeAt(const ProductChain &chain, Operation *at) {
  auto isThereNow = [&](Value value) { return isThere(value, at); };
  SmallVector<Value> wanted = chain.others();
  wanted.push_back(chain.weight(0));
  // Memory without values can be made earlier.
  auto empty = chain.out().getDefiningOp<tensor::EmptyOp>();
  if (empty) {
    llvm::append_range(wanted, empty.getDynamicSizes());
  } else {
    wanted.push_back(chain.out());
  }
  return llvm::all_of(wanted, isThereNow);
}

ProductGroup ProductGroup::around(const ProductChain &chain,
                                  const Strategy &strategy) {
  ProductGroup group{{chain}, chain.last()};
  Block *block = group.at->getBlock();
  if (chain.products.size() > 1) {
    return group;
  }
  for (Operation *user : chain.x().getUsers()) {
    auto product = dyn_cast<linalg::MatmulOp>(user);
    if (!product || product == chain.products[0] ||
        product->getBlock() != block || product->getOperand(0) != chain.x() ||
        !isLinear(product)) {
      continue;
    }
    ProductChain other{{product}, {}};
    if (linalg::GenericOp after = onlyElementwiseUse(product.getResult(0))) {
      other = chainBefore(after);
    }
    if (other.products.size() == 1 && other.last()->getBlock() == block &&
        haveSameTiles(chain, other, strategy)) {
      group.chains.push_back(other);
    }
  }
  auto isBefore = [](const ProductChain &a, const ProductChain &c) {
    return a.last()->isBeforeInBlock(c.last());
  };
  llvm::sort(group.chains, isBefore);
  group.at = group.chains.front().last();
  llvm::erase_if(group.chains, [&](const ProductChain &one) {
    return !canBeAt(one, group.at);
  });
  // Without the chain itself it is alone.
  bool isIn = llvm::any_of(group.chains, [&](const ProductChain &one) {
    return one.last() == chain.last();
  });
  return isIn ? group : ProductGroup{{chain}, chain.last()};
}
