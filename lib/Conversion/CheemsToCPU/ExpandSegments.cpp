// cheems-expand-segments: ops of a step become loops over its sequences.
#include "ExpandSegments.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_EXPANDSEGMENTSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct ExpandSegments : cheems::impl::ExpandSegmentsPassBase<ExpandSegments> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    cheems::populateExpandRowsPatterns(patterns);
    cheems::populateExpandSSDPatterns(patterns);
    cheems::populateExpandAttentionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
