// Sound modules that mutations start from.
#ifndef CHEEMS_TEST_UNIT_MUTATION_SEEDS_H
#define CHEEMS_TEST_UNIT_MUTATION_SEEDS_H

#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace cheems::test {

struct Seed {
  std::string origin; ///< a file, and how far the module was lowered
  std::string text;
};

/// One function or so each, all verified: the lit tests of the dialect, the
/// examples in its .td files, imported checkpoints; and what the pipelines make
/// of all of them half-way. The same in every run.
std::vector<Seed> allSeeds(mlir::MLIRContext &context);

} // namespace cheems::test

#endif
