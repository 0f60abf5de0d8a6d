// Passes on plans of launches.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_TRANSFORMS_PASSES_H
#define CHEEMS_DIALECT_CHEEMSPLAN_TRANSFORMS_PASSES_H

#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "mlir/Pass/Pass.h"

namespace cheems::plan {

#define GEN_PASS_DECL
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h.inc"

} // namespace cheems::plan

#endif
