// cheems-own-inits: one fill and one empty tensor a use.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace cheems {
#define GEN_PASS_DEF_OWNINITSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct OwnInits : cheems::impl::OwnInitsPassBase<OwnInits> {
  void runOnOperation() override {
    SmallVector<linalg::FillOp> fills;
    getOperation().walk([&](linalg::FillOp fill) {
      if (fill.hasPureTensorSemantics() &&
          fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) {
        fills.push_back(fill);
      }
    });
    for (linalg::FillOp fill : fills) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : fill->getUses()) {
        uses.push_back(&use);
      }
      for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
        OpBuilder b(use->getOwner());
        Operation *empty = b.clone(*fill.getOutputs()[0].getDefiningOp());
        IRMapping map;
        map.map(fill.getOutputs()[0], empty->getResult(0));
        use->set(b.clone(*fill, map)->getResult(0));
      }
    }
    // Fills may share one empty tensor, too.
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk(
        [&](tensor::EmptyOp empty) { empties.push_back(empty); });
    for (tensor::EmptyOp empty : empties) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : empty->getUses()) {
        uses.push_back(&use);
      }
      for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
        use->set(OpBuilder(use->getOwner()).clone(*empty)->getResult(0));
      }
    }
  }
};
} // namespace
