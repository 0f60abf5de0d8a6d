// What an attribute of AttributeNames.h may be, and where it may stand.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

static LogicalResult verifyWorkspace(Operation *op, Attribute value) {
  auto sizes = dyn_cast<DenseI64ArrayAttr>(value);
  if (!isa<FunctionOpInterface>(op) || !sizes || sizes.size() != 3 ||
      llvm::any_of(sizes.asArrayRef(), [](int64_t size) { return size < 0; })) {
    return op->emitOpError()
           << kWorkspace << " is three i64 of at least 0 on a function, not "
           << value;
  }
  return success();
}

static LogicalResult verifyName(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!isa<scf::ForallOp>(op) || !name || name.empty()) {
    return op->emitOpError()
           << kName << " is a name on an scf.forall, not " << value;
  }
  return success();
}

LogicalResult CheemsCPUDialect::verifyOperationAttribute(Operation *op,
                                                         NamedAttribute named) {
  if (named.getName() == kWorkspace) {
    return verifyWorkspace(op, named.getValue());
  }
  if (named.getName() == kName) {
    return verifyName(op, named.getValue());
  }
  if (named.getName() != kStrategy) {
    return op->emitOpError()
           << "has an attribute that no pass knows: " << named.getName();
  }
  auto strategy = dyn_cast<StrategyAttrInterface>(named.getValue());
  if (!strategy) {
    return op->emitOpError()
           << kStrategy << " is no strategy: " << named.getValue();
  }
  return strategy.verifyOn(op);
}
