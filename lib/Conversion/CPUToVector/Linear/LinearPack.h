// Rows of a matmul's input, packed before they are multiplied.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARPACK_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARPACK_H

#include "Linear.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// x as [T, stride] elements: whole blocks of 16 rows in one buffer, the rest
/// in another that can be read as 16 rows whatever T is.
class RowPack {
public:
  static constexpr int64_t kRows = 16; ///< of a block
  /// Rows of tiles are packed in this way, too; a row is followed by zeros up
  /// to a multiple of it.

  virtual ~RowPack() = default;

  /// Packs all rows before the enclosing scf.forall, whole blocks by all
  /// threads. False where x is not there yet, or is not rows of the function:
  /// then there is only room in `rest`, for packHere.
  bool packBefore();

  /// Packs rows [from, to), at most 16, to the start of `rest`.
  void packHere(Value from, Value to) { pack(k.x, from, to, rest, k.zero); }

  Value blocks; ///< [>= whole, stride]: rows before `whole`
  Value whole;  ///< T rounded down to a multiple of 16
  Value rest;   ///< [16, stride]: the others
  int64_t stride;

protected:
  RowPack(LinearKernel &kernel, Type element, int64_t stride)
      : stride(stride), k(kernel), b(kernel.b), loc(kernel.loc),
        element(element) {}

  virtual void allocateRest() { rest = allocate(b.getIndexAttr(kRows)); }
  /// Packs the rows from `whole` on.
  virtual void packRest(Value x, Value rows) {
    pack(x, whole, rows, rest, k.index(0));
  }
  /// Packs row `row` of x to row `into` of `target`.
  virtual void packRow(Value x, Value row, Value target, Value into) = 0;

  void pack(Value x, Value from, Value to, Value target, Value at);

  LinearKernel &k;
  OpBuilder &b;
  Location loc;

private:
  Type element;

  Value allocate(OpFoldResult rows);
};

/// Rounds rows to bf16.
class LinearPack : public RowPack {
public:
  static constexpr int64_t kWidth = 32; ///< of zeros: to a multiple

  /// With `widens`, a row that is the only one goes to `single` alone.
  explicit LinearPack(LinearKernel &kernel, bool widens = false);

  /// Packs the only row, to `single`.
  void packSingle() { packSingle(k.x); }

  /// Whether `rows` is one.
  Value isSingle(Value rows);

  Value single; ///< [stride]: the only row, in f32

private:
  bool widens;

  void allocateRest() override;
  void packRest(Value x, Value rows) override;
  void packRow(Value x, Value row, Value target, Value into) override;
  /// Rounds a row: each 16 columns of it and of the zeros after it.
  void round(Value x, Value row,
             llvm::function_ref<void(Value column, Value rounded)> store);
  void packSingle(Value x);
};

} // namespace cheems

#endif
