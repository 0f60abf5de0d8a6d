// Seeded changes to modules, in memory and in text.
#ifndef CHEEMS_TEST_UNIT_MUTATION_MUTATE_H
#define CHEEMS_TEST_UNIT_MUTATION_MUTATE_H

#include "mlir/IR/BuiltinOps.h"
#include <random>
#include <string>
#include <vector>

namespace cheems::test {

/// The same numbers on every machine.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}

  /// 0 to count - 1.
  size_t below(size_t count) { return engine() % count; }
  bool once(size_t in) { return below(in) == 0; }
  template <typename T> const T &of(const std::vector<T> &items) {
    return items[below(items.size())];
  }

private:
  std::mt19937 engine;
};

/// An extent: mostly small, sometimes nothing, large or dynamic.
int64_t someExtent(Random &random);
/// Another type of the same kind, or of another kind now and then.
mlir::Type otherType(mlir::Type type, Random &random);
/// Every type of the module that equals or contains `from` becomes `to`;
/// function types follow.
void replaceTypes(mlir::ModuleOp module, mlir::Type from, mlir::Type to);
/// Every static extent of `from` in a shaped type becomes `to`.
void replaceExtents(mlir::ModuleOp module, int64_t from, int64_t to);

/// Changes the operands, types, attributes or regions of one op. What comes
/// out can be printed, and need not be sound.
void mutateModule(mlir::ModuleOp module, Random &random);

/// Changes one token.
std::string mutateText(const std::string &text, Random &random);

} // namespace cheems::test

#endif
