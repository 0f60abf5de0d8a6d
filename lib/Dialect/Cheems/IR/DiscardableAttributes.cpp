// What an attribute of AttributeNames.h may be, and where it may stand.
#include "ModuleTables.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cheems;

namespace {
/// One attribute's law.
struct Law {
  StringRef name, text;
  bool (*holds)(Operation *op, Attribute value);
};

bool isModule(Operation *op) { return isa<ModuleOp>(op); }
bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }

constexpr Law laws[] = {{kStage, "a #cheems.stage on a module",
                         [](Operation *op, Attribute value) {
                           return isModule(op) && isa<StageAttr>(value);
                         }},
                        {kTarget, "a target on a module",
                         [](Operation *op, Attribute value) {
                           return isModule(op) &&
                                  isa<TargetAttrInterface>(value);
                         }},
                        {kState, "a list of #cheems.pool on a module",
                         [](Operation *op, Attribute value) {
                           auto pools = dyn_cast<ArrayAttr>(value);
                           return isModule(op) && pools &&
                                  llvm::all_of(pools, llvm::IsaPred<PoolAttr>);
                         }},
                        {kParameterBytes, "an i64 of at least 0 on a module",
                         [](Operation *op, Attribute value) {
                           return isModule(op) && isNumber(value, 0);
                         }},
                        {kEntry, "a name on a function",
                         [](Operation *op, Attribute value) {
                           return isFunction(op) && isText(value);
                         }},
                        {kMostRows, "an i64 of at least 1 on a function",
                         [](Operation *op, Attribute value) {
                           return isFunction(op) && isNumber(value, 1);
                         }}};
} // namespace

LogicalResult CheemsDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  if (named.getName() == kParameters) {
    return verifyParameters(op, named.getValue());
  }
  for (const Law &law : laws) {
    if (named.getName() == law.name) {
      return law.holds(op, named.getValue())
                 ? success()
                 : op->emitOpError() << law.name << " is " << law.text
                                     << ", not " << named.getValue();
    }
  }
  return op->emitOpError() << "has an attribute that no pass knows: "
                           << named.getName();
}

LogicalResult CheemsDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argument,
                                                      NamedAttribute named) {
  Attribute value = named.getValue();
  if (named.getName() == kField) {
    return isText(value) ? success()
                         : op->emitOpError()
                               << kField << " of argument " << argument
                               << " is a name, not " << value;
  }
  if (named.getName() == kIndex) {
    return isNumber(value, 0)
               ? success()
               : op->emitOpError() << kIndex << " of argument " << argument
                                   << " is an i64 of at least 0, not " << value;
  }
  return op->emitOpError() << "has an attribute of argument " << argument
                           << " that no pass knows: " << named.getName();
}
