// cheems-group-attention: attention with what its kernels take from around it.
#include "Attention/AttentionInputs.h"
#include "Grouping.h"
#include "Matmul/MatmulGroup.h"
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_GROUPATTENTIONPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The matmuls of few rows that alone read the outputs.
struct MatmulsAfter {
  std::optional<MatmulGroup> group;
  QuantizeEntriesOp codes; ///< null if outputs are not quantized
};
} // namespace

/// The group of a matmul of few rows, if it has all that read `rounding`.
static std::optional<MatmulGroup>
groupAfter(Operation *rounding, MatmulForm form, const Strategy &strategy) {
  Product product = rounding->use_empty()
                        ? Product{nullptr}
                        : Product::of(*rounding->user_begin());
  if (!product || product.x() != rounding->getResult(0) ||
      product.op->getBlock() != rounding->getBlock() ||
      fewRowsOf(rounding).value_or(1) == 1) {
    return std::nullopt;
  }
  MatmulChain chain = chainOf(product);
  if (chain.form() != form) {
    return std::nullopt;
  }
  MatmulGroup group = MatmulGroup::around(chain, strategy);
  SmallVector<Operation *> ops = group.ops();
  bool hasAll = llvm::all_of(rounding->getUsers(), [&](Operation *user) {
    return llvm::is_contained(ops, user);
  });
  return hasAll ? std::make_optional(group) : std::nullopt;
}

static MatmulsAfter matmulsAfter(Value y, const RoundedOutput &rounded,
                                 const Strategy &strategy) {
  if (linalg::GenericOp rounding = rounded.rounding) {
    return {rounding->hasOneUse()
                ? groupAfter(rounding, MatmulForm::FewRows, strategy)
                : std::nullopt,
            {}};
  }
  QuantizeEntriesOp codes = quantizedAfter(y);
  auto rows = codes ? cast<RankedTensorType>(codes.getX().getType())
                    : RankedTensorType();
  if (!codes || rows.isDynamicDim(1) || rows.getDimSize(1) > kMostRounded) {
    return {};
  }
  return {groupAfter(codes, MatmulForm::QuantizedFewRows, strategy), codes};
}

static void formGroup(SegmentedAttentionOp op, const Strategy &strategy) {
  AttentionShape shape(op);
  AttentionStrategyAttr sizes = strategy.attention(op);
  RoundedOutput rounded = RoundedOutput::after(op.getResult(0));
  MatmulsAfter after = leavesSplits(shape, sizes)
                           ? matmulsAfter(op.getResult(0), rounded, strategy)
                           : MatmulsAfter();
  Grouping attention(AttentionBefore(op, shape, sizes.getAttend()).ops());
  attention.add(op);
  bool takesRounding = attention.addRounding(rounded, op);
  GroupOp group = attention.form(GroupKind::Attention, op);
  if (!after.group || (rounded.rounding && !takesRounding)) {
    return;
  }
  group.setInMatmuls(true);
  if (QuantizeEntriesOp codes = after.codes) {
    Grouping({codes}).form(GroupKind::Rounding, codes).setInMatmuls(true);
  }
  Grouping(after.group->ops()).form(GroupKind::Matmuls, after.group->at);
}

namespace {
struct GroupAttention : cheems::impl::GroupAttentionPassBase<GroupAttention> {
  using GroupAttentionPassBase::GroupAttentionPassBase;

  void runOnOperation() override {
    auto form = [](func::FuncOp function, const Strategy &strategy) {
      for (Operation *op : freeOps<SegmentedAttentionOp>(function)) {
        auto attention = cast<SegmentedAttentionOp>(op);
        if (!whyNoKernel(attention)) {
          formGroup(attention, strategy);
        }
      }
    };
    if (failed(formGroups(getOperation(), form))) {
      signalPassFailure();
    }
  }
};
} // namespace
