// cheems-cap-context: long windows of entries become a limit of the context.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include <algorithm>

namespace cheems {
#define GEN_PASS_DEF_CAPCONTEXTPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct CapContext : cheems::impl::CapContextPassBase<CapContext> {
  using CapContextPassBase::CapContextPassBase;

  /// The same attention of a sequence that is not longer than the window:
  /// entry e is row e, and nobody asks where an entry came from.
  static void dropWindow(SegmentedAttentionOp op) {
    OpBuilder b(op);
    SmallVector<Type> types;
    for (Value init : op.getDpsInits()) {
      if (init != op.getPositions()) {
        types.push_back(init.getType());
      }
    }
    auto whole = SegmentedAttentionOp::create(
        b, op.getLoc(), types, op.getQuery(), op.getKey(), op.getValue(),
        op.getMask(), op.getSegments(), op.getLayer(), op.getY(), op.getKeys(),
        op.getValues(), op.getMasks(), /*positions=*/Value(), op.getKeyScales(),
        op.getValueScales(), op.getCounts(), op.getKindAttr(),
        op.getScaleAttr(), /*keep=*/IntegerAttr(), op.getHideBelowAttr(),
        op.getVisibleAttr(), op.getBlockAttr(), op.getAllowBf16Attr(),
        op.getOneRowAttr());
    auto next = whole->result_begin();
    for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits())) {
      result.replaceAllUsesWith(init == op.getPositions() ? init : *next++);
    }
    op.erase();
  }

  void runOnOperation() override {
    std::optional<int64_t> most;
    getOperation().walk([&](SegmentedAttentionOp op) {
      auto window = static_cast<int64_t>(op.getKeep().value_or(0));
      if (window > longest) {
        most = most ? std::min(*most, window) : window;
        dropWindow(op);
      }
    });
    if (most) {
      getOperation()->setAttr(kMostTokens,
                              Builder(&getContext()).getI64IntegerAttr(*most));
    }
  }
};
} // namespace
