// Registration of the cheems_plan dialect.
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "cheems/Dialect/Cheems/IR/WordFormat.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::plan;

#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.cpp.inc"
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanTypes.cpp.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanOps.cpp.inc"

void CheemsPlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanOps.cpp.inc"
      >();
}
