// The parts of the f32 kernels of cheems_cpu.linear: inputs packed for row
// tiles, and the register tile itself.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARFMA_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARFMA_H

#include "Linear.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Emits, before the forall around `kernel`, a parallel loop that copies
/// all whole tiles of `height` rows of x to [tile][K][height] where x has at
/// least `least` rows, and returns the copy as one dimension. Null where x is
/// not from outside of a forall, or the count of its rows is not known there;
/// then nothing is emitted.
Value packRows(LinearKernel &kernel, int64_t height, int64_t least);

/// Loops over k whose sums stay in registers.
class FMATile {
public:
  /// One panel of one weight.
  struct Stream {
    int64_t weight;
    Value panel;
    Value ahead; ///< its panel of the next group, to be fetched early
  };
  /// What the weights are read from where they have been widened:
  /// [K][streams][16] from element `base` on. Null: as they are stored.
  struct Widened {
    Value buffer, base;
  };
  /// Rows from `top` on; where they end before `count`, the last one again.
  struct Rows {
    Value top;
    int64_t count;
    bool mayEnd;
    Value packed, first; ///< the tile begins at element `first` of `packed`
  };
  /// Step i of the loop over k fetches what lies begin + i * pace elements
  /// after the start of the next group. Without `pace` nothing is fetched.
  struct Fetch {
    Value begin, pace;
  };

  explicit FMATile(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc) {}

  /// f32 columns of a stream at k = pair * i, pair * i + 1.
  SmallVector<Value> load(const Stream &stream, Value i);

  /// Row `r` of x.
  Value rowOf(const Rows &rows, Value r);

  /// Sums [row][stream].
  SmallVector<Value> multiply(const Rows &rows, ArrayRef<Stream> streams,
                              const Widened &widened, const Fetch &fetch);

  /// Fills `widened` with streams of weights.
  void widen(ArrayRef<Stream> streams, const Widened &widened);

private:
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
};

} // namespace cheems

#endif
