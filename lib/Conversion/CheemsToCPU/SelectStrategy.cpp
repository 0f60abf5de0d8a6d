// cheems-select-strategy: what size every loop gets. No other place decides
// one; docs/rationale.md says why, docs/experiments what was measured.
#include "Strategy.h"
#include "cheems/Conversion/CheemsToCPU/AttentionPieces.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_SELECTSTRATEGYPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;
using namespace mlir::cheems;

FinishOp cheems::finishOf(LinearOp linear) {
  if (linear->getNumResults() != 1 || !linear.getResult(0).hasOneUse()) {
    return {};
  }
  return dyn_cast<FinishOp>(*linear->user_begin());
}

namespace {
struct SelectStrategy : cheems::impl::SelectStrategyPassBase<SelectStrategy> {
  using SelectStrategyPassBase::SelectStrategyPassBase;

  TargetAttr target;

  /// The first dimension's; 64 for the many rows that a prefill has.
  static int64_t rowsOf(Value value) {
    int64_t rows = cast<ShapedType>(value.getType()).getDimSize(0);
    return ShapedType::isDynamic(rows) ? 64 : rows;
  }

  /// A decode step: one row a sequence.
  static bool decodes(Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    return function && function->hasAttr("cheems.decode");
  }

  /// Four streams of weights keep the processor's own prefetching busy where a
  /// row is all there is. On tiles, long rows come from the second-level cache
  /// once an iteration, which then had better be long; with fewer than six
  /// iterations threads would wait for the last.
  int64_t panels(LinearOp op) const {
    constexpr int64_t few = kDefaultPanels, many = 2 * few, longRow = 1024,
                      iterations = 6;
    auto weight = cast<ShapedType>(op.getWeights()[0].getType());
    bool tiles = target.getProducts() == Products::AMX && op.getPair() == 2;
    int64_t length = weight.getDimSize(1) * op.getPair();
    return tiles && !decodes(op) && length >= longRow &&
                   weight.getDimSize(0) >= many * iterations
               ? many
               : few;
  }

  /// Whatever says a size already keeps it.
  void give(Operation *op, StringRef name, int64_t size) {
    if (!op->hasAttr(name)) {
      op->setDiscardableAttr(name, Builder(op).getI64IntegerAttr(size));
    }
  }

  /// The runtime and its benchmarks are told.
  void noteForArtefact(StringRef name, Attribute value) {
    getOperation()->setAttr(name, value);
  }

  /// Rows of a group find as many experts as there are: some of them twice.
  bool isGrouped(MixExpertsOp op) const {
    auto found = cast<ShapedType>(op.getExpert().getType());
    int64_t experts = cast<ShapedType>(op.getDown().getType()).getDimSize(0);
    return groupExperts > 0 &&
           groupExperts * found.getDimSize(1) * found.getDimSize(2) >= experts;
  }

  /// Nothing but groups, to which order only is that of adding, takes what `op`
  /// found.
  bool isOnlyGrouped(RetrieveExpertsOp op) const {
    return groupExperts > 0 &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             auto mixing = dyn_cast<MixExpertsOp>(user);
             return mixing && isGrouped(mixing) &&
                    mixing.getScore() == op.getResult(0) &&
                    mixing.getExpert() == op.getResult(1);
           });
  }

  void select(Operation *op) {
    bool parallel = op->getParentOfType<scf::ForallOp>() != nullptr;
    if (auto linear = dyn_cast<LinearOp>(op)) {
      // In a loop already, it stays whole.
      if (!parallel && !isa<scf::ForOp>(op->getParentOp()) &&
          !finishOf(linear)) {
        give(op, kPanels, panels(linear));
      }
    } else if (auto finish = dyn_cast<FinishOp>(op)) {
      // Whole heads, and as many panels as the product would take.
      if (auto linear = finish.getY().getDefiningOp<LinearOp>();
          linear && !parallel) {
        give(op, kPanels,
             llvm::alignTo(panels(linear), finish.getLeastPanels()));
      }
    } else if (isa<linalg::GenericOp, RmsNormOp, RotaryOp, DynamicMaskOp>(op) &&
               !parallel) {
      // A row is microseconds at most; what is in a decode step stays whole.
      if (!decodes(op)) {
        give(op, kRows, kDefaultRows);
      }
    } else if (auto retrieval = dyn_cast<RetrieveExpertsOp>(op)) {
      // A row of it is work enough.
      if (!parallel && !decodes(op)) {
        give(op, kRows, 1);
      }
      // Decode steps, too: they add in the order in which groups do.
      if (isOnlyGrouped(retrieval)) {
        retrieval.setAscending(true);
      }
    } else if (auto mixing = dyn_cast<MixExpertsOp>(op)) {
      // What comes in another order would be added in one order here and in
      // another in decode steps.
      auto retrieval = mixing.getExpert().getDefiningOp<RetrieveExpertsOp>();
      bool ordered = !retrieval || retrieval.getAscending();
      if (isGrouped(mixing) && ordered && !parallel && !decodes(op)) {
        give(op, kGroup, groupExperts);
      }
    } else if (auto attention = dyn_cast<DynamicMaskAttentionOp>(op)) {
      give(op, kRows,
           std::min(kDefaultAttentionRows, rowsOf(attention.getQuery())));
      give(op, kKeys, kAttentionBlock);
    } else if (auto ssd = dyn_cast<SSDOp>(op)) {
      // Divides the 64 rows of a block, so that cuts there keep the bits. Tiles
      // multiply squares of rows in no time: there the state's passes count.
      bool tiles = ssd.getBf16() && target.getProducts() == Products::AMX;
      give(op, kChunk, tiles ? 2 * kDefaultChunk : kDefaultChunk);
      noteForArtefact(kChunk, op->getAttrOfType<IntegerAttr>(kChunk));
    }
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (groupExperts < 0) {
      emitError(module.getLoc(),
                "group-experts is the rows of a group, or 0, not ")
          << groupExperts.getValue();
      return signalPassFailure();
    }
    target = module->getAttrOfType<TargetAttr>(kTarget);
    if (!target) {
      target = TargetAttr::getChecked(
          [&] {
            return emitError(module.getLoc(),
                             "no target to select sizes for: ");
          },
          &getContext(), lanes.getValue(), registers.getValue(),
          products.getValue());
      if (!target) {
        return signalPassFailure();
      }
      module->setAttr(kTarget, target);
    }
    module->walk([&](Operation *op) {
      // What is on buffers is tiled already.
      if (op->getNumResults()) {
        select(op);
      }
    });
    // Enough for weights to be read once for many rows, and little scratch.
    noteForArtefact(kPrefill, Builder(module).getI64IntegerAttr(512));
    markAllAnalysesPreserved();
  }
};
} // namespace
