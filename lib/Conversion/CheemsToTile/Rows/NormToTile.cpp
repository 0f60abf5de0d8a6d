// Norms of rows, with the elementwise op before them and the rounding after.
#include "NormKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Whether the op is elementwise and reads one number alone, as a rounding
/// does.
static bool isOfOneNumber(linalg::GenericOp op) {
  return op && isElementwise(op) && op.getNumDpsInputs() == 1 &&
         op.getBlock()->getArguments().back().use_empty();
}

/// The first op of those that read the norm, if it is such a one.
static linalg::GenericOp afterNorm(RmsNormOp norm) {
  linalg::GenericOp first;
  for (Operation *user : norm->getUsers()) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (isOfOneNumber(op) && op->getBlock() == norm->getBlock() &&
        (!first || op->isBeforeInBlock(first))) {
      first = op;
    }
  }
  bool comesFirst =
      first && llvm::all_of(norm->getUsers(), [&](Operation *user) {
        Operation *here = norm->getBlock()->findAncestorOpInBlock(*user);
        return here && (here == first || first->isBeforeInBlock(here));
      });
  return comesFirst ? first : linalg::GenericOp();
}

NormChain NormChain::of(RmsNormOp norm) {
  NormChain chain{norm, {}, {}};
  if (cast<ShapedType>(norm.getX().getType()).getRank() != 2) {
    return chain;
  }
  chain.after = afterNorm(norm);
  auto before = norm.getX().getDefiningOp<linalg::GenericOp>();
  if (!before || !isElementwise(before) ||
      before->getBlock() != norm->getBlock()) {
    return chain;
  }
  // The kernel runs where the last op is: others that read must be after it.
  bool after = llvm::all_of(before->getUsers(), [&](Operation *user) {
    Operation *here = norm->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == norm || chain.last()->isBeforeInBlock(here));
  });
  if (after) {
    chain.before = before;
  }
  return chain;
}

Value cheems::tile::normalize(TileBuilder &t, Value x, Value weight,
                              int64_t columns, double epsilon) {
  auto type = cast<RankedTensorType>(x.getType());
  Value sum = t.reduce(Combine::Add, t.mul(x, x), 1);
  auto perRow = cast<RankedTensorType>(sum.getType());
  Value mean = t.mul(sum, t.fill(perRow, 1.0 / double(columns)));
  Value scale =
      math::RsqrtOp::create(t.b, t.add(mean, t.fill(perRow, epsilon)));
  Value gain = t.load(t.sliceType(type, 0), weight, {{t.index(0)}, {0}},
                      alignmentOf(columns, type.getElementType()));
  return t.mul(t.mul(x, t.broadcast(scale, type)), t.broadcast(gain, type));
}

static FlatSymbolRefAttr makeNorm(const NormChain &chain, KernelTable &kernels,
                                  ArrayRef<Value> inputs,
                                  ArrayRef<Value> outputs, RowTileAttr s,
                                  int64_t columns) {
  linalg::GenericOp before = chain.before, after = chain.after;
  RmsNormOp norm = chain.norm;
  SmallVector<Type> arguments;
  SmallVector<Value> operands(inputs);
  llvm::append_range(operands, outputs);
  for (Value operand : operands) {
    bool isVector = cast<ShapedType>(operand.getType()).getRank() == 1;
    arguments.push_back(argumentFor(operand.getType(), isVector ? 0 : 1));
  }
  auto body = [&](TileBuilder &t, ValueRange memory) {
    auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                   s.getThreads(), s.getWidth());
    RankedTensorType type =
        t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
    Value row = t.mul(t.block(GridDimension::X), s.getRows());
    RowsAndColumns at{row, t.index(0)};
    ValueRange in = memory.take_front(inputs.size());
    ValueRange out = memory.drop_front(inputs.size());
    Value x;
    if (before) {
      SmallVector<Value> sources(in.take_front(before.getNumDpsInputs()));
      sources.push_back(chain.keepsInput() ? out[0] : in[in.size() - 2]);
      SmallVector<Value> none(sources.size());
      SmallVector<Value> tiles =
          loadArguments(t, before, sources, none, type, at);
      x = inlineBody(t, before, tiles, type);
      if (chain.keepsInput()) {
        t.store(x, out[0], at.place(), alignmentOf(out[0], at));
      }
    } else {
      x = t.load(type, in[0], at.place(), alignmentOf(in[0], at));
    }
    Value y = normalize(t, x, in.back(), columns,
                        norm.getEpsilon().convertToDouble());
    if (chain.keepsNorm()) {
      Value kept = out[out.size() - 2];
      t.store(y, kept, at.place(), alignmentOf(kept, at));
    }
    if (after) {
      y = inlineBody(t, after, {y, Value()}, type);
    }
    t.store(y, out.back(), at.place(), alignmentOf(out.back(), at));
  };
  return kernels.get(norm.getLoc(), "rms_norm", arguments, s.warps(), body);
}

void cheems::tile::replaceNorm(PatternRewriter &rewriter,
                               const NormChain &chain, KernelTable &kernels,
                               Value when) {
  linalg::GenericOp before = chain.before, after = chain.after;
  RmsNormOp norm = chain.norm;
  int64_t columns = cast<ShapedType>(norm.getX().getType()).getDimSize(1);
  ImplicitLocOpBuilder b(norm.getLoc(), rewriter);
  b.setInsertionPoint(chain.last());

  // What the op before reads, or x; then the weight; then what is written.
  bool keepsInput = chain.keepsInput();
  SmallVector<Value> inputs, outputs;
  if (before) {
    inputs.append(before.getInputs().begin(), before.getInputs().end());
  } else {
    inputs.push_back(norm.getX());
  }
  bool readsInit =
      before && !before.getBlock()->getArguments().back().use_empty();
  if (keepsInput) {
    outputs.push_back(before.getOutputs()[0]);
  } else if (readsInit) {
    inputs.push_back(before.getOutputs()[0]);
  }
  inputs.push_back(norm.getWeight());
  if (!after || chain.keepsNorm()) {
    outputs.push_back(norm.getY());
  }
  if (after) {
    outputs.push_back(after.getOutputs()[0]);
  }
  auto s = strategyOf<RowTileAttr>(norm);
  FlatSymbolRefAttr kernel =
      makeNorm(chain, kernels, inputs, outputs, s, columns);
  Value blocks = tilesOf(b, outputs.back(), 0, s.getRows());
  auto made = launch(b, kernel, {blocks}, inputs, outputs, when);
  bool keepsNorm = chain.keepsNorm();
  rewriter.replaceOp(chain.last(), made.getResults().back());
  if (keepsNorm) {
    rewriter.replaceOp(norm, made.getResult(made.getNumResults() - 2));
  } else if (after) {
    rewriter.eraseOp(norm);
  }
  if (keepsInput) {
    rewriter.replaceOp(before, made.getResult(0));
  } else if (before) {
    rewriter.eraseOp(before);
  }
}

/// [T, H, P] becomes [T * H, P].
static RmsNormOp flatten(RmsNormOp norm, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(norm.getLoc(), rewriter);
  b.setInsertionPoint(norm);
  SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
  Value x = tensor::CollapseShapeOp::create(b, norm.getX(), groups);
  Value y = tensor::CollapseShapeOp::create(b, norm.getY(), groups);
  auto flat = RmsNormOp::create(b, y.getType(), x, norm.getWeight(), y,
                                norm.getEpsilonAttr());
  flat->setAttr(kStrategy, norm->getAttr(kStrategy));
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      norm, norm.getResult(0).getType(), flat.getResult(0), groups,
      tensor::getMixedSizes(b, b.getLoc(), norm.getX()));
  return flat;
}

namespace {
struct NormToTile : GroupToKernels<GroupKind::Norm> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto norm = rootOf<RmsNormOp>(group);
    if (!norm || group.getInMatmuls() || !norm.hasPureTensorSemantics() ||
        !strategyOf<RowTileAttr>(norm)) {
      return rewriter.notifyMatchFailure(group, "it has no rows of one length");
    }
    NormChain chain = NormChain::of(norm);
    inlineGroup(rewriter, group);
    if (cast<RankedTensorType>(norm.getX().getType()).getRank() == 3) {
      chain = NormChain{flatten(norm, rewriter), {}, {}};
    }
    replaceNorm(rewriter, chain, kernels);
    return success();
  }
};
} // namespace

void cheems::tile::populateNormToTile(RewritePatternSet &patterns,
                                      KernelTable &kernels) {
  patterns.add<NormToTile>(patterns.getContext(), kernels);
}
