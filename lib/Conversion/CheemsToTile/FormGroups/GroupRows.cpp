// cheems-group-rows: all other ops of a step, each with what its kernel takes
// from around it.
#include "Experts/ExpertKernels.h"
#include "Grouping.h"
#include "Patterns.h"
#include "Rows/NormKernels.h"
#include "SSD/SSDInputs.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Utils/Refusals.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cheems {
#define GEN_PASS_DEF_GROUPROWSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Whether an op is on tensors whose rows have a length.
static bool hasRowsOfOneLength(DestinationStyleOpInterface op, Value rows) {
  auto type = dyn_cast<RankedTensorType>(rows.getType());
  return type && op.hasPureTensorSemantics() &&
         !type.isDynamicDim(type.getRank() - 1);
}

/// Memory for a table that can be made before `at`.
static bool canBeMadeAt(Value memory, Operation *at) {
  auto empty = memory.getDefiningOp<tensor::EmptyOp>();
  return empty && llvm::all_of(empty.getDynamicSizes(), [&](Value size) {
           Operation *op = size.getDefiningOp();
           return !op || op->getBlock() != at->getBlock() ||
                  op->isBeforeInBlock(at);
         });
}

/// Tables of the same positions that one launch makes, before the first
/// one. A model with heads of two sizes has two.
static SmallVector<RotaryTableOp> tablesWith(RotaryTableOp op) {
  SmallVector<RotaryTableOp> tables;
  for (Operation *user : op.getPosition().getUsers()) {
    auto table = dyn_cast<RotaryTableOp>(user);
    // One whose lengths are its positions uses them twice.
    if (table && !llvm::is_contained(tables, table) &&
        table->getOperands().take_front(2) == op->getOperands().take_front(2) &&
        table->getBlock() == op->getBlock() &&
        hasRowsOfOneLength(table, table.getCosine())) {
      tables.push_back(table);
    }
  }
  llvm::sort(tables, [](RotaryTableOp a, RotaryTableOp c) {
    return a->isBeforeInBlock(c);
  });
  Operation *first = tables.front();
  llvm::erase_if(tables, [&](RotaryTableOp table) {
    return table != first && !(canBeMadeAt(table.getCosine(), first) &&
                               canBeMadeAt(table.getSine(), first));
  });
  return llvm::is_contained(tables, op) ? tables
                                        : SmallVector<RotaryTableOp>{op};
}

static void groupNorm(RmsNormOp norm) {
  Value y = norm->getResult(0);
  bool isOfHeads = cast<ShapedType>(norm.getX().getType()).getRank() == 3;
  if (isOfHeads && hasOneUseInBlock(y)) {
    auto rotary = dyn_cast<RotaryOp>(*y.user_begin());
    if (rotary && rotary.turnsWholeHeads()) {
      return; // the rotation takes it
    }
  }
  NormChain chain = NormChain::of(norm);
  Grouping group({norm});
  group.add(chain.before);
  group.add(chain.after);
  group.form(GroupKind::Norm, chain.last());
}

static void groupRotary(RotaryOp op) {
  Grouping group(HeadsBefore::rotatedBy(op).ops());
  group.addRounding(RoundedOutput::after(op.getResult(0)), op);
  group.form(GroupKind::Rotary, op);
}

static void groupTables(RotaryTableOp op) {
  SmallVector<RotaryTableOp> tables = tablesWith(op);
  Grouping group;
  for (RotaryTableOp table : tables) {
    group.add(table);
  }
  group.form(GroupKind::RotaryTables, tables.front());
}

static std::optional<std::string> whyNone(TopLogitsOp op,
                                          const Strategy &strategy) {
  return whyNoKernel(op, strategy.topLogits(op.getVocabulary(), op.getCount()));
}

static void groupOp(Operation *op, const Strategy &strategy) {
  auto alone = [&](GroupKind kind) { Grouping({op}).form(kind, op); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](RmsNormOp norm) {
        if (hasRowsOfOneLength(norm, norm.getX())) {
          groupNorm(norm);
        }
      })
      .Case([&](QuantizeEntriesOp rounding) {
        if (hasRowsOfOneLength(rounding, rounding.getX())) {
          alone(GroupKind::Rounding);
        }
      })
      .Case([&](GatherRowsOp rows) {
        if (hasRowsOfOneLength(rows, rows.getTable())) {
          alone(GroupKind::GatheredRows);
        }
      })
      .Case([&](PositionsOp) { alone(GroupKind::Positions); })
      .Case([&](RotaryTableOp table) {
        if (hasRowsOfOneLength(table, table.getCosine())) {
          groupTables(table);
        }
      })
      .Case([&](RotaryOp rotary) {
        if (hasRowsOfOneLength(rotary, rotary.getX())) {
          groupRotary(rotary);
        }
      })
      .Case([&](TopLogitsOp logits) {
        if (!whyNone(logits, strategy)) {
          alone(GroupKind::TopLogits);
        }
      })
      .Case([&](RetrieveExpertsOp retrieval) {
        if (retrieval.hasPureTensorSemantics() && !whyNoKernel(retrieval)) {
          alone(GroupKind::RetrievedExperts);
        }
      })
      .Case([&](linalg::GenericOp generic) {
        if (isMatmulWithKeys(generic)) {
          alone(GroupKind::KeyScores);
        }
      });
}

/// Those that no other group has.
static void groupElementwise(linalg::GenericOp op) {
  if (isElementwise(op) && hasRowsOfOneLength(op, op.getResult(0))) {
    Grouping({op}).form(GroupKind::Elementwise, op);
  }
}

/// An error at each op that computes a tensor and is in no group.
static LogicalResult verifyAllGrouped(ModuleOp module,
                                      const Strategy &strategy) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (!isa<DestinationStyleOpInterface>(op) || isa<LaunchOp>(op) ||
        op->getParentOfType<GroupOp>()) {
      return WalkResult::advance();
    }
    if (auto ssd = dyn_cast<SegmentedSSDOp>(op); ssd && lacksRounding(ssd)) {
      return op->emitOpError("has x, b or c that are not rounded to bf16 in "
                             "front of it: cheems-round-inputs comes first");
    }
    if (auto mixing = dyn_cast<MixExpertsOp>(op);
        mixing && !whyNoKernel(mixing)) {
      return op->emitOpError("adds to what is no zeros: cheems-split-experts "
                             "comes first");
    }
    std::optional<std::string> why;
    if (auto attention = dyn_cast<SegmentedAttentionOp>(op)) {
      why = whyNoKernel(attention);
    } else if (auto logits = dyn_cast<TopLogitsOp>(op)) {
      why = whyNone(logits, strategy);
    } else if (auto retrieval = dyn_cast<RetrieveExpertsOp>(op)) {
      why = whyNoKernel(retrieval);
    } else if (auto mixing = dyn_cast<MixExpertsOp>(op)) {
      why = whyNoKernel(mixing);
    }
    return emitUnsupported(op)
           << why.value_or("is of a kind or shape that is left")
           << ": GPUs have no kernel for it yet; compile for cpu";
  });
  return failure(result.wasInterrupted());
}

namespace {
struct GroupRows : cheems::impl::GroupRowsPassBase<GroupRows> {
  using GroupRowsPassBase::GroupRowsPassBase;

  void runOnOperation() override {
    auto form = [](func::FuncOp function, const Strategy &strategy) {
      for (Operation *op : freeOps<DestinationStyleOpInterface>(function)) {
        if (isFree(op)) {
          groupOp(op, strategy);
        }
      }
      for (Operation *op : freeOps<linalg::GenericOp>(function)) {
        groupElementwise(cast<linalg::GenericOp>(op));
      }
    };
    if (failed(formGroups(getOperation(), form)) ||
        failed(verifyAllGrouped(
            getOperation(),
            Strategy(getOperation()->getAttrOfType<cheems::tile::TargetAttr>(
                kTarget))))) {
      signalPassFailure();
    }
  }
};
} // namespace
