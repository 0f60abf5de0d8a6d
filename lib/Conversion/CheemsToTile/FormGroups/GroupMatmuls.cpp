// cheems-group-matmuls: matmuls of one input, and what makes the only row of
// a step for them.
#include "Grouping.h"
#include "Matmul/MatmulGroup.h"
#include "Rows/NormKernels.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_GROUPMATMULSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// All matmuls that read the rows of an op. None if something else reads them.
static std::optional<SmallVector<MatmulGroup>>
groupsAfter(Operation *rounding, MatmulForm form, const Strategy &strategy) {
  SmallVector<MatmulGroup> groups;
  llvm::SmallPtrSet<Operation *, 8> taken;
  SmallVector<Operation *> users(rounding->getUsers());
  llvm::sort(users, [](Operation *a, Operation *c) {
    return a->getBlock() == c->getBlock() && a->isBeforeInBlock(c);
  });
  for (Operation *user : users) {
    Product product = Product::of(user);
    if (!product || user->getBlock() != rounding->getBlock()) {
      return std::nullopt;
    }
    if (taken.contains(user)) {
      continue;
    }
    MatmulChain own = chainOf(product);
    if (!own.has(user) || own.form() != form) {
      return std::nullopt;
    }
    groups.push_back(MatmulGroup::around(own, strategy));
    for (Operation *op : groups.back().ops()) {
      taken.insert(op);
    }
  }
  return groups.empty() ? std::nullopt : std::make_optional(groups);
}

static void formAll(ArrayRef<MatmulGroup> groups) {
  for (const MatmulGroup &group : groups) {
    Grouping(group.ops()).form(GroupKind::Matmuls, group.at);
  }
}

/// A norm whose rounded rows only matmuls of few rows read. Where a step has
/// one row, each block of these computes the norm itself, which takes less time
/// than a launch.
static void groupNormed(RmsNormOp norm, const Strategy &strategy) {
  auto type = dyn_cast<RankedTensorType>(norm.getX().getType());
  if (!type || !norm.hasPureTensorSemantics() || type.getRank() != 2 ||
      type.isDynamicDim(1) || !type.isDynamicDim(0) ||
      !type.getElementType().isF32()) {
    return; // it has no rows to count
  }
  NormChain chain = NormChain::of(norm);
  if (chain.before && !chainBefore(chain.before).products.empty()) {
    chain.before = {}; // matmuls take it
  }
  if (!chain.after || chain.before) {
    return; // it is not rounded alone
  }
  auto groups = groupsAfter(chain.after, MatmulForm::FewRows, strategy);
  if (!groups || !canBeAt(*groups, chain.after)) {
    return;
  }
  Grouping({norm, chain.after})
      .form(GroupKind::Norm, chain.after)
      .setInMatmuls(true);
  formAll(*groups);
}

/// The norm that is rounded, if it can be where the rounding is and nothing
/// else goes with it. Null without one.
static RmsNormOp normBefore(QuantizeEntriesOp op) {
  auto norm = op.getX().getDefiningOp<RmsNormOp>();
  if (!norm || !norm.hasPureTensorSemantics() ||
      norm->getBlock() != op->getBlock() ||
      !getElementTypeOrSelf(norm.getX()).isF32()) {
    return {};
  }
  NormChain chain = NormChain::of(norm);
  bool isAlone = !chain.after &&
                 (!chain.before || !chainBefore(chain.before).products.empty());
  bool comesFirst = llvm::all_of(norm->getUsers(), [&](Operation *user) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == op || op->isBeforeInBlock(here));
  });
  return isAlone && comesFirst ? norm : RmsNormOp();
}

/// Rows that become integers, which only matmuls of few rows read. Where a step
/// has one row, each block of these rounds it itself, and computes the norm in
/// front if there is one.
static void groupRounded(QuantizeEntriesOp op, const Strategy &strategy) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!type || !op.hasPureTensorSemantics() || type.isDynamicDim(1) ||
      !type.isDynamicDim(0) || type.getDimSize(1) > kMostRounded) {
    return; // no block has its rows
  }
  auto groups = groupsAfter(op, MatmulForm::QuantizedFewRows, strategy);
  if (!groups) {
    return;
  }
  if (RmsNormOp norm = canBeAt(*groups, op) ? normBefore(op) : RmsNormOp()) {
    Grouping({norm}).form(GroupKind::Norm, op).setInMatmuls(true);
  }
  Grouping({op}).form(GroupKind::Rounding, op).setInMatmuls(true);
  formAll(*groups);
}

/// The op after matmuls before these: it may take two.
static void groupMatmuls(func::FuncOp function, const Strategy &strategy) {
  auto group = [&](const MatmulChain &chain) {
    MatmulGroup products = MatmulGroup::around(chain, strategy);
    Grouping(products.ops()).form(GroupKind::Matmuls, products.at);
  };
  for (Operation *op :
       freeOps<linalg::GenericOp, linalg::MatmulOp, QuantizedMatmulOp>(
           function)) {
    if (!isFree(op)) {
      continue;
    }
    if (auto after = dyn_cast<linalg::GenericOp>(op)) {
      MatmulChain chain = chainBefore(after);
      if (!chain.products.empty()) {
        group(chain);
      }
    } else if (Product::of(op) && !onlyElementwiseUse(op->getResult(0))) {
      group(chainOf({op}));
    }
  }
}

namespace {
struct GroupMatmuls : cheems::impl::GroupMatmulsPassBase<GroupMatmuls> {
  using GroupMatmulsPassBase::GroupMatmulsPassBase;

  void runOnOperation() override {
    auto form = [](func::FuncOp function, const Strategy &strategy) {
      for (Operation *op : freeOps<RmsNormOp, QuantizeEntriesOp>(function)) {
        if (!isFree(op)) {
          continue;
        }
        if (auto norm = dyn_cast<RmsNormOp>(op)) {
          groupNormed(norm, strategy);
        } else {
          groupRounded(cast<QuantizeEntriesOp>(op), strategy);
        }
      }
      groupMatmuls(function, strategy);
      // Those that the op after them could not take, too.
      groupMatmuls(function, strategy);
    };
    if (failed(formGroups(getOperation(), form))) {
      signalPassFailure();
    }
  }
};
} // namespace
