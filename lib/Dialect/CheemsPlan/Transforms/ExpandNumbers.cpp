// cheems-plan-expand-numbers: comparisons and choices become the operations
// that the runtime has.
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cheems::plan {
#define GEN_PASS_DEF_PLANEXPANDNUMBERSPASS
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h.inc"
} // namespace cheems::plan

using namespace mlir;

namespace {
Value negated(OpBuilder &b, Location loc, Value condition) {
  return arith::XOrIOp::create(
      b, loc, condition,
      arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
}

/// `ult` and `eq`, their opposites, and `ult` of turned operands.
struct ExpandComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = op.getPredicate();
    if (!llvm::is_contained(
            {Predicate::ne, Predicate::uge, Predicate::ugt, Predicate::ule},
            predicate)) {
      return failure();
    }
    bool turns = predicate == Predicate::ugt || predicate == Predicate::ule;
    Value made = arith::CmpIOp::create(
        rewriter, op.getLoc(),
        predicate == Predicate::ne ? Predicate::eq : Predicate::ult,
        turns ? op.getRhs() : op.getLhs(), turns ? op.getLhs() : op.getRhs());
    rewriter.replaceOp(op, predicate == Predicate::ugt
                               ? made
                               : negated(rewriter, op.getLoc(), made));
    return success();
  }
};

/// condition * a + (1 - condition) * b
struct ExpandSelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex()) {
      return failure();
    }
    Location loc = op.getLoc();
    auto product = [&](Value condition, Value number) -> Value {
      Value factor = arith::IndexCastUIOp::create(
          rewriter, loc, rewriter.getIndexType(), condition);
      return arith::MulIOp::create(rewriter, loc, factor, number);
    };
    Value chosen = product(op.getCondition(), op.getTrueValue());
    Value other =
        product(negated(rewriter, loc, op.getCondition()), op.getFalseValue());
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, chosen, other);
    return success();
  }
};

/// Sums with a negative constant, which `canonicalize` makes of differences.
struct SubtractNegated : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddIOp op,
                                PatternRewriter &rewriter) const override {
    auto added = getConstantIntValue(op.getRhs());
    if (!op.getType().isIndex() || !added || *added >= 0) {
      return failure();
    }
    Value positive =
        arith::ConstantIndexOp::create(rewriter, op.getLoc(), -*added);
    Operation *negative = op.getRhs().getDefiningOp();
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), positive);
    // A plan has no negative number, even one that nothing reads.
    if (negative && negative->use_empty()) {
      rewriter.eraseOp(negative);
    }
    return success();
  }
};

struct ExpandNumbers
    : cheems::plan::impl::PlanExpandNumbersPassBase<ExpandNumbers> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandComparison, ExpandSelect, SubtractNegated>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
