// cheems-pair-tables: both rows of an expert in one run of memory.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/Utils/Weights.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace cheems {
#define GEN_PASS_DEF_PAIRTABLESPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
/// The operand of mix_experts that this use is, directly or through a slice, as
/// for scales. Null for other uses.
OpOperand *operandOf(OpOperand &use) {
  OpOperand *operand = &use;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
  if (slice && slice->hasOneUse() && slice.getSourceType().hasStaticShape() &&
      slice.getType().hasStaticShape() &&
      slice.getSourceType().getNumElements() ==
          slice.getType().getNumElements()) {
    operand = &*slice->use_begin();
  }
  return isa<MixExpertsOp>(operand->getOwner()) ? operand : nullptr;
}

/// What stands in `up` where the operand stands in `down`; null for others.
OpOperand *partnerOf(OpOperand *operand) {
  auto op = operand ? cast<MixExpertsOp>(operand->getOwner()) : MixExpertsOp();
  if (op && operand == &op.getDownMutable()) {
    return &op.getUpMutable();
  }
  return op && op.getDownScales() && operand == &op.getDownScalesMutable()[0]
             ? &op.getUpScalesMutable()[0]
             : nullptr;
}

/// Rows are the checkpoint's.
bool inRows(const WeightUses::Group &group) {
  return llvm::all_of(group.parameters, [](ParameterOp op) {
    return op.getNames().size() == 1 && !op.getLayoutAttr() &&
           !op.getPermuteAttr();
  });
}

/// What reads a value: calls, and mix_experts.
SmallPtrSet<Operation *, 4> readersOf(Value value) {
  SmallPtrSet<Operation *, 4> readers;
  for (OpOperand &use : value.getUses()) {
    OpOperand *operand = operandOf(use);
    readers.insert(operand ? operand->getOwner() : use.getOwner());
  }
  return readers;
}

/// Whether the values of both go to the same ops and calls, one by one.
bool inPairs(const WeightUses::Group &down, const WeightUses::Group &up) {
  return down.parameters.size() == up.parameters.size() &&
         down.values.size() == up.values.size() &&
         down.leaves.size() == up.leaves.size() &&
         llvm::all_of(llvm::zip(down.values, up.values), [&](auto pair) {
           auto [a, b] = pair;
           return readersOf(a) == readersOf(b);
         });
}

struct PairTables : cheems::impl::PairTablesPassBase<PairTables> {
  /// The group of each operand of mix_experts that is a weight.
  llvm::DenseMap<OpOperand *, WeightUses::Group *> groups;

  /// The group that is `up` wherever this one is `down`, if neither is used
  /// elsewhere. Null otherwise.
  WeightUses::Group *partnerOf(WeightUses::Group &down) {
    WeightUses::Group *up = nullptr;
    for (OpOperand *use : down.leaves) {
      WeightUses::Group *other = groups.lookup(::partnerOf(operandOf(*use)));
      if (!other || (up && other != up)) {
        return nullptr;
      }
      up = other;
    }
    return up && up != &down && inRows(down) && inRows(*up) &&
                   inPairs(down, *up)
               ? up
               : nullptr;
  }

  void pair(WeightUses::Group &down, WeightUses::Group &up) {
    auto type = cast<RankedTensorType>(down.type());
    int64_t experts = type.getDimSize(0), columns = type.getDimSize(1);
    // Types tell operands, and are about to change.
    SmallVector<std::pair<OpOperand *, Value>> lefts;
    for (OpOperand *use : down.leaves) {
      lefts.emplace_back(operandOf(*use), use->get());
    }
    OpOperand *first = lefts.front().first;
    auto part = cast<RankedTensorType>(first->get().getType());
    auto mixed = cast<MixExpertsOp>(first->getOwner());
    int64_t size = cast<ShapedType>(mixed.getX().getType()).getDimSize(1);
    IRRewriter rewriter(&getContext());
    for (auto [left, right] : llvm::zip(down.parameters, up.parameters)) {
      SmallVector<Attribute> names(left.getNames().getValue());
      llvm::append_range(names, right.getNames());
      left.setNamesAttr(rewriter.getArrayAttr(names));
      left.setByColumns(true);
      if (QuantizedAttr quantized = left.getQuantizedAttr()) {
        left.setQuantizedAttr(QuantizedAttr::get(
            &getContext(), quantized.getBits(), size, quantized.getPart()));
      }
    }
    down.takeLocations(up);
    down.setType(
        RankedTensorType::get({experts, 2 * columns}, type.getElementType()));
    for (auto [left, both] : lefts) {
      OpOperand *right = ::partnerOf(left);
      rewriter.setInsertionPoint(left->getOwner());
      for (auto [operand, from] :
           {std::pair(left, int64_t(0)), {right, columns}}) {
        SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0),
                                          rewriter.getIndexAttr(from)};
        SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(experts),
                                        rewriter.getIndexAttr(columns)};
        SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
        auto before = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
        operand->set(tensor::ExtractSliceOp::create(
            rewriter, left->getOwner()->getLoc(), part, both, offsets, sizes,
            strides));
        if (before) {
          rewriter.eraseOp(before);
        }
      }
    }
  }

  void runOnOperation() override {
    WeightUses uses(getOperation());
    groups.clear();
    for (WeightUses::Group &group : uses.groups()) {
      for (OpOperand *use : group.leaves) {
        if (OpOperand *operand = operandOf(*use)) {
          groups[operand] = &group;
        }
      }
    }
    SmallVector<std::pair<WeightUses::Group *, WeightUses::Group *>> pairs;
    for (WeightUses::Group &down : uses.groups()) {
      if (WeightUses::Group *up = partnerOf(down)) {
        pairs.emplace_back(&down, up);
      }
    }
    for (auto [down, up] : pairs) {
      remark::passed(
          down->values.front().getLoc(),
          remark::RemarkOpts::name("paired").category("cheems-pair-tables"))
          << remark::metric("tables", down->parameters.size() * 2);
      pair(*down, *up);
    }
    eraseUnusedWeights(getOperation());
  }
};
} // namespace
