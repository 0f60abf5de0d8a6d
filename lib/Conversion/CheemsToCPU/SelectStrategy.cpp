// cheems-select-strategy: every op that a later pass cuts says how.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"

namespace cheems {
#define GEN_PASS_DEF_SELECTSTRATEGYPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
struct SelectStrategy : cheems::impl::SelectStrategyPassBase<SelectStrategy> {
  using SelectStrategyPassBase::SelectStrategyPassBase;

  /// What the module says, or else the options; null after an error.
  TargetAttr target() {
    ModuleOp module = getOperation();
    if (auto said = module->getAttrOfType<TargetAttrInterface>(kTarget)) {
      auto cpu = dyn_cast<TargetAttr>(said);
      if (!cpu) {
        emitError(module.getLoc(), "the module is for the target '")
            << said.getBackend() << "', not for a CPU";
      }
      return cpu;
    }
    auto made = TargetAttr::getChecked(
        [&] {
          return emitError(module.getLoc(), "no target to select sizes for: ");
        },
        &getContext(), lanes.getValue(), registers.getValue(),
        products.getValue());
    if (made) {
      module->setAttr(kTarget, made);
    }
    return made;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (groupExperts < 0) {
      emitError(module.getLoc(),
                "group-experts must be the rows of a group, or 0, not ")
          << groupExperts.getValue();
      return signalPassFailure();
    }
    TargetAttr made = target();
    if (!made) {
      return signalPassFailure();
    }
    CPUStrategy strategy(made, groupExperts);
    int64_t chunk = 0;
    module->walk([&](Operation *op) {
      // What is on buffers is cut already.
      if (!op->getNumResults()) {
        return;
      }
      // Decode steps, too: they add in the order in which groups do.
      if (auto retrieval = dyn_cast<RetrieveExpertsOp>(op);
          retrieval && strategy.isOnlyGrouped(retrieval)) {
        retrieval.setAscending(true);
      }
      // What an op says already stays.
      if (!op->hasAttr(kStrategy)) {
        if (StrategyAttrInterface chosen = strategy.strategyOf(op)) {
          op->setDiscardableAttr(kStrategy, chosen);
        }
      }
      if (auto ssd = op->getAttrOfType<SSDStrategyAttr>(kStrategy)) {
        chunk = ssd.getChunk();
      }
    });
    // The runtime and its benchmarks are told.
    module->setAttr(kStrategy, strategy.stepStrategy(chunk));
    markAllAnalysesPreserved();
  }
};
} // namespace
