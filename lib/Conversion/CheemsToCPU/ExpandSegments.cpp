// cheems-expand-segments: ops of a step become loops over its sequences.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_EXPANDSEGMENTSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct ExpandSegments : cheems::impl::ExpandSegmentsPassBase<ExpandSegments> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    cheems::populateExpandSegmentsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void cheems::populateExpandSegmentsPatterns(RewritePatternSet &patterns) {
  populateExpandRowsPatterns(patterns);
  populateExpandSSDPatterns(patterns);
  populateExpandAttentionPatterns(patterns);
}
