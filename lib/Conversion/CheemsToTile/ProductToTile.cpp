// Products, with the elementwise op behind them.
#include "Patterns.h"
#include "ProductKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Whether `value` is zero everywhere.
static bool isZero(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// y[t, n] = sum_k x[t, k] * w[n, k] from zero, of types that kernels have.
static bool isLinear(linalg::MatmulOp op) {
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

namespace {
/// Which kernel computes a product.
enum class Form { ManyRows, FewRows, F32 };

/// Products of one input, and what becomes of their sums.
struct ProductChain {
  SmallVector<linalg::MatmulOp> products;
  linalg::GenericOp after; ///< may be null

  Value x() const { return products[0]->getOperand(0); }
  Value weight(size_t i) const { return products[i]->getOperand(1); }
  Operation *last() {
    return after ? after.getOperation() : products[0].getOperation();
  }
};
} // namespace

/// A product that only `user` reads.
static linalg::MatmulOp productFor(Value operand, Operation *user) {
  auto product = operand.getDefiningOp<linalg::MatmulOp>();
  return product && isLinear(product) && operand.hasOneUse() &&
                 product->getBlock() == user->getBlock()
             ? product
             : linalg::MatmulOp();
}

/// The products that `op` reads and that one kernel may compute: at most two,
/// of one input.
static ProductChain chainBefore(linalg::GenericOp op) {
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

/// The kernel and its launch in place of the chain.
static void replace(ProductChain &chain, PatternRewriter &rewriter,
                    KernelTable &kernels, const Strategy &strategy) {
  Operation *last = chain.last();
  ImplicitLocOpBuilder b(last->getLoc(), rewriter);
  b.setInsertionPoint(last);
  auto weightType = cast<RankedTensorType>(chain.weight(0).getType());
  int64_t n = weightType.getDimSize(0), k = weightType.getDimSize(1);
  Value out = last->getOperand(last->getNumOperands() - 1);
  if (!chain.after) {
    // The sums are stored where zeros were to be.
    out = out.getDefiningOp<linalg::FillOp>().getOutputs()[0];
  }

  Form form = weightType.getElementType().isF32() ? Form::F32
              : hasFewRows(last)                  ? Form::FewRows
                                                  : Form::ManyRows;

  SmallVector<Value> inputs = {chain.x()};
  for (size_t i = 0; i < chain.products.size(); ++i) {
    inputs.push_back(chain.weight(i));
  }
  size_t factors = inputs.size();
  if (chain.after) {
    for (Value operand : chain.after.getInputs()) {
      if (!llvm::is_contained(chain.products, operand.getDefiningOp())) {
        inputs.push_back(operand);
      }
    }
  }
  SmallVector<Type> arguments;
  for (auto [i, operand] : llvm::enumerate(inputs)) {
    auto type = cast<ShapedType>(operand.getType());
    bool isFactor = i < factors;
    arguments.push_back(argumentFor(type, isFactor ? 2 : type.getRank() - 1));
  }
  arguments.push_back(argumentFor(out.getType(), 1));

  auto build = [&](TileBuilder &t, ValueRange memory) {
    ProductInputs in{memory[0],
                     SmallVector<Value>(memory.slice(1, factors - 1)), k};
    auto finish = [&](ArrayRef<Value> sums, const RowsAndColumns &at) {
      auto like = cast<RankedTensorType>(sums[0].getType());
      Value result = sums[0], target = memory.back();
      if (chain.after) {
        SmallVector<Value> sources, tiles;
        size_t next = factors;
        for (Value operand : chain.after.getInputs()) {
          auto *product = llvm::find(chain.products, operand.getDefiningOp());
          bool isSum = product != chain.products.end();
          tiles.push_back(isSum ? sums[size_t(product - chain.products.begin())]
                                : Value());
          sources.push_back(isSum ? Value() : memory[next++]);
        }
        tiles.push_back(Value());
        sources.push_back(target);
        result = inlineBody(
            t, chain.after,
            loadArguments(t, chain.after, sources, tiles, like, at), like);
      }
      t.store(result, target, at.place(), alignmentOf(target, at));
    };
    switch (form) {
    case Form::F32:
      return buildProductF32(t, strategy.productF32(), in, finish);
    case Form::FewRows:
      return buildProductOfFewRows(t, strategy.fewRows(*fewRowsOf(last), k), in,
                                   finish);
    case Form::ManyRows:
      return buildProduct(t, strategy.product(n, chain.products.size()), in,
                          finish);
    }
  };

  int64_t rows, columns, warps;
  StringRef name;
  if (form == Form::FewRows) {
    FewRowsStrategy s = strategy.fewRows(*fewRowsOf(last), k);
    rows = s.rows, columns = s.columns, warps = s.warps;
    name = "product_few_rows";
  } else {
    ProductStrategy s = form == Form::F32
                            ? strategy.productF32()
                            : strategy.product(n, chain.products.size());
    rows = s.rows, columns = s.columns, warps = s.warpsM * s.warpsN;
    name = form == Form::F32 ? "product_f32" : "product";
  }
  FlatSymbolRefAttr kernel =
      kernels.get(last->getLoc(), name, arguments, warps, build);
  auto made =
      launch(b, kernel, {tilesOf(b, out, 1, columns), tilesOf(b, out, 0, rows)},
             inputs, out);
  rewriter.replaceOp(last, made.getResults());
  if (chain.after) {
    for (linalg::MatmulOp product : chain.products) {
      rewriter.eraseOp(product);
    }
  }
}

namespace {
/// An elementwise op and the products before it.
struct FusedProductToTile : ToKernel<linalg::GenericOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    ProductChain chain = chainBefore(op);
    if (chain.products.empty()) {
      return rewriter.notifyMatchFailure(op, "it has no product of its own");
    }
    replace(chain, rewriter, kernels, strategy);
    return success();
  }
};

struct ProductToTile : ToKernel<linalg::MatmulOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinear(op)) {
      return rewriter.notifyMatchFailure(op, "no kernel has its types or maps");
    }
    if (onlyElementwiseUse(op.getResult(0))) {
      return rewriter.notifyMatchFailure(op, "the op behind it takes it");
    }
    ProductChain chain{{op}, {}};
    replace(chain, rewriter, kernels, strategy);
    return success();
  }
};
} // namespace

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelContext kit) {
  patterns.add<FusedProductToTile>(patterns.getContext(), kit, /*benefit=*/3);
  patterns.add<ProductToTile>(patterns.getContext(), kit, /*benefit=*/2);
}
