// What an attribute of AttributeNames.h may be, and where it may stand.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;

namespace {
/// Verifies one attribute.
struct Rule {
  StringRef name, text;
  bool (*holds)(Operation *op, Attribute value);
};

bool isModule(Operation *op) { return isa<ModuleOp>(op); }
bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }

/// Whether this is an i64, and no less than `least`.
bool isNumber(Attribute value, int64_t least) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= least;
}

/// Whether this is a text that is not empty.
bool isText(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && !text.empty();
}

template <typename Row> bool isListOf(Attribute value) {
  auto rows = dyn_cast<ArrayAttr>(value);
  return rows && llvm::all_of(rows, llvm::IsaPred<Row>);
}

constexpr Rule rules[] = {
    {kStage, "a #cheems.stage on a module",
     [](Operation *op, Attribute value) {
       return isModule(op) && isa<StageAttr>(value);
     }},
    {kTarget, "a target on a module",
     [](Operation *op, Attribute value) {
       return isModule(op) && isa<TargetAttrInterface>(value);
     }},
    {kState, "a list of #cheems.pool on a module",
     [](Operation *op, Attribute value) {
       return isModule(op) && isListOf<PoolAttr>(value);
     }},
    {kParameters, "a list of #cheems.stored_parameter on a module",
     [](Operation *op, Attribute value) {
       return isModule(op) && isListOf<StoredParameterAttr>(value);
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

/// Parameters that are added start at `cheems.parameter_bytes`.
LogicalResult verifyEnds(Operation *op, ArrayAttr parameters) {
  auto end = op->getAttrOfType<IntegerAttr>(kParameterBytes);
  for (auto [i, row] :
       llvm::enumerate(parameters.getAsRange<StoredParameterAttr>())) {
    int64_t last = 0;
    if (!end || llvm::AddOverflow(row.getOffset(), row.getBytes(), last) ||
        last > end.getInt()) {
      return op->emitOpError()
             << "row " << i << " of " << kParameters << " ends past "
             << kParameterBytes << ", which counts the bytes of all rows";
    }
  }
  return success();
}
} // namespace

LogicalResult CheemsDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  const Rule *rule = llvm::find_if(
      rules, [&](const Rule &each) { return named.getName() == each.name; });
  if (rule != std::end(rules)) {
    if (!rule->holds(op, named.getValue())) {
      return op->emitOpError() << rule->name << " is " << rule->text << ", not "
                               << named.getValue();
    }
    return rule->name == kParameters
               ? verifyEnds(op, cast<ArrayAttr>(named.getValue()))
               : success();
  }
  return op->emitOpError() << "has an attribute that no pass knows: "
                           << named.getName();
}

LogicalResult CheemsDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argument,
                                                      NamedAttribute named) {
  Attribute value = named.getValue();
  if (named.getName() == kField) {
    return isa<StepFieldAttr>(value)
               ? success()
               : op->emitOpError() << kField << " of argument " << argument
                                   << " is a #cheems.step_field, not " << value;
  }
  if (named.getName() == kTensorName) {
    return isText(value) ? success()
                         : op->emitOpError()
                               << kTensorName << " of argument " << argument
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

LogicalResult CheemsDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned result,
                                                         NamedAttribute named) {
  if (named.getName() == kTensorName) {
    return isText(named.getValue())
               ? success()
               : op->emitOpError() << kTensorName << " of result " << result
                                   << " is a name, not " << named.getValue();
  }
  return op->emitOpError() << "has an attribute of result " << result
                           << " that no pass knows: " << named.getName();
}
