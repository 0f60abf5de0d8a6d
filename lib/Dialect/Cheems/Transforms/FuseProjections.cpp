// cheems-fuse-projections: matmuls of one input become one matmul.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/Cheems/Utils/Elementwise.h"
#include "cheems/Dialect/Cheems/Utils/Weights.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace cheems {
#define GEN_PASS_DEF_FUSEPROJECTIONSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
/// A matmul that may merge: its weight is used by it alone, its destination is
/// zero.
struct Candidate {
  linalg::MatmulOp op;
  WeightUses::Group *weight;
  Block *block() const {
    return weight->leaves.front()->getOwner()->getBlock();
  }
};

bool startsAtZero(linalg::MatmulOp op) {
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

remark::RemarkOpts remarkOf(StringRef name, linalg::MatmulOp op) {
  return remark::RemarkOpts::name(name)
      .category("cheems-fuse-projections")
      .function(op->getParentOfType<func::FuncOp>().getName());
}

/// Two matmuls that one elementwise op combines, a gate and what it gates,
/// stay two. A later pass makes one op of them, with two weights and with the
/// elementwise op as its epilogue.
void dropPairs(SmallVectorImpl<Candidate> &found) {
  SmallVector<linalg::GenericOp> ends;
  for (Candidate &c : found) {
    ends.push_back(lastElementwiseUse(c.op.getResult(0)));
  }
  SmallVector<Candidate> left;
  for (size_t i = 0; i < found.size(); ++i) {
    size_t same = 0;
    for (size_t j = 0; j < found.size(); ++j) {
      same += ends[j] == ends[i] &&
              found[j].weight->type() == found[i].weight->type();
    }
    if (!ends[i] || same != 2) {
      left.push_back(found[i]);
    } else {
      remark::missed(found[i].op.getLoc(), remarkOf("pair", found[i].op))
          << "one op with two weights is made of it and of what it gates";
    }
  }
  found.assign(left);
}

/// The calls that pass a value on; none where a matmul reads it.
SmallPtrSet<Operation *, 4> callsOf(Value value) {
  SmallPtrSet<Operation *, 4> calls;
  for (Operation *user : value.getUsers()) {
    if (isa<func::CallOp>(user)) {
      calls.insert(user);
    }
  }
  return calls;
}

/// Parameters reach `a` and `b` in pairs, in one order: by the same calls, or
/// both directly.
bool sameCallers(const WeightUses::Group &a, const WeightUses::Group &b) {
  return a.parameters.size() == b.parameters.size() &&
         a.values.size() == b.values.size() &&
         llvm::all_of(llvm::zip(a.values, b.values), [](auto pair) {
           auto [left, right] = pair;
           return isa<BlockArgument>(left) == isa<BlockArgument>(right) &&
                  callsOf(left) == callsOf(right);
         });
}

/// One parameter is of one element type, and rounded in one way.
bool mayMerge(const Candidate &a, const Candidate &b) {
  auto element = [](const Candidate &c) {
    return cast<RankedTensorType>(c.weight->type()).getElementType();
  };
  return element(a) == element(b) &&
         a.weight->quantized() == b.weight->quantized() &&
         a.block() == b.block() && sameCallers(*a.weight, *b.weight);
}

// Not a pattern: which weights merge follows from all calls of a layer function
// together, and a merge retypes the function, its calls and their parameters.
struct FuseProjections
    : cheems::impl::FuseProjectionsPassBase<FuseProjections> {
  void merge(ArrayRef<Candidate> group) {
    linalg::MatmulOp first = group.front().op;
    IRRewriter rewriter(&getContext());
    SmallVector<Location> locations;
    int64_t columns = 0;
    for (Candidate c : group) {
      locations.push_back(c.op.getLoc());
      columns += cast<RankedTensorType>(c.weight->type()).getDimSize(0);
    }
    Location loc = rewriter.getFusedLoc(locations);
    auto matrix = cast<RankedTensorType>(group.front().weight->type());
    // The first weight's parameters take the names of all; the others'
    // have no uses any more and are erased.
    WeightUses::Group &merged = *group.front().weight;
    for (auto [i, parameter] : llvm::enumerate(merged.parameters)) {
      SmallVector<Attribute> names;
      for (const Candidate &c : group) {
        ArrayAttr more = c.weight->parameters[i].getNames();
        names.append(more.begin(), more.end());
      }
      parameter.setNamesAttr(rewriter.getArrayAttr(names));
    }
    for (const Candidate &c : group.drop_front()) {
      merged.takeLocations(*c.weight);
    }
    merged.setType(RankedTensorType::get({columns, matrix.getDimSize(1)},
                                         matrix.getElementType()));

    rewriter.setInsertionPoint(first);
    OpFoldResult rows =
        tensor::getMixedSize(rewriter, loc, first.getInputs()[0], 0);
    Value init = tensor::EmptyOp::create(
        rewriter, loc,
        ArrayRef<OpFoldResult>{rows, rewriter.getIndexAttr(columns)},
        rewriter.getF32Type());
    Value zero =
        first.getOutputs()[0].getDefiningOp<linalg::FillOp>().getInputs()[0];
    init = linalg::FillOp::create(rewriter, loc, zero, init).getResult(0);
    auto product = cast<linalg::MatmulOp>(
        mlir::clone(rewriter, first, init.getType(),
                    {first.getInputs()[0], first.getInputs()[1], init}));
    product->setLoc(loc);
    remark::passed(loc, remarkOf("merged", first))
        << remark::metric("products", group.size())
        << remark::metric("columns", columns);
    int64_t at = 0;
    for (const Candidate &c : group) {
      linalg::MatmulOp op = c.op;
      int64_t width =
          cast<RankedTensorType>(op.getResult(0).getType()).getDimSize(1);
      SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0),
                                        rewriter.getIndexAttr(at)};
      SmallVector<OpFoldResult> sizes{rows, rewriter.getIndexAttr(width)};
      SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
      rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
          op, cast<RankedTensorType>(op.getResult(0).getType()),
          product.getResult(0), offsets, sizes, strides);
      at += width;
    }
  }

  void runOnOperation() override {
    WeightUses uses(getOperation());
    llvm::MapVector<Value, SmallVector<Candidate>> byInput;
    for (WeightUses::Group &group : uses.groups()) {
      if (group.leaves.size() != 1 || group.permuted() ||
          !isTransposedWeight(*group.leaves.front())) {
        continue;
      }
      auto op = cast<linalg::MatmulOp>(group.leaves.front()->getOwner());
      if (startsAtZero(op)) {
        byInput[op.getInputs()[0]].push_back({op, &group});
      }
    }
    for (auto &[input, found] : byInput) {
      dropPairs(found);
      // The order is that of the program, so that the slices come before their
      // uses.
      llvm::sort(found, [](const Candidate &a, const Candidate &b) {
        linalg::MatmulOp first = a.op, second = b.op;
        return first->getBlock() == second->getBlock() &&
               first->isBeforeInBlock(second);
      });
      SmallVector<SmallVector<Candidate>> alike;
      for (const Candidate &c : found) {
        auto *group = llvm::find_if(alike, [&](ArrayRef<Candidate> group) {
          return mayMerge(c, group.front());
        });
        if (group == alike.end()) {
          alike.push_back({c});
        } else {
          group->push_back(c);
        }
      }
      for (ArrayRef<Candidate> group : alike) {
        if (group.size() > 1) {
          merge(group);
        }
      }
    }
    eraseUnusedWeights(getOperation());
  }
};
} // namespace
