// Registration of the cheems dialect and its attributes.
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "OpUtils.h"
#include "Pool.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cheems;

#include "cheems/Dialect/Cheems/IR/CheemsAttrInterfaces.cpp.inc"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.cpp.inc"
#include "cheems/Dialect/Cheems/IR/CheemsEnums.cpp.inc"
#include "cheems/Dialect/Cheems/IR/CheemsInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/Cheems/IR/CheemsOps.cpp.inc"

namespace {
/// Functions that have parts of a step may be inlined once they are launches:
/// then marks are all that is left of this dialect.
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool,
                       IRMapping &) const override {
    return isa<MarkOp>(op);
  }
};
} // namespace

void CheemsDialect::initialize() {
  addInterfaces<Inlining>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "cheems/Dialect/Cheems/IR/CheemsOps.cpp.inc"
      >();
}

LogicalResult
QuantizedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t bits, int64_t group, QuantizedPart part) {
  if (bits != 4 && bits != 8) {
    return emitError() << "codes have 4 or 8 bits, not " << bits;
  }
  if (group < 0) {
    return emitError() << "a group has at least one element, or 0 for all, not "
                       << group;
  }
  return success();
}
