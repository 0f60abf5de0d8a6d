// Sizes and addresses: their verifiers, and what their results are called.
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"

using namespace mlir;
using namespace cheems::plan;

void SizeOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), stringifyStepSize(getSize()));
}

void FieldOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), ("of_" + stringifyStepField(getField())).str());
}

void WeightsOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), "weights");
}

LogicalResult WeightsOp::verify() {
  return int64_t(getOffset()) < 0
             ? emitOpError("C1: the offset is not negative, but this is ")
                   << int64_t(getOffset())
             : success();
}

void PoolOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), "pool");
}

LogicalResult PoolOp::verify() {
  return int64_t(getIndex()) < 0
             ? emitOpError("C1: the index is not negative, but this is ")
                   << int64_t(getIndex())
             : success();
}

void AreaOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), "area");
}
