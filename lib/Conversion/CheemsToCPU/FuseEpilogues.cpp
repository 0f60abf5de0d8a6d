// cheems-fuse-epilogues: what is done to a matmul alone is done before it is
// stored.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "cheems/Dialect/Cheems/Utils/Elementwise.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr StringLiteral kOverlaps =
    "its destination is an operand, which a matmul may not overlap";

bool sameScales(LinearOp a, LinearOp b) {
  return a.getBitsAttr() == b.getBitsAttr() &&
         (!a.isQuantized() ||
          a.getScales()[0].getType() == b.getScales()[0].getType());
}

/// The matmuls among the inputs of an elementwise op that it may take over.
/// They have one input, and at most two weights of one type.
SmallVector<OpOperand *> matmulsOf(linalg::GenericOp op) {
  SmallVector<OpOperand *> result;
  int64_t weights = 0;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto linear = operand->get().getDefiningOp<LinearOp>();
    if (!linear || !operand->get().hasOneUse() ||
        linear->getBlock() != op->getBlock()) {
      continue;
    }
    int64_t more = linear.getWeights().size();
    if (!result.empty()) {
      auto first = result[0]->get().getDefiningOp<LinearOp>();
      if (linear.getX() != first.getX() ||
          linear.getWeights()[0].getType() != first.getWeights()[0].getType() ||
          !sameScales(linear, first) || weights + more > 2) {
        continue;
      }
    }
    weights += more;
    result.push_back(operand);
  }
  return result;
}

/// A matmul may not overlap what it reads.
bool writesElsewhere(linalg::GenericOp op, ArrayRef<OpOperand *> products) {
  Value destination = op.getDpsInits()[0];
  return !llvm::is_contained(op.getDpsInputs(), destination) &&
         llvm::none_of(products, [&](OpOperand *product) {
           return llvm::is_contained(
               product->get().getDefiningOp()->getOperands().drop_back(),
               destination);
         });
}

remark::RemarkOpts remarkOf(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name)
      .category("cheems-fuse-epilogues")
      .function(op->getParentOfType<func::FuncOp>().getName());
}

bool readsDestination(linalg::GenericOp op) {
  return !op.getRegionOutputArgs()[0].use_empty();
}

/// Whether a matmul will hold what an input of `op` alone reads now.
bool waitsForInput(linalg::GenericOp op);

/// Whether FuseEpilogue takes `op`, now or after its inputs.
bool becomesEpilogue(linalg::GenericOp op) {
  if (!isElementwiseOnRows(op) || readsDestination(op)) {
    return false;
  }
  if (waitsForInput(op)) {
    return true;
  }
  SmallVector<OpOperand *> products = matmulsOf(op);
  return !products.empty() && writesElsewhere(op, products);
}

bool waitsForInput(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    auto before = input.getDefiningOp<linalg::GenericOp>();
    return before && input.hasOneUse() &&
           before->getBlock() == op->getBlock() && becomesEpilogue(before);
  });
}

/// What `op` makes of one element: `arguments` are the sums of the weights of
/// all `products`, then their operands, then the other inputs of `op`.
Value cloneBody(OpBuilder &b, linalg::GenericOp op,
                ArrayRef<OpOperand *> products, size_t weights,
                ValueRange arguments) {
  ValueRange sums = arguments.take_front(weights),
             others = arguments.drop_front(weights);
  IRMapping map;
  for (OpOperand *product : products) {
    auto linear = product->get().getDefiningOp<LinearOp>();
    size_t taken = linear.getWeights().size(),
           operands = linear.getWith().size();
    SmallVector<Value> own(sums.take_front(taken));
    llvm::append_range(own, others.take_front(operands));
    map.map(op.getMatchingBlockArgument(product),
            cloneEpilogue(b, linear.getEpilogue(), own));
    sums = sums.drop_front(taken);
    others = others.drop_front(operands);
  }
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!llvm::is_contained(products, operand)) {
      map.map(op.getMatchingBlockArgument(operand), others.front());
      others = others.drop_front();
    }
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    b.clone(inner, map);
  }
  return map.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
}

/// `products` are inputs of `op`, whose destination is written only.
void fuse(linalg::GenericOp op, ArrayRef<OpOperand *> products,
          RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> weights, scales, with;
  SmallVector<Location> locations;
  for (OpOperand *product : products) {
    auto linear = product->get().getDefiningOp<LinearOp>();
    locations.push_back(linear.getLoc());
    llvm::append_range(weights, linear.getWeights());
    llvm::append_range(scales, linear.getScales());
    llvm::append_range(with, linear.getWith());
  }
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!llvm::is_contained(products, operand)) {
      with.push_back(operand->get());
    }
  }
  locations.push_back(op.getLoc());
  Location loc = rewriter.getFusedLoc(locations);
  auto first = products[0]->get().getDefiningOp<LinearOp>();
  auto fused = LinearOp::create(
      rewriter, loc, op->getResultTypes(), first.getX(), weights,
      first.getBitsAttr(), scales, with, op.getDpsInits()[0],
      [&](OpBuilder &b, ValueRange arguments) {
        return cloneBody(b, op, products, weights.size(), arguments);
      });
  SmallVector<LinearOp> old;
  for (OpOperand *product : products) {
    old.push_back(product->get().getDefiningOp<LinearOp>());
  }
  rewriter.replaceOp(op, fused);
  for (LinearOp linear : old) {
    rewriter.eraseOp(linear);
  }
}

/// `op` takes what its destination held as one more input, and writes into
/// `destination`.
void redirect(linalg::GenericOp op, Value destination, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs = op.getDpsInputs();
  inputs.push_back(op.getDpsInits()[0]);
  // The arguments stay in place: what was the destination's is now an input's.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(maps.back());
  auto other = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, destination, maps,
      op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), other.getRegion(),
                              other.getRegion().end());
  other.getRegion().front().addArgument(rewriter.getF32Type(), op.getLoc());
  rewriter.replaceOp(op, other);
}

/// A matmul takes over the elementwise op that reads it.
struct FuseEpilogue : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwiseOnRows(op)) {
      return rewriter.notifyMatchFailure(op, "is not elementwise on rows");
    }
    if (readsDestination(op)) {
      return rewriter.notifyMatchFailure(op, "reads its destination");
    }
    // Two matmuls that it combines become one op only together.
    if (waitsForInput(op)) {
      return rewriter.notifyMatchFailure(op, "an input is fused first");
    }
    SmallVector<OpOperand *> products = matmulsOf(op);
    if (products.empty()) {
      return rewriter.notifyMatchFailure(op, "reads no matmul of its own");
    }
    if (!writesElsewhere(op, products)) {
      return rewriter.notifyMatchFailure(op, kOverlaps);
    }
    remark::passed(op.getLoc(), remarkOf("epilogue", op))
        << remark::metric("products", products.size());
    fuse(op, products, rewriter);
    return success();
  }
};

/// A matmul never reads its destination. So two updates in place that follow
/// each other take turns: the first one writes a tensor of its own, and the
/// second one writes the tensor that the first one has read. An update without
/// a second one stays as it is.
struct AlternateUpdates : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp second,
                                PatternRewriter &rewriter) const override {
    auto isUpdate = [](linalg::GenericOp op) {
      return op && isElementwiseOnRows(op) && readsDestination(op);
    };
    if (!isUpdate(second)) {
      return rewriter.notifyMatchFailure(second, "is no update in place");
    }
    auto first = second.getDpsInits()[0].getDefiningOp<linalg::GenericOp>();
    if (!isUpdate(first) || first->getBlock() != second->getBlock()) {
      return rewriter.notifyMatchFailure(second, "follows no other update");
    }
    if (waitsForInput(first) || waitsForInput(second)) {
      return rewriter.notifyMatchFailure(second, "an input is fused first");
    }
    if (matmulsOf(first).empty() && matmulsOf(second).empty()) {
      return rewriter.notifyMatchFailure(second, "neither reads a matmul");
    }
    Value destination = first.getDpsInits()[0];
    rewriter.setInsertionPoint(first);
    Value own = tensor::EmptyOp::create(
        rewriter, first.getLoc(),
        tensor::getMixedSizes(rewriter, first.getLoc(), destination),
        rewriter.getF32Type());
    redirect(first, own, rewriter);
    redirect(second, destination, rewriter);
    return success();
  }
};

struct FuseEpilogues : cheems::impl::FuseEpiloguesPassBase<FuseEpilogues> {
  void runOnOperation() override {
    RewritePatternSet epilogues(&getContext()), columns(&getContext());
    cheems::populateFuseEpiloguesPatterns(epilogues);
    cheems::populateFuseColumnEpiloguesPatterns(columns);
    // Only the patterns change something.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(epilogues),
                                     config))) {
      return signalPassFailure();
    }
    getOperation().walk([](linalg::GenericOp op) {
      if (isElementwiseOnRows(op) && !readsDestination(op) &&
          !matmulsOf(op).empty()) {
        remark::missed(op.getLoc(), remarkOf("epilogue", op)) << kOverlaps;
      }
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(columns),
                                     config))) {
      signalPassFailure();
    }
  }
};
} // namespace

void cheems::populateFuseEpiloguesPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseEpilogue, AlternateUpdates>(patterns.getContext());
}
