// Follows a function that launches kernels, on the card.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_LAUNCHPLAN_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_LAUNCHPLAN_H

#include "Array.h"
#include "Card.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <variant>

namespace cheems::test {

/// What a function takes: an array, which a launch may write, or a number.
using Argument = std::variant<Array *, int64_t, float>;

/// Runs `function`, whose launches are on memrefs, with the kernels of `ptx`,
/// which were made of those of its module. Arguments have their new values
/// then; the function's results are returned. Throws CardError for what the
/// card finds, and for an op that no plan has.
std::vector<Array> runPlan(mlir::func::FuncOp function, const std::string &ptx,
                           llvm::ArrayRef<Argument> arguments);

} // namespace cheems::test

#endif
