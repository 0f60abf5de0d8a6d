// Products, with the elementwise op behind them. Those of one input are one
// launch.
#include "Patterns.h"
#include "ProductGroup.h"
#include "ProductKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The kernel of a group, and its launch.
class GroupLaunch {
public:
  GroupLaunch(const ProductGroup &group, const Strategy &strategy)
      : group(group), first(group.chains.front()), form(first.form()) {
    switch (form) {
    case ProductForm::FewRows:
      few = strategy.fewRows(*fewRowsOf(first.last()), first.depth());
      break;
    case ProductForm::F32:
      many = strategy.productF32();
      break;
    case ProductForm::ManyRows:
      many = strategy.product(first.outputs(), first.products.size());
      break;
    }
  }

  void replace(PatternRewriter &rewriter, KernelTable &kernels) {
    ImplicitLocOpBuilder b(group.at->getLoc(), rewriter);
    b.setInsertionPoint(group.at);
    takeOperands(b);
    SmallVector<Type> arguments;
    for (Value operand : llvm::concat<Value>(inputs, outputs)) {
      auto type = cast<ShapedType>(operand.getType());
      bool isFactor = llvm::is_contained(factors, operand);
      arguments.push_back(argumentFor(type, isFactor ? 2 : type.getRank() - 1));
    }
    FlatSymbolRefAttr kernel = kernels.get(
        group.at->getLoc(), name(), arguments, warps(),
        [&](TileBuilder &t, ValueRange memory) { build(t, memory); });
    Value blocks;
    for (Value out : outputs) {
      Value own = tilesOf(b, out, 1, columns());
      blocks = blocks ? b.createOrFold<arith::AddIOp>(blocks, own) : own;
    }
    auto made = launch(b, kernel, {blocks, tilesOf(b, outputs[0], 0, rows())},
                       inputs, outputs);
    for (auto [chain, result] :
         llvm::zip_equal(group.chains, made.getResults())) {
      rewriter.replaceOp(chain.last(), result);
      if (chain.after) {
        for (linalg::MatmulOp product : chain.products) {
          rewriter.eraseOp(product);
        }
      }
    }
  }

private:
  int64_t rows() const {
    return form == ProductForm::FewRows ? few.rows : many.rows;
  }
  int64_t columns() const {
    return form == ProductForm::FewRows ? few.columns : many.columns;
  }
  int64_t warps() const {
    return form == ProductForm::FewRows ? few.warps : many.warpsM * many.warpsN;
  }
  StringRef name() const {
    return form == ProductForm::FewRows ? "product_few_rows"
           : form == ProductForm::F32   ? "product_f32"
                                        : "product";
  }

  /// x, then of each chain its weights and what is read besides the sums; then
  /// all results.
  void takeOperands(ImplicitLocOpBuilder &b) {
    inputs = factors = {first.x()};
    for (const ProductChain &chain : group.chains) {
      for (size_t i = 0; i < chain.products.size(); ++i) {
        inputs.push_back(chain.weight(i));
        factors.push_back(chain.weight(i));
      }
      llvm::append_range(inputs, chain.others());
      Value out = chain.out();
      auto empty = out.getDefiningOp<tensor::EmptyOp>();
      if (empty && group.chains.size() > 1) {
        out = b.clone(*empty)->getResult(0);
      }
      outputs.push_back(out);
    }
  }

  void build(TileBuilder &t, ValueRange memory) {
    ProductBuffers buffers;
    if (form != ProductForm::FewRows) {
      buffers = ProductBuffers::alloc(t, many, getElementTypeOrSelf(first.x()),
                                      first.products.size());
    }
    ValueRange outs = memory.take_back(outputs.size());
    Value block = t.block(GridDimension::X);
    Value rowBlock = t.block(GridDimension::Y);
    size_t next = 1;
    auto buildNext = [&](const ProductChain &chain, Value out, Value own) {
      SmallVector<Value> weights(memory.slice(next, chain.products.size()));
      next += weights.size();
      SmallVector<Value> others(memory.slice(next, chain.others().size()));
      next += others.size();
      ProductInputs in{memory[0], weights, chain.depth(), rowBlock, own};
      buildOne(t, buffers, in, chain, others, out);
    };
    if (outs.size() == 1) {
      buildNext(first, outs[0], block);
      return;
    }
    Value begin = t.index(0);
    for (size_t i = 0; i < outs.size(); ++i) {
      Value out = outs[i];
      Value end = t.add(begin, t.ceilDiv(t.extent(out, 1), columns()));
      Value isOwn = arith::AndIOp::create(
          t.b,
          arith::CmpIOp::create(t.b, arith::CmpIPredicate::uge, block, begin),
          t.isLess(block, end));
      t.when(isOwn,
             [&] { buildNext(group.chains[i], out, t.sub(block, begin)); });
      begin = end;
    }
  }

  void buildOne(TileBuilder &t, const ProductBuffers &buffers,
                const ProductInputs &in, const ProductChain &chain,
                ArrayRef<Value> others, Value target) {
    auto finish = [&](ArrayRef<Value> sums, const RowsAndColumns &at) {
      Value result =
          chain.after ? apply(t, chain, sums, others, target, at) : sums[0];
      t.store(result, target, at.place(), alignmentOf(target, at));
    };
    switch (form) {
    case ProductForm::F32:
      return buildProductF32(t, many, buffers, in, finish);
    case ProductForm::FewRows:
      return buildProductOfFewRows(t, few, in, finish);
    case ProductForm::ManyRows:
      return buildProduct(t, many, buffers, in, finish);
    }
  }

  /// The op behind the products.
  static Value apply(TileBuilder &t, const ProductChain &chain,
                     ArrayRef<Value> sums, ArrayRef<Value> others, Value target,
                     const RowsAndColumns &at) {
    linalg::GenericOp after = chain.after;
    auto like = cast<RankedTensorType>(sums[0].getType());
    SmallVector<Value> sources, tiles;
    for (Value operand : after.getInputs()) {
      const auto *product = llvm::find(chain.products, operand.getDefiningOp());
      bool isSum = product != chain.products.end();
      tiles.push_back(isSum ? sums[size_t(product - chain.products.begin())]
                            : Value());
      sources.push_back(isSum ? Value() : others.front());
      others = others.drop_front(isSum ? 0 : 1);
    }
    tiles.push_back(Value());
    sources.push_back(target);
    return inlineBody(t, after,
                      loadArguments(t, after, sources, tiles, like, at), like);
  }

  const ProductGroup &group;
  const ProductChain &first;
  ProductForm form;
  FewRowsStrategy few{};
  ProductStrategy many{};
  SmallVector<Value> inputs, factors, outputs;
};
} // namespace

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
    ProductGroup group = ProductGroup::around(chain, strategy);
    GroupLaunch(group, strategy).replace(rewriter, kernels);
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
    ProductGroup group = ProductGroup::around(chain, strategy);
    GroupLaunch(group, strategy).replace(rewriter, kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelContext kit) {
  patterns.add<FusedProductToTile>(patterns.getContext(), kit, /*benefit=*/3);
  patterns.add<ProductToTile>(patterns.getContext(), kit, /*benefit=*/2);
}
