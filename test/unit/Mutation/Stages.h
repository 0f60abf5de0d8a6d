// What every mutant goes through.
#ifndef CHEEMS_TEST_UNIT_MUTATION_STAGES_H
#define CHEEMS_TEST_UNIT_MUTATION_STAGES_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace cheems::test {

/// A pass alone or a pipeline.
struct Stage {
  std::string name;     ///< as cheems-opt knows it
  std::string pipeline; ///< inside builtin.module
};

/// Every pass that a Passes.td declares, then the pipelines.
std::vector<Stage> allStages();

/// Parses and verifies `text`, prints it and parses that, then runs each of
/// `stages` on a copy. Diagnostics are fine. `at` is told each step before it
/// begins: "parse", "print", "parse back", then the stages' names. Returns
/// whether the text was sound and had no dim of an extent past the shape; what
/// was printed must be sound again, or the process ends by abort().
bool passThrough(mlir::MLIRContext &context, const std::string &text,
                 const std::vector<Stage> &stages,
                 llvm::function_ref<void(const std::string &)> at);

} // namespace cheems::test

#endif
