// Finds matmuls that one launch may compute.
#include "MatmulGroup.h"
#include "Strategy/SelectStrategy.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Whether the op is x times a matrix of weights, of types that kernels have.
static bool isLinear(linalg::MatmulOp op) {
  MLIRContext *context = op.getContext();
  AffineExpr t, n, k;
  bindDims(context, t, n, k);
  SmallVector<AffineMap> wanted = {AffineMap::get(3, 0, {t, k}, context),
                                   AffineMap::get(3, 0, {n, k}, context),
                                   AffineMap::get(3, 0, {t, n}, context)};
  if (!op.hasPureTensorSemantics() || op.getIndexingMapsArray() != wanted ||
      !filledWithZeros(op.getDpsInits()[0])) {
    return false;
  }
  auto x = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto w = cast<RankedTensorType>(op.getDpsInputs()[1].getType());
  Type element = w.getElementType();
  return w.hasStaticShape() && x.getElementType() == element &&
         getElementTypeOrSelf(op.getResult(0)).isF32() &&
         (element.isF32() || element.isF16() || element.isBF16());
}

Product Product::of(Operation *op) {
  if (auto matmul = dyn_cast_or_null<linalg::MatmulOp>(op)) {
    return {isLinear(matmul) ? op : nullptr};
  }
  auto coded = dyn_cast_or_null<QuantizedMatmulOp>(op);
  // Kernels take 128 k of 4-bit integers at a time.
  bool has = coded && coded.hasPureTensorSemantics() &&
             cast<ShapedType>(coded.getCodes().getType()).hasStaticShape() &&
             (coded.getBits() == 8 ||
              QuantizedMatmulOp::kTogether % coded.getGroup() == 0);
  return {has ? op : nullptr};
}

Value Product::target() const {
  Value out = op->getOperand(op->getNumOperands() - 1);
  // Sums are stored where zeros were to be.
  return isQuantized() ? out : filledWithZeros(out);
}

bool Product::isLike(Product other) const {
  if (op->getName() != other.op->getName() || inputs() != other.inputs()) {
    return false;
  }
  auto one = dyn_cast<QuantizedMatmulOp>(op);
  return !one ||
         (one.getBits() == cast<QuantizedMatmulOp>(other.op).getBits() &&
          one.getGroup() == cast<QuantizedMatmulOp>(other.op).getGroup());
}

MatmulForm MatmulChain::form() const {
  bool few = hasFewRows(last());
  if (products[0].isQuantized()) {
    return few ? MatmulForm::QuantizedFewRows : MatmulForm::Quantized;
  }
  return products[0].matrix().getElementType().isF32() ? MatmulForm::F32
         : few                                         ? MatmulForm::FewRows
                                                       : MatmulForm::ManyRows;
}

SmallVector<Operation *> MatmulChain::ops() const {
  SmallVector<Operation *> ops;
  for (Product product : products) {
    ops.push_back(product.op);
  }
  if (linalg::GenericOp op = after) {
    ops.push_back(op);
  }
  return ops;
}

Value MatmulChain::out() const {
  linalg::GenericOp op = after;
  return op ? op.getOutputs()[0] : products[0].target();
}

SmallVector<Value> MatmulChain::others() const {
  SmallVector<Value> others;
  linalg::GenericOp op = after;
  if (op) {
    llvm::copy_if(op.getInputs(), std::back_inserter(others), [&](Value value) {
      return llvm::none_of(products, [&](const Product &each) {
        return each.op == value.getDefiningOp();
      });
    });
  }
  return others;
}

/// A matmul that only `user` reads.
static Product matmulFor(Value operand, Operation *user) {
  Product product = Product::of(operand.getDefiningOp());
  return product && operand.hasOneUse() &&
                 product.op->getBlock() == user->getBlock()
             ? product
             : Product{nullptr};
}

MatmulChain cheems::tile::chainBefore(linalg::GenericOp op) {
  MatmulChain chain;
  chain.after = op;
  if (!isElementwise(op)) {
    return chain;
  }
  for (Value operand : op.getInputs()) {
    Product product = matmulFor(operand, op);
    bool fits = product && (chain.products.empty() ||
                            (chain.products.size() == 1 &&
                             product.isLike(chain.products[0]) &&
                             product.matrix() == chain.products[0].matrix()));
    if (fits) {
      chain.products.push_back(product);
    }
  }
  return chain;
}

MatmulChain cheems::tile::chainOf(Product product) {
  linalg::GenericOp after = onlyElementwiseUse(product.op->getResult(0));
  return after ? chainBefore(after) : MatmulChain{{product}, {}};
}

/// Whether two chains can share tiles. If rows are few, the form and k alone
/// say what the tiles are.
static bool haveSameTiles(const MatmulChain &a, const MatmulChain &c,
                          const Strategy &strategy) {
  MatmulTileAttr one = strategyOfMatmuls(a, strategy).getMany();
  return !one || one.hasSameTiles(strategyOfMatmuls(c, strategy).getMany());
}

/// Whether `value` is there before `at`.
static bool isThere(Value value, Operation *at) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != at->getBlock() || op->isBeforeInBlock(at);
}

bool cheems::tile::canBeAt(const MatmulChain &chain, Operation *at) {
  auto isThereNow = [&](Value value) { return isThere(value, at); };
  SmallVector<Value> wanted = chain.others();
  for (Product product : chain.products) {
    llvm::append_range(wanted, product.weights());
  }
  // Memory without values can be made earlier.
  auto empty = chain.out().getDefiningOp<tensor::EmptyOp>();
  if (empty) {
    llvm::append_range(wanted, empty.getDynamicSizes());
  } else {
    wanted.push_back(chain.out());
  }
  return llvm::all_of(wanted, isThereNow);
}

bool cheems::tile::canBeAt(ArrayRef<MatmulGroup> groups, Operation *at) {
  return llvm::all_of(groups, [&](const MatmulGroup &group) {
    return llvm::all_of(
        group.chains, [&](const MatmulChain &one) { return canBeAt(one, at); });
  });
}

static bool isBefore(const MatmulChain &a, const MatmulChain &c) {
  return a.last()->isBeforeInBlock(c.last());
}

/// If rows are many, chains share buffers for one tile of weights. If
/// rows are few, no chain has any.
static bool fitsBesideOthers(const MatmulChain &chain) {
  MatmulForm form = chain.form();
  return chain.products.size() == 1 || form == MatmulForm::FewRows ||
         form == MatmulForm::QuantizedFewRows;
}

bool MatmulChain::has(Operation *op) const {
  return llvm::any_of(products, [&](Product each) { return each.op == op; });
}

static bool contains(ArrayRef<MatmulChain> chains, const MatmulChain &chain) {
  return llvm::any_of(chains, [&](const MatmulChain &one) {
    return one.last() == chain.last();
  });
}

MatmulGroup MatmulGroup::of(GroupOp group) {
  MatmulGroup found{{}, nullptr};
  for (Operation *root : group.getRoots()) {
    Product product = Product::of(root);
    if (!product) {
      continue;
    }
    MatmulChain chain = chainOf(product);
    if (chain.has(root) && !contains(found.chains, chain)) {
      found.chains.push_back(chain);
    }
  }
  if (found.chains.empty()) {
    return found;
  }
  llvm::sort(found.chains, isBefore);
  found.at = found.chains.front().last();
  // Blocks of one launch read one input, and share what memory they have.
  Product first{found.root()};
  bool isAlone = found.chains.size() == 1;
  bool isWhole = llvm::all_of(found.chains, [&](const MatmulChain &chain) {
    return llvm::all_of(chain.products,
                        [&](Product each) { return each.isLike(first); }) &&
           (isAlone || (fitsBesideOthers(chain) && canBeAt(chain, found.at)));
  });
  return isWhole ? found : MatmulGroup{{}, nullptr};
}

SmallVector<Operation *> MatmulGroup::ops() const {
  SmallVector<Operation *> ops;
  for (const MatmulChain &chain : chains) {
    llvm::append_range(ops, chain.ops());
  }
  return ops;
}

MatmulGroup MatmulGroup::around(const MatmulChain &chain,
                                const Strategy &strategy) {
  MatmulGroup group{{chain}, chain.last()};
  Block *block = group.at->getBlock();
  if (!fitsBesideOthers(chain)) {
    return group;
  }
  for (Operation *user : chain.x().getUsers()) {
    Product product = Product::of(user);
    if (!product || user->getBlock() != block ||
        !product.isLike(chain.products[0])) {
      continue;
    }
    MatmulChain other = chainOf(product);
    if (other.has(user) && !contains(group.chains, other) &&
        fitsBesideOthers(other) && other.last()->getBlock() == block &&
        haveSameTiles(chain, other, strategy)) {
      group.chains.push_back(other);
    }
  }
  llvm::sort(group.chains, isBefore);
  group.at = group.chains.front().last();
  llvm::erase_if(group.chains, [&](const MatmulChain &one) {
    return !canBeAt(one, group.at);
  });
  // Without the chain itself it is alone.
  return contains(group.chains, chain) ? group
                                       : MatmulGroup{{chain}, chain.last()};
}
