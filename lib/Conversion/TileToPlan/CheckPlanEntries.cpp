// cheems-check-plan-entries: refuses entries that would have no plan.
#include "cheems/Conversion/TileToPlan/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cheems {
#define GEN_PASS_DEF_CHECKPLANENTRIESPASS
#include "cheems/Conversion/TileToPlan/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct CheckPlanEntries
    : cheems::impl::CheckPlanEntriesPassBase<CheckPlanEntries> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(cheems::kEntry) && !function.isPublic()) {
        function.emitOpError("is an entry, but private: nothing calls it, so "
                             "it would have no plan; make it public");
        return signalPassFailure();
      }
    }
  }
};
} // namespace
