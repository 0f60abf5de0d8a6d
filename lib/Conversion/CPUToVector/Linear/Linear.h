// What the kernels of cheems_cpu.linear share: the op's shape, and what happens
// to a finished vector of sums.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEAR_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEAR_H

#include "KernelBuilder.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

struct LinearKernel : KernelBuilder {
  static constexpr int64_t kColumns = cpu::LinearOp::kColumns;

  cpu::LinearOp op;
  VectorUnit unit;
  Value x, y;
  SmallVector<Value> weights;    ///< [P, K/pair, 16 * pair]
  int64_t size, pair;            ///< K, and how many k stand side by side
  VectorType column;             ///< 16 x f32
  Value zero, one, rows, panels; ///< rows of x, panels of a weight

  /// Emits at the builder's insertion point.
  LinearKernel(OpBuilder &b, cpu::LinearOp op, const VectorUnit &unit);

  /// Panels where their number is known.
  std::optional<int64_t> panelCount();
  /// The panels n, n + 1, ..., the last one again where there are no more.
  SmallVector<Value> panelsFrom(Value n, int64_t count);
  /// Whether panelsFrom(multiple of count, count) may repeat one.
  bool mayRepeat(int64_t count);

  /// Stores what the epilogue makes of `sums`, one vector per weight: 16
  /// columns of row `row` in panel `panel`, fewer in the last panel where N
  /// ends there.
  void store(Value row, Value panel, ValueRange sums);

  /// x for ops before `loop`, which holds the op: from outside of it, or
  /// from ops copied to the insertion point. Null where it depends on the
  /// iteration.
  Value inputAhead(scf::ForallOp loop);
  /// An extent no smaller than the rows of `input` that a buffer of the
  /// function may have; failure where there is none.
  FailureOr<OpFoldResult> mostRows(Value input);

private:
  bool whole; ///< N is a multiple of 16

  void storeColumns(Value row, Value at, VectorType type, ValueRange sums);
};

/// The ways of Matmuls; each lowers a whole op.
LogicalResult lowerLinearFMA(LinearKernel &kernel);
/// Takes pairs of bf16 only.
LogicalResult lowerLinearAMX(LinearKernel &kernel);
/// The only row, `row` [>= K] in bf16 widened to f32, with the bits that
/// lowerLinearAMX gives it among others.
void lowerLinearAMXRow(LinearKernel &kernel, Value row);
LogicalResult lowerLinearDot(LinearKernel &kernel);
/// Takes quantized weights only.
LogicalResult lowerLinearQuantized(LinearKernel &kernel);

} // namespace cheems

#endif
