// The loops of attention over segments and heads.
//
// A loop that writes pools reads them through its own arguments only, and each
// slice is taken and put back with the same indices: that is what keeps
// bufferisation from copying a pool (docs/rationale.md, "State in place").
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_ATTENTIONLOOPS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_ATTENTIONLOOPS_H

#include "AttentionState.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// One layer's.
class AttentionLoops {
public:
  AttentionLoops(TensorBuilder &e, SegmentedAttentionOp op);

  /// y [T, H, P]; updates the pools. For any segments, and for segments of one
  /// row.
  Value general();
  Value decode();
  /// The pools as they are then.
  ArrayRef<Value> updatedPools() const { return statePools; }

private:
  using Extents = SmallVector<OpFoldResult>;

  TensorBuilder &e;
  SegmentedAttentionOp op;
  SmallVector<int64_t> visible;  ///< state heads that see anything
  int64_t heads, queries, masks; ///< state heads; a state head's
  int64_t size;
  SmallVector<Value> statePools;

  /// One segment and head inside of a loop.
  struct Sequence {
    Value slot, start, position, length, head;
    /// These say which part of each pool is the sequence's.
    SmallVector<Extents> offsets, sizes;
    SmallVector<Value> state;
  };

  OpFoldResult headTimes(Value head, int64_t factor);
  Sequence sequenceOf(Value s, Value headNumber, ValueRange pools, bool decode);
  AttentionState stateOf(const Sequence &of);
  /// Where rows [row, row + count) of the head's queries are.
  std::pair<Extents, Extents> placeOf(const Sequence &of, OpFoldResult row,
                                      OpFoldResult count);
  Value output();

  // AttentionGeneral.cpp: the general entry.
  Value evicts(const Sequence &of);
  Value lengthIf(Value condition, bool wanted, Value length);
  void putBack(ValueRange pools, const Sequence &of, ValueRange state);
  void putRows(Value y, Value output, const Extents &offsets,
               const Extents &sizes);
  Value store();
  Value attend(Value output);

  // AttentionDecode.cpp: the decode entry.
  /// What storing a step's rows leaves for those that attend.
  struct Stored {
    Value thresholds, lasts, indices; ///< [T, state heads], with a window
    Value seen; ///< [T, state heads] where that is counted
    Value most; ///< entries of any sequence, at most
  };
  /// The softmax of splits, [T, splits, heads, ...], or of rows, [T, H(, P)].
  struct Softmax {
    Value maximum, sum, y;
  };
  using HeadBody = llvm::function_ref<SmallVector<Value>(
      Value segment, Value headNumber, ValueRange carried)>;
  SmallVector<Value> eachHead(ValueRange carried, HeadBody body);
  SmallVector<Value> inserted(ValueRange pools, const Sequence &of,
                              ValueRange state);
  Value filled(const Extents &extents, double value);
  int64_t mostSplits();
  Stored storeRows();
  Value entriesOf(const Sequence &of, const Stored &stored);
  Value blocksOf(Value entries);
  Value firstBlockOf(Value entries);
  SmallVector<Value> softmaxOf(AttentionState &sequence, const Sequence &of,
                               Value from, Value to, Value entries,
                               const AttentionState::Sight &sight,
                               ValueRange state);
  AttentionState::Sight sightOf(const Stored &stored, const Sequence &of,
                                AttentionState &sequence);
  Softmax attendToSplits(const Stored &stored, Softmax partial);
  Softmax mergeSplits(const Stored &stored, const Softmax &partial,
                      Softmax all);
  void update(const Stored &stored);
};

} // namespace cheems

#endif
