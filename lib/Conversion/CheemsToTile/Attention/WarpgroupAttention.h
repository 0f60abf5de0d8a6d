// What kernels of attention by warpgroups have in common, wherever their
// entries come from.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_WARPGROUPATTENTION_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_WARPGROUPATTENTION_H

#include "AttentionKernels.h"
#include "MaskRing.h"

namespace cheems::tile {

/// Tensor cores read queries, keys and values from shared memory by themselves,
/// and weights from registers. Blocks of entries come from the last one to the
/// first, so the one that hides entries from all rows is known to be first. A
/// turn begins the scores of one block and the weighted sums of the one after
/// it, and finds the weights of its own while those are under way.
class WarpgroupAttention {
public:
  WarpgroupAttention(TileBuilder &t, AttentionTileAttr s,
                     const AttentionShape &shape, const AttentionMemory &memory,
                     Value query, Value y);

protected:
  /// What is carried from a block to the one before: a bound and a sum for
  /// softmax, the block's weights, and the sums of the blocks after it.
  struct Carried {
    Value best, sum, weights, output;
    explicit Carried(ValueRange values)
        : best(values[0]), sum(values[1]), weights(values[2]),
          output(values[3]) {}
  };
  struct Weighed {
    Value weights; ///< in f32
    Value shrink;  ///< what sums over the blocks after are multiplied by
  };

  /// The block's rows into shared memory.
  void loadQuery();
  /// Begins the scores of keys whose first panel is there.
  Value beginScores(Value keys);
  /// Begins the sums of what is carried, with values whose first panel is
  /// there.
  Value beginSums(Value values, const Carried &carried);
  Weighed weigh(RunningSoftmax &softmax, const MaskedScores &masked);
  /// The operand of matmuls that begin later. No matmul may be under way
  /// where its registers are written: the assembler would make all wait.
  Value operand(const Weighed &weighed);
  /// What the first block hands on.
  SmallVector<Value> carriedFrom(const RunningSoftmax &softmax,
                                 const Weighed &weighed);
  /// What another block hands on, with the sums that were begun.
  SmallVector<Value> carriedFrom(const RunningSoftmax &softmax,
                                 const Weighed &weighed, Value sums);
  void storeOutputs(const Carried &end, Value values);

  TileBuilder &t;
  AttentionTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  Value query, y;
  int64_t panels; ///< that a head is stored as, each as wide as a swizzle
  RankedTensorType scores, output;
  Value queries, keyRing, valueRing;
  MaskRing masks;
  QueryRows rows;
  Entries entries;

private:
  RankedTensorType weights, loaded;
};

} // namespace cheems::tile

#endif
