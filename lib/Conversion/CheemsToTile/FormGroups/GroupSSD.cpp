// cheems-group-ssd: state-space duality with what its kernels take from around
// it.
#include "Grouping.h"
#include "Patterns.h"
#include "SSD/SSDInputs.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_GROUPSSDPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static void formGroup(SegmentedSSDOp op) {
  Grouping group({op});
  if (op.getOneRow()) {
    for (Value gate : {op.getB(), op.getC()}) {
      for (Operation *before : rotatedGate(gate).ops()) {
        group.add(before);
      }
    }
  }
  if (Strategy::takesRounded(op)) {
    for (Value heads : {op.getX(), op.getB(), op.getC()}) {
      for (Operation *between : opsAfterRounding(heads)) {
        group.addReadThrough(between);
      }
    }
  }
  group.addReadThrough(opBeforeA(op));
  group.addRounding(RoundedOutput::after(op.getResult(0)), op);
  group.form(GroupKind::SSD, op);
}

namespace {
struct GroupSSD : cheems::impl::GroupSSDPassBase<GroupSSD> {
  using GroupSSDPassBase::GroupSSDPassBase;

  void runOnOperation() override {
    auto form = [](func::FuncOp function, const Strategy &) {
      for (Operation *op : freeOps<SegmentedSSDOp>(function)) {
        auto ssd = cast<SegmentedSSDOp>(op);
        if (!lacksRounding(ssd)) {
          formGroup(ssd);
        }
      }
    };
    if (failed(formGroups(getOperation(), form))) {
      signalPassFailure();
    }
  }
};
} // namespace
