// Rows of a product's input, rounded to bf16 before they are multiplied.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_LINEARPACK_H
#define CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_LINEARPACK_H

#include "Linear.h"

namespace mlir::cheems {

/// x [T, K] in bf16 as [T, stride], where each row is followed by zeros up to a
/// multiple of 32: whole blocks of 16 rows in one buffer, the rest in another
/// that can be read as 16 rows whatever T is.
class LinearPack {
public:
  static constexpr int64_t kRows = 16; ///< of a block
  static constexpr int64_t kWidth = 32;

  /// With `widens`, a row that is the only one goes to `single` alone.
  explicit LinearPack(LinearKernel &kernel, bool widens = false);

  /// Packs all rows in front of the enclosing scf.forall, whole blocks by all
  /// threads. False where x is not there yet, or is not rows of the function:
  /// then there is only room in `rest`, for packHere.
  bool packAhead();

  /// Packs rows [from, to), at most 16, to the start of `rest`.
  void packHere(Value from, Value to) { pack(k.x, from, to, rest, k.zero); }
  /// Packs the only row, to `single`.
  void packSingle() { packSingle(k.x); }

  /// Whether `rows` is one.
  Value isSingle(Value rows);

  Value blocks; ///< [>= whole, stride]: rows before `whole`
  Value whole;  ///< T rounded down to a multiple of 16
  Value rest;   ///< [16, stride]: the others
  Value single; ///< [stride]: the only row, in f32
  int64_t stride;

private:
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  bool widens;

  Value allocate(OpFoldResult rows);
  void allocateRest();
  /// Rounds a row: each 16 columns of it and of the zeros behind it.
  void round(Value x, Value row,
             llvm::function_ref<void(Value column, Value rounded)> store);
  void packSingle(Value x);
  void pack(Value x, Value from, Value to, Value target, Value at);
};

} // namespace mlir::cheems

#endif
