// The best of many scored numbers: a threshold from maxima of lanes, what
// passes it compressed, and sorted.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_EXPERTS_EXPERTSELECTION_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_EXPERTS_EXPERTSELECTION_H

#include "KernelBuilder.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems {

/// Ordered by score descending (-0 is 0, NaN is below every number), then
/// number ascending.
struct Selection : KernelBuilder {
  static constexpr int64_t kLanes = 16;

  bool compresses; ///< an instruction does, so that it is no use to ask first

  /// Candidates one after the other, and room for 16 more.
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

  /// Room for `length` orders, and for what a vector holds after them.
  Value allocateOrders(int64_t length);
  /// An order that `kept` and few more of the first `real` orders reach, of
  /// which there are `kept` at least: for more than registers hold.
  Value threshold(Value orders, int64_t real, int64_t kept);

  /// Whether lanes reach `least`, spread.
  Value reaching(Value scores, Value least);
  /// How many bits of a mask are set.
  Value population(Value mask);
  /// The lanes of `mask` after the `length` first candidates; their new
  /// number.
  Value append(const List &list, Value length, Value scores, Value numbers,
               Value mask);

  /// Sorts all `length` candidates, best first, as f64s in `keys`, which has
  /// room for 16 more.
  void sort(const List &list, Value length, Value keys);
  /// The numbers of 16 of them from index `i` on.
  Value sorted(Value keys, Value i);

private:
  /// The mean of two i32s, rounded down, without overflow.
  Value meanOf(Value low, Value high);
  Value compress(Value vector, Value mask);
  /// Takes numbers below 2^31, and reverses their order.
  Value complement(Value numbers);
};

} // namespace cheems

#endif
