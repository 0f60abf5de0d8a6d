// cheems-group-experts: experts with the retrieval that finds them.
#include "Experts/ExpertGroup.h"
#include "Grouping.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_GROUPEXPERTSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static void formGroup(const ExpertGroup &experts) {
  SmallVector<Operation *> ops = experts.ops();
  Grouping group(ops);
  MixExpertsOp mix = experts.root();
  for (Value scales : {mix.getDownScales(), mix.getUpScales()}) {
    group.addReadThrough(columnBefore(scales));
  }
  Operation *last = *llvm::max_element(
      ops, [](Operation *a, Operation *c) { return a->isBeforeInBlock(c); });
  group.form(GroupKind::Experts, last);
}

namespace {
struct GroupExperts : cheems::impl::GroupExpertsPassBase<GroupExperts> {
  using GroupExpertsPassBase::GroupExpertsPassBase;

  void runOnOperation() override {
    auto form = [](func::FuncOp function, const Strategy &) {
      for (Operation *op : freeOps<MixExpertsOp>(function)) {
        ExpertGroup experts = isFree(op)
                                  ? ExpertGroup::around(cast<MixExpertsOp>(op))
                                  : ExpertGroup();
        if (!experts.parts.empty()) {
          formGroup(experts);
        }
      }
    };
    if (failed(formGroups(getOperation(), form))) {
      signalPassFailure();
    }
  }
};
} // namespace
