// Entries, parts, conditions and launches: their verifiers, and how conditions
// join.
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::plan;

LogicalResult EntryOp::verify() {
  if (getKind() == EntryKind::General) {
    return getCount() ? emitOpError("C1: a general entry has no count")
                      : success();
  }
  if (int64_t(getCount().value_or(0)) < 1) {
    return emitOpError("C1: an entry for ")
           << stringifyEntryKind(getKind()) << " has a count of at least 1";
  }
  return success();
}

LogicalResult PartOp::verify() {
  return getPart().empty() ? emitOpError("C1: needs a name") : success();
}

LogicalResult WhenOp::verify() {
  for (Operation &op : getBody().front()) {
    if (!isa<LaunchOp>(op)) {
      return emitOpError("C1: has launches alone, not '")
             << op.getName().getStringRef() << "'";
    }
  }
  return success();
}

/// The `when` of the same condition that comes next, with no launch and no part
/// in between; null if there is none.
static WhenOp nextOf(WhenOp when) {
  for (Operation *op = when->getNextNode(); op; op = op->getNextNode()) {
    if (isa<LaunchOp, PartOp>(op)) {
      return {};
    }
    if (auto next = dyn_cast<WhenOp>(op)) {
      return next.getCondition() == when.getCondition() ? next : WhenOp();
    }
  }
  return {};
}

LogicalResult WhenOp::canonicalize(WhenOp op, PatternRewriter &rewriter) {
  BoolAttr known;
  if (matchPattern(op.getCondition(), m_Constant(&known))) {
    if (known.getValue()) {
      rewriter.inlineBlockBefore(&op.getBody().front(), op);
    }
    rewriter.eraseOp(op);
    return success();
  }
  // All that the launches take stands before the later one.
  if (WhenOp next = nextOf(op)) {
    Block &later = next.getBody().front();
    rewriter.inlineBlockBefore(&op.getBody().front(), &later, later.begin());
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

/// Whether a value of this type may be the parameter.
static bool fits(Type given, const tile::KernelParameter &parameter,
                 TypeRange arguments) {
  using Kind = tile::KernelParameter::Kind;
  switch (parameter.kind) {
  case Kind::Pointer:
    return isa<AddressType>(given);
  case Kind::Extent:
    return given.isIndex();
  case Kind::Index:
  case Kind::I32:
  case Kind::F32:
  case Kind::TensorMap:
    return given == arguments[parameter.argument];
  }
  llvm_unreachable("every kind is above");
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<tile::KernelOp>(*this, getKernelAttr());
  if (!kernel) {
    // A compiled one is a function, in a module of all kernels.
    auto compiled =
        SymbolRefAttr::get(getContext(), tile::kKernels, {getKernelAttr()});
    if (symbols.lookupNearestSymbolFrom(*this, compiled)) {
      return success();
    }
    return emitOpError("C1: there is no kernel ") << getKernelAttr();
  }
  auto parameters = tile::parametersOf(kernel.getArgumentTypes());
  if (parameters.size() != getArguments().size()) {
    return emitOpError("C1: the kernel ")
           << getKernelAttr() << " has " << parameters.size()
           << " parameters, and is given " << getArguments().size();
  }
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    Type given = getArguments()[number].getType();
    if (!fits(given, parameter, kernel.getArgumentTypes())) {
      return emitOpError("C2: argument ")
             << number << " is " << given << ", and the kernel takes "
             << kernel.getArgumentTypes()[parameter.argument];
    }
  }
  return success();
}
