// The best of many scored numbers: a threshold from maxima of lanes, what
// passes it compressed, ranks by counting.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_KERNELS_EXPERTSELECTION_H
#define CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_KERNELS_EXPERTSELECTION_H

#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::cheems {

/// Ordered by score descending (-0 is 0, NaN is below every number), then
/// number ascending.
struct Selection : KernelBuilder {
  static constexpr int64_t kLanes = 16;

  bool compresses; ///< an instruction does, so that it is no use to ask first

  /// Candidates one behind the other, and room for 16 more.
  struct List {
    Value score, number; ///< f32, i32
  };

  /// 0, 1, 2, ... from `first` on.
  Value count(VectorType type, Value first);
  /// The first `left` of 16 lanes.
  Value inside(Value left) { return KernelBuilder::inside(kLanes, left); }
  List list(int64_t length);

  /// Scores as i32s of the same order.
  Value orderOf(Value score);
  /// The least score of order `order` or more: a score enters unless it is
  /// below that, so NaN always does. -infinity where all do.
  Value scoreOf(Value order);

  /// An order a problem that `kept` lanes, and few more, of its vectors reach.
  /// The first `real` lanes of each problem hold something, `kept` at least.
  SmallVector<Value> thresholds(ArrayRef<SmallVector<Value>> problems,
                                int64_t real, int64_t kept);

  /// Whether lanes reach `least`, spread.
  Value reaching(Value scores, Value least);
  /// How many bits of a mask are set.
  Value population(Value mask);
  /// The lanes of `mask` behind the `length` first candidates; their new
  /// number.
  Value append(const List &list, Value length, Value scores, Value numbers,
               Value mask);

  /// Calls write(16 ranks, scores, numbers) for all `length` candidates;
  /// `ranks` is room for as many i64, and 16 more. Lanes past the last have a
  /// rank no less than `length`.
  void rank(const List &list, Value length, Value ranks,
            function_ref<void(Value, Value, Value)> write);

private:
  Value compress(Value vector, Value mask);
};

} // namespace mlir::cheems

#endif
