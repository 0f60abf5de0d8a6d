// cheems-pair-tables: both rows of an expert in one run of memory.
#include "Weights.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_PAIRTABLESPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Nothing but the ops' `down`, or nothing but their `up`, in rows of the
/// checkpoint's.
bool isTable(const WeightUses::Group &group, bool up) {
  return !group.leaves.empty() &&
         llvm::all_of(group.leaves,
                      [&](OpOperand *use) {
                        auto op = dyn_cast<MixExpertsOp>(use->getOwner());
                        return op &&
                               use->get() == (up ? op.getUp() : op.getDown()) &&
                               op.getUp() != op.getDown();
                      }) &&
         llvm::all_of(group.parameters, [](ParameterOp op) {
           return op.getNames().size() == 1 && !op.getLayoutAttr() &&
                  !op.getPermuteAttr();
         });
}

/// Whether the values of both go to the same ops and calls, one by one.
bool inPairs(const WeightUses::Group &down, const WeightUses::Group &up) {
  auto users = [](Value value) {
    return llvm::SmallPtrSet<Operation *, 4>(value.user_begin(),
                                             value.user_end());
  };
  return down.parameters.size() == up.parameters.size() &&
         down.values.size() == up.values.size() &&
         llvm::all_of(llvm::zip(down.values, up.values), [&](auto pair) {
           auto [a, b] = pair;
           return users(a) == users(b);
         });
}

struct PairTables : cheems::impl::PairTablesPassBase<PairTables> {
  void pair(WeightUses::Group &down, WeightUses::Group &up) {
    auto type = cast<RankedTensorType>(down.type());
    int64_t experts = type.getDimSize(0), size = type.getDimSize(1);
    IRRewriter rewriter(&getContext());
    for (auto [left, right] : llvm::zip(down.parameters, up.parameters)) {
      SmallVector<Attribute> names(left.getNames().getValue());
      llvm::append_range(names, right.getNames());
      left.setNamesAttr(rewriter.getArrayAttr(names));
      left.setBeside(true);
    }
    down.setType(
        RankedTensorType::get({experts, 2 * size}, type.getElementType()));
    for (OpOperand *use : down.leaves) {
      auto op = cast<MixExpertsOp>(use->getOwner());
      Value table = use->get();
      rewriter.setInsertionPoint(op);
      auto columns = [&](int64_t from) -> Value {
        SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0),
                                          rewriter.getIndexAttr(from)};
        SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(experts),
                                        rewriter.getIndexAttr(size)};
        SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
        return tensor::ExtractSliceOp::create(rewriter, op.getLoc(), type,
                                              table, offsets, sizes, strides);
      };
      op.getDownMutable().assign(columns(0));
      op.getUpMutable().assign(columns(size));
    }
  }

  void runOnOperation() override {
    WeightUses uses(getOperation());
    llvm::DenseMap<Operation *, WeightUses::Group *> ups;
    for (WeightUses::Group &group : uses.groups()) {
      for (OpOperand *use :
           isTable(group, true) ? group.leaves : SmallVector<OpOperand *>()) {
        ups[use->getOwner()] = &group;
      }
    }
    for (WeightUses::Group &down : uses.groups()) {
      if (!isTable(down, false)) {
        continue;
      }
      WeightUses::Group *up = ups.lookup(down.leaves.front()->getOwner());
      if (up && inPairs(down, *up)) {
        pair(down, *up);
      }
    }
    eraseUnusedWeights(getOperation());
  }
};
} // namespace
