// Makes groups of ops.
#include "Grouping.h"
#include "Patterns.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Memory without values, or with one, and the sizes of it.
static bool canBeCopied(Operation *op) {
  return isa<tensor::EmptyOp, linalg::FillOp, tensor::DimOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

void Grouping::addReadThrough(Operation *op) {
  auto isInside = [&](Operation *user) { return members.contains(user); };
  if (!op || op->getBlock() != members.front()->getBlock()) {
    return;
  }
  if (llvm::all_of(op->getUsers(), isInside)) {
    return add(op);
  }
  Operation *copy = OpBuilder(op).clone(*op);
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    from.replaceUsesWithIf(
        to, [&](OpOperand &use) { return isInside(use.getOwner()); });
  }
  add(copy);
}

bool Grouping::addRounding(const RoundedOutput &rounded, Operation *at) {
  linalg::GenericOp op = rounded.rounding;
  if (!op) {
    return false;
  }
  // It reads a member alone, as rows of all heads.
  Operation *collapse = op.getInputs()[0].getDefiningOp();
  Grouping with = *this;
  with.add(collapse);
  if (!with.canHave(op, at)) {
    return false;
  }
  add(collapse);
  add(op);
  return true;
}

bool Grouping::canHave(Operation *op, Operation *at) const {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *before = operand.getDefiningOp();
    return !before || before->getBlock() != at->getBlock() ||
           before->isBeforeInBlock(at) || members.contains(before) ||
           (canBeCopied(before) && canHave(before, at));
  });
}

/// Copies memory that is after the group, or filled before it.
static void ownMemory(Operation *op, GroupOp group) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *before = operand.get().getDefiningOp();
    if (!before || before->getBlock() != group->getBlock() ||
        (before->isBeforeInBlock(group) && !isa<linalg::FillOp>(before))) {
      continue;
    }
    assert(canBeCopied(before) && "what the group reads is there");
    Operation *copy = OpBuilder(op).clone(*before);
    operand.set(copy->getResult(0));
    ownMemory(copy, group);
  }
}

GroupOp Grouping::form(GroupKind kind, Operation *at) {
  SmallVector<Operation *> ops = members.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *c) { return a->isBeforeInBlock(c); });
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  SmallVector<Value> read;
  for (Operation *op : ops) {
    llvm::copy_if(op->getResults(), std::back_inserter(read), [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        return !inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
      });
    });
  }
  OpBuilder b(at);
  auto group = GroupOp::create(b, ops.back()->getLoc(), TypeRange(read), kind);
  Block *body = &group.getBody().emplaceBlock();
  for (Operation *op : ops) {
    op->moveBefore(body, body->end());
  }
  for (auto [value, result] : llvm::zip_equal(read, group.getResults())) {
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !group->isProperAncestor(use.getOwner());
    });
  }
  b.setInsertionPointToEnd(body);
  GroupYieldOp::create(b, group.getLoc(), read);
  SmallVector<Operation *> readers;
  group.getBody().walk([&](Operation *op) { readers.push_back(op); });
  for (Operation *op : readers) {
    ownMemory(op, group);
  }
  return group;
}

LogicalResult cheems::tile::formGroups(
    ModuleOp module, function_ref<void(func::FuncOp, const Strategy &)> form) {
  auto target = module->getAttrOfType<cheems::tile::TargetAttr>(kTarget);
  if (!target) {
    return module.emitError("has no #cheems_tile.target as cheems.target");
  }
  IRRewriter rewriter(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(verifyElements(function))) {
      return failure();
    }
    if (!function.isExternal()) {
      form(function, Strategy(target));
      (void)runRegionDCE(rewriter, function->getRegions());
    }
  }
  return success();
}
