// Makes groups of ops.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_FORMGROUPS_GROUPING_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_FORMGROUPS_GROUPING_H

#include "Builder/RoundedOutput.h"
#include "Strategy/Strategy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace cheems::tile {

/// The ops of a block that become a group.
class Grouping {
public:
  Grouping() = default;
  explicit Grouping(ArrayRef<Operation *> members) {
    llvm::for_each(members, [&](Operation *op) { add(op); });
  }

  /// Null: none.
  void add(Operation *op) {
    if (op) {
      members.insert(op);
    }
  }
  /// An op that members read through. If others read it, too, it is a copy.
  void addReadThrough(Operation *op);

  /// The rounding after a member, if there is one that a group before
  /// `at` can have. Returns whether there is.
  bool addRounding(const RoundedOutput &rounded, Operation *at);

  /// Whether a group before `at` can have `op`: what it reads is there, is
  /// a member, or is memory without values.
  bool canHave(Operation *op, Operation *at) const;

  /// A group before `at`, to which all that members read is there. Memory
  /// that is not there yet is made in the group; what fills it for a member is
  /// always there.
  GroupOp form(GroupKind kind, Operation *at);

private:
  llvm::SetVector<Operation *> members;
};

/// Whether `op` is in no group yet.
inline bool isFree(Operation *op) {
  return op->getBlock() && !op->getParentOfType<GroupOp>();
}

/// The ops of a type that are in no group.
template <typename... OpTys>
SmallVector<Operation *> freeOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<GroupOp>(op)) {
      return WalkResult::skip();
    }
    if (isa<OpTys...>(op)) {
      ops.push_back(op);
    }
    return WalkResult::advance();
  });
  return ops;
}

/// Forms groups in each function of a module, and removes what nothing reads
/// any more. An error if the module has no target, or a tensor no elements.
LogicalResult
formGroups(ModuleOp module,
           function_ref<void(func::FuncOp, const Strategy &)> form);

} // namespace cheems::tile

#endif
