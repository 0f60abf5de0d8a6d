// The pass that runs a module.
#ifndef CHEEMS_INTERPRETER_PASSES_H
#define CHEEMS_INTERPRETER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems::interpreter {

#define GEN_PASS_DECL
#include "cheems/Interpreter/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Interpreter/Passes.h.inc"

} // namespace cheems::interpreter

#endif
