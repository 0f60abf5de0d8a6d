// Shared memory of matmuls of many rows, which is filled before its use.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULRING_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULRING_H

#include "Builder/TileBuilder.h"
#include "Strategy/Strategy.h"

namespace cheems::tile {

/// Rings of shared memory that a matmul of many rows goes through. Matmuls
/// of which a block computes one have the same.
struct MatmulBuffers {
  Value x;
  SmallVector<Value> weights;

  /// \param weightColumns of a row of weights: how many elements a stage has.
  static MatmulBuffers alloc(TileBuilder &t, MatmulTileAttr s, Type element,
                             size_t weights, int64_t weightColumns);
};

/// A memref [R, C], or a tensor map of one, of which a buffer gets a tile per
/// step: the rows from `row` on, and as many columns further on in each step as
/// the buffer has.
struct RingPart {
  Value source, row, buffer;
  int64_t aligned; ///< bytes
};

class MatmulRing {
public:
  MatmulRing(TileBuilder &t, MatmulTileAttr s, SmallVector<RingPart> parts)
      : t(t), s(s), parts(std::move(parts)) {}

  /// Carries sums over all steps. `multiply` adds the matmuls of a step, whose
  /// tiles are in `stage` of the buffers.
  using Multiply = function_ref<SmallVector<Value>(Value step, Value stage,
                                                   ValueRange sums)>;
  SmallVector<Value> run(Value steps, ValueRange zeros, Multiply multiply);
  /// The same by warpgroups: `begin` begins a matmul for each sum. In the next
  /// step those may still read their stage.
  SmallVector<Value> runWarpgroups(Value steps, ValueRange zeros,
                                   Multiply begin);
  /// The same, of tensor maps: a warp of its own fills the ring.
  SmallVector<Value> runFilled(Value steps, ValueRange zeros, Multiply begin);

private:
  /// What is done in a step. `fetch` begins the copies for one `ahead` steps
  /// later, into the stage of one that is over.
  using Turn = function_ref<SmallVector<Value>(
      Value step, Value stage, ValueRange sums, function_ref<void()> fetch)>;
  SmallVector<Value> loop(Value steps, ValueRange zeros, int64_t ahead,
                          Turn turn);
  Value following(Value stage);
  /// For all matmuls but the newest `pending` ones.
  SmallVector<Value> waitForMatmuls(ArrayRef<Value> begun, size_t pending);
  /// Past the end of rows it fetches zeros.
  void fetch(Value step, Value stage);
  void move(const RingPart &part, Value step, Value stage);

  TileBuilder &t;
  MatmulTileAttr s;
  SmallVector<RingPart> parts;
};

} // namespace cheems::tile

#endif
