// Registration of the cheems_cpu dialect and its attributes.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cheems;

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrInterfaces.cpp.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.cpp.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.cpp.inc"

void CheemsCPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t lanes, int64_t registers,
                                 Products products) {
  if (lanes != 1 && lanes != 8 && lanes != 16) {
    return emitError() << "registers have 8 or 16 lanes, or 1 for plain loops, "
                          "not "
                       << lanes;
  }
  if (registers != 16 && registers != 32) {
    return emitError() << "there are 16 or 32 registers, not " << registers;
  }
  return success();
}

StringRef TargetAttr::getBackend() const { return "cpu"; }

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t pair) {
  if (rows < 1 || pair < 1) {
    return emitError() << "panels need at least one row and one element, got <"
                       << rows << ", " << pair << ">";
  }
  return success();
}

/// Codes and scales are as `#cheems.quantized` says.
bool PanelsAttr::mayHave(ArrayRef<int64_t> shape, bool stacked,
                         Attribute quantized) const {
  if (auto format = dyn_cast_or_null<QuantizedAttr>(quantized)) {
    size_t rank = format.getPart() == QuantizedPart::Codes ? 4 : 3;
    return format.getPart() != QuantizedPart::Matrix && shape.size() == rank &&
           shape[2] == getRows();
  }
  return (stacked ? shape.size() >= 4 : shape.size() == 4) &&
         shape.take_back(2) == ArrayRef<int64_t>{getRows(), getPair()};
}

int64_t PanelsAttr::getFurtherDimensions() const { return 2; }
