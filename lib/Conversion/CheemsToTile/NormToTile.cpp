// Norms of rows, with the elementwise op before them and the rounding behind.
#include "Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// What one kernel computes: y = after(norm(before(...))).
struct NormChain {
  RmsNormOp norm;
  linalg::GenericOp before, after; ///< may be null

  /// Whether others read what the op before makes.
  bool keepsInput() { return before && !before.getResult(0).hasOneUse(); }
  /// Whether others than the op behind it read the norm.
  bool keepsNorm() { return after && !norm.getResult(0).hasOneUse(); }
  Operation *last() { return after ? after.getOperation() : norm; }
};
} // namespace

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

static NormChain chainOf(RmsNormOp norm) {
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
  // The kernel runs where the last op is: others that read must be behind it.
  bool behind = llvm::all_of(before->getUsers(), [&](Operation *user) {
    Operation *here = norm->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == norm || chain.last()->isBeforeInBlock(here));
  });
  if (behind) {
    chain.before = before;
  }
  return chain;
}

/// y = x * weight / sqrt(mean(x^2) + epsilon), of whole rows. Columns past
/// those of the row are zero.
static Value normalize(TileBuilder &t, Value x, Value weight, int64_t columns,
                       double epsilon) {
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

namespace {
struct NormToTile : ToKernel<RmsNormOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(RmsNormOp norm,
                                PatternRewriter &rewriter) const override {
    if (!norm.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(norm, "it is on buffers");
    }
    auto type = cast<RankedTensorType>(norm.getX().getType());
    if (type.getRank() == 3) {
      Value y = norm.getResult(0);
      if (y.hasOneUse() && isa<RotaryOp>(*y.user_begin())) {
        return rewriter.notifyMatchFailure(norm, "the rotation takes it");
      }
      return flatten(norm, rewriter);
    }
    int64_t columns = type.getDimSize(1);
    if (ShapedType::isDynamic(columns)) {
      return rewriter.notifyMatchFailure(norm, "its rows are of any length");
    }
    NormChain chain = chainOf(norm);
    ImplicitLocOpBuilder b(norm.getLoc(), rewriter);
    b.setInsertionPoint(chain.last());

    // What the op before reads, or x; then the weight; then what is written.
    bool keepsInput = chain.keepsInput();
    SmallVector<Value> inputs, outputs;
    if (chain.before) {
      inputs.append(chain.before.getInputs().begin(),
                    chain.before.getInputs().end());
    } else {
      inputs.push_back(norm.getX());
    }
    bool readsInit =
        chain.before &&
        !chain.before.getBlock()->getArguments().back().use_empty();
    if (keepsInput) {
      outputs.push_back(chain.before.getOutputs()[0]);
    } else if (readsInit) {
      inputs.push_back(chain.before.getOutputs()[0]);
    }
    inputs.push_back(norm.getWeight());
    if (!chain.after || chain.keepsNorm()) {
      outputs.push_back(norm.getY());
    }
    if (chain.after) {
      outputs.push_back(chain.after.getOutputs()[0]);
    }
    RowStrategy s = strategy.wholeRows(columns);
    FlatSymbolRefAttr kernel = make(chain, inputs, outputs, s, columns);
    auto made = launch(b, kernel, {tilesOf(b, outputs.back(), 0, s.rows)},
                       inputs, outputs);
    bool keepsNorm = chain.keepsNorm();
    rewriter.replaceOp(chain.last(), made.getResults().back());
    if (keepsNorm) {
      rewriter.replaceOp(norm, made.getResult(made.getNumResults() - 2));
    } else if (chain.after) {
      rewriter.eraseOp(norm);
    }
    if (keepsInput) {
      rewriter.replaceOp(chain.before, made.getResult(0));
    } else if (chain.before) {
      rewriter.eraseOp(chain.before);
    }
    return success();
  }

private:
  /// [T, H, P] becomes [T * H, P].
  static LogicalResult flatten(RmsNormOp norm, PatternRewriter &rewriter) {
    ImplicitLocOpBuilder b(norm.getLoc(), rewriter);
    SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
    Value x = tensor::CollapseShapeOp::create(b, norm.getX(), groups);
    Value y = tensor::CollapseShapeOp::create(b, norm.getY(), groups);
    auto flat = RmsNormOp::create(b, y.getType(), x, norm.getWeight(), y,
                                  norm.getEpsilonAttr());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        norm, norm.getResult(0).getType(), flat.getResult(0), groups,
        tensor::getMixedSizes(b, b.getLoc(), norm.getX()));
    return success();
  }

  FlatSymbolRefAttr make(NormChain chain, ArrayRef<Value> inputs,
                         ArrayRef<Value> outputs, const RowStrategy &s,
                         int64_t columns) const {
    SmallVector<Type> arguments;
    SmallVector<Value> operands(inputs);
    llvm::append_range(operands, outputs);
    for (Value operand : operands) {
      bool isVector = cast<ShapedType>(operand.getType()).getRank() == 1;
      arguments.push_back(argumentFor(operand.getType(), isVector ? 0 : 1));
    }
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout =
          BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
      RankedTensorType type =
          t.tileType({s.rows, s.columns}, t.b.getF32Type(), layout);
      Value row = t.mul(t.block(GridDimension::X), s.rows);
      RowsAndColumns at{row, t.index(0)};
      ValueRange in = memory.take_front(inputs.size());
      ValueRange out = memory.drop_front(inputs.size());
      Value x;
      if (chain.before) {
        SmallVector<Value> sources(
            in.take_front(chain.before.getNumDpsInputs()));
        sources.push_back(chain.keepsInput() ? out[0] : in[in.size() - 2]);
        SmallVector<Value> none(sources.size());
        SmallVector<Value> tiles =
            loadArguments(t, chain.before, sources, none, type, at);
        x = inlineBody(t, chain.before, tiles, type);
        if (chain.keepsInput()) {
          t.store(x, out[0], at.place(), alignmentOf(out[0], at));
        }
      } else {
        x = t.load(type, in[0], at.place(), alignmentOf(in[0], at));
      }
      Value y = normalize(t, x, in.back(), columns,
                          chain.norm.getEpsilon().convertToDouble());
      if (chain.keepsNorm()) {
        Value kept = out[out.size() - 2];
        t.store(y, kept, at.place(), alignmentOf(kept, at));
      }
      if (chain.after) {
        y = inlineBody(t, chain.after, {y, Value()}, type);
      }
      t.store(y, out.back(), at.place(), alignmentOf(out.back(), at));
    };
    return kernels.get(chain.norm.getLoc(), "rms_norm", arguments, s.warps(),
                       body);
  }
};
} // namespace

void cheems::tile::populateNormToTile(RewritePatternSet &patterns,
                                      KernelContext kit) {
  patterns.add<NormToTile>(patterns.getContext(), kit, /*benefit=*/4);
}
