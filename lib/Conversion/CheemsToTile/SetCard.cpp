// cheems-set-card: the module says which GPU it is compiled for.
#include "Strategy/Strategy.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

namespace cheems {
#define GEN_PASS_DEF_SETCARDPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct SetCard : cheems::impl::SetCardPassBase<SetCard> {
  using SetCardPassBase::SetCardPassBase;

  void runOnOperation() override {
    if (multiprocessors < 0) {
      getOperation()->emitError("cheems-set-card: multiprocessors is ")
          << int64_t(multiprocessors) << ", and must be 0 or more";
      return signalPassFailure();
    }
    getOperation()->setAttr(kTarget, cheems::tile::usualCard(&getContext(),
                                                             arch, {unit, copy},
                                                             multiprocessors));
  }
};
} // namespace
