// cheems-expand-elementwise: what is elementwise maths becomes such an op,
// which other kernels take.
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_EXPANDELEMENTWISEPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
struct ExpandElementwise
    : cheems::impl::ExpandElementwisePassBase<ExpandElementwise> {
  using ExpandElementwisePassBase::ExpandElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMask(patterns);
    auto config = GreedyRewriteConfig().setUseTopDownTraversal();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config))) {
      getOperation().emitOpError("does not come to an end");
      signalPassFailure();
    }
  }
};
} // namespace
