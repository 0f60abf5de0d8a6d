// Products, with the elementwise op behind them. Those of one input are one
// launch.
#include "CodedKernels.h"
#include "Patterns.h"
#include "ProductGroup.h"

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
    case ProductForm::CodedFewRows:
      few = strategy.codedFewRows(*fewRowsOf(first.last()), first.depth(),
                                  bits());
      break;
    case ProductForm::Coded:
      many = strategy.coded(first.outputs(), first.products.size(), bits());
      break;
    case ProductForm::F32:
      many = strategy.productF32();
      break;
    case ProductForm::ManyRows:
      many = strategy.manyRows(first.outputs(), first.products.size());
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
      arguments.push_back(
          argumentFor(type, isFactor ? type.getRank() : type.getRank() - 1));
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
        for (Product product : chain.products) {
          rewriter.eraseOp(product.op);
        }
      }
    }
  }

private:
  bool hasFewRows() const {
    return form == ProductForm::FewRows || form == ProductForm::CodedFewRows;
  }
  int64_t rows() const { return hasFewRows() ? few.rows : many.rows; }
  int64_t columns() const { return hasFewRows() ? few.columns : many.columns; }
  int64_t warps() const {
    return hasFewRows() ? few.warps : many.warpsM * many.warpsN;
  }
  int64_t bits() const {
    return int64_t(cast<CodedProductOp>(first.products[0].op).getBits());
  }
  StringRef name() const {
    switch (form) {
    case ProductForm::FewRows:
      return "product_few_rows";
    case ProductForm::F32:
      return "product_f32";
    case ProductForm::ManyRows:
      return "product";
    case ProductForm::Coded:
      return bits() == 8 ? "product_int8" : "product_int4";
    case ProductForm::CodedFewRows:
      return bits() == 8 ? "product_int8_few_rows" : "product_int4_few_rows";
    }
    llvm_unreachable("a form");
  }

  /// x, then of each chain its weights and what is read besides the sums; then
  /// all results. Codes have their scales behind them.
  void takeOperands(ImplicitLocOpBuilder &b) {
    llvm::append_range(inputs, first.inputs());
    llvm::append_range(factors, first.inputs());
    for (const ProductChain &chain : group.chains) {
      for (Product product : chain.products) {
        llvm::append_range(inputs, product.weights());
        llvm::append_range(factors, product.weights());
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
    if (form == ProductForm::Coded) {
      buffers = allocCoded(t, many, bits(), first.products.size());
    } else if (!hasFewRows()) {
      buffers = ProductBuffers::alloc(t, many, getElementTypeOrSelf(first.x()),
                                      first.products.size(), many.depth);
    }
    ValueRange outs = memory.take_back(outputs.size());
    Value block = t.block(GridDimension::X);
    Value rowBlock = t.block(GridDimension::Y);
    size_t next = first.inputs().size();
    auto buildNext = [&](const ProductChain &chain, Value out, Value own) {
      auto take = [&](size_t count) {
        next += count;
        return SmallVector<Value>(memory.slice(next - count, count));
      };
      SmallVector<Value> weights, scales;
      for (Product product : chain.products) {
        weights.append(take(1));
        scales.append(take(product.weights().size() - 1));
      }
      SmallVector<Value> others = take(chain.others().size());
      auto finish = [&](ArrayRef<Value> sums, const RowsAndColumns &at) {
        Value result =
            chain.after ? apply(t, chain, sums, others, out, at) : sums[0];
        t.store(result, out, at.place(), alignmentOf(out, at));
      };
      if (auto coded = dyn_cast<CodedProductOp>(chain.products[0].op)) {
        buildCodes(t, buffers,
                   {memory[0], memory[1], weights, scales, chain.depth(),
                    bits(), coded.getGroup(), rowBlock, own},
                   finish);
      } else {
        buildNumbers(t, buffers,
                     {memory[0], weights, chain.depth(), rowBlock, own},
                     finish);
      }
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

  void buildNumbers(TileBuilder &t, const ProductBuffers &buffers,
                    const ProductInputs &in, Finish finish) {
    switch (form) {
    case ProductForm::F32:
      return buildProductF32(t, many, buffers, in, finish);
    case ProductForm::FewRows:
      return buildProductOfFewRows(t, few, in, finish);
    default:
      return buildProduct(t, many, buffers, in, finish);
    }
  }

  void buildCodes(TileBuilder &t, const ProductBuffers &buffers,
                  const CodedInputs &in, Finish finish) {
    if (hasFewRows()) {
      return buildCodedOfFewRows(t, few, in, finish);
    }
    return buildCoded(t, many, buffers, in, finish);
  }

  /// The op behind the products.
  static Value apply(TileBuilder &t, const ProductChain &chain,
                     ArrayRef<Value> sums, ArrayRef<Value> others, Value target,
                     const RowsAndColumns &at) {
    linalg::GenericOp after = chain.after;
    auto like = cast<RankedTensorType>(sums[0].getType());
    SmallVector<Value> sources, tiles;
    for (Value operand : after.getInputs()) {
      const auto *product =
          llvm::find_if(chain.products, [&](const Product &each) {
            return each.op == operand.getDefiningOp();
          });
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

/// Others.
template <typename OpTy> struct ProductToTile : ToKernel<OpTy> {
  using ToKernel<OpTy>::ToKernel;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!Product::of(op)) {
      return rewriter.notifyMatchFailure(op, "no kernel has its types or maps");
    }
    if (onlyElementwiseUse(op.getResult(0))) {
      return rewriter.notifyMatchFailure(op, "the op behind it takes it");
    }
    ProductChain chain{{{op}}, {}};
    ProductGroup group = ProductGroup::around(chain, this->strategy);
    GroupLaunch(group, this->strategy).replace(rewriter, this->kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateProductToTile(RewritePatternSet &patterns,
                                         KernelContext kit) {
  patterns.add<FusedProductToTile>(patterns.getContext(), kit, /*benefit=*/3);
  patterns.add<ProductToTile<linalg::MatmulOp>, ProductToTile<CodedProductOp>>(
      patterns.getContext(), kit, /*benefit=*/2);
}
