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

  explicit LinearPack(LinearKernel &kernel);

  /// Packs all rows in front of the enclosing scf.forall, whole blocks by all
  /// threads. False where x is not there yet, or is not rows of the function:
  /// then there is only room in `rest`, for packHere.
  bool packAhead();

  /// Packs rows [from, to), at most 16, to the start of `rest`.
  void packHere(Value from, Value to) { pack(k.x, from, to, rest, k.zero); }

  Value blocks; ///< [>= whole, stride]: rows before `whole`
  Value whole;  ///< T rounded down to a multiple of 16
  Value rest;   ///< [16, stride]: the others
  int64_t stride;

private:
  LinearKernel &k;
  OpBuilder &b;
  Location loc;

  Value allocate(OpFoldResult rows);
  void pack(Value x, Value from, Value to, Value target, Value at);
};

} // namespace mlir::cheems

#endif
