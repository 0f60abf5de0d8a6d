// The loops of attention over segments and heads.
//
// A loop that writes pools reads them through its own arguments only, and each
// slice is taken and put back with the same indices: that is what keeps
// bufferisation from copying a pool (docs/rationale.md, "State in place").
#ifndef CHEEMS_LIB_IMPORT_MODULE_ATTENTIONLOOPS_H
#define CHEEMS_LIB_IMPORT_MODULE_ATTENTIONLOOPS_H

#include "AttentionState.h"
#include "Layer.h"

namespace cheems {

/// What attention of a layer works on: query [T, H, P], key and value [T, G,
/// P], mask [T, M] unless visibleHeads says it all.
struct AttentionOperands {
  mlir::Value query, key, value, mask;
  llvm::ArrayRef<bool> visibleHeads;
};

/// One layer's.
class AttentionLoops {
public:
  AttentionLoops(Emitter &e, const ModelTypes &types,
                 const AttentionOperands &operands,
                 SequenceArguments &arguments);

  /// y [T, H, P]; updates the pools. For any segments, and for segments of one
  /// row.
  mlir::Value general();
  mlir::Value decode();

private:
  using Extents = llvm::SmallVector<mlir::OpFoldResult>;

  Emitter &e;
  const ModelTypes &types;
  const AttentionOperands &operands;
  SequenceArguments &arguments;
  llvm::SmallVector<int64_t> visible; ///< state heads that see anything
  int64_t heads, queries, masks;      ///< state heads; a state head's
  int64_t size;

  /// One segment and head inside of a loop.
  struct Sequence {
    mlir::Value slot, start, position, length, head;
    /// Of each pool, what is the sequence's.
    llvm::SmallVector<Extents> offsets, sizes;
    llvm::SmallVector<mlir::Value> state;
  };

  mlir::OpFoldResult headTimes(mlir::Value head, int64_t factor);
  Sequence sequenceOf(mlir::Value s, mlir::Value headNumber,
                      mlir::ValueRange pools, bool decode);
  AttentionState stateOf(const Sequence &of);
  /// Where rows [row, row + count) of the head's queries are.
  std::pair<Extents, Extents>
  placeOf(const Sequence &of, mlir::OpFoldResult row, mlir::OpFoldResult count);
  mlir::Value output();

  // Attention.cpp: the general entry.
  mlir::Value evicts(const Sequence &of);
  mlir::Value lengthIf(mlir::Value condition, bool wanted, mlir::Value length);
  void putBack(mlir::ValueRange pools, const Sequence &of,
               mlir::ValueRange state);
  void putRows(mlir::Value y, mlir::Value output, const Extents &offsets,
               const Extents &sizes);
  mlir::Value store();
  mlir::Value attend(mlir::Value output);

  // AttentionDecode.cpp: the decode entry.
  /// What storing a step's rows leaves for those that attend.
  struct Stored {
    mlir::Value thresholds, lasts, places; ///< [T, state heads], with a window
    mlir::Value seen; ///< [T, state heads] where that is counted
    mlir::Value most; ///< entries of any sequence, at most
  };
  /// The softmax of pieces, [T, pieces, heads, ...], or of rows, [T, H(, P)].
  struct Softmax {
    mlir::Value maximum, sum, y;
  };
  using HeadBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value segment, mlir::Value headNumber, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> eachHead(mlir::ValueRange carried,
                                          HeadBody body);
  llvm::SmallVector<mlir::Value>
  inserted(mlir::ValueRange pools, const Sequence &of, mlir::ValueRange state);
  mlir::Value filled(const Extents &extents, double value);
  int64_t mostPieces() const;
  Stored storeRows();
  mlir::Value entriesOf(const Sequence &of, const Stored &stored);
  mlir::Value blocksOf(mlir::Value entries);
  llvm::SmallVector<mlir::Value> softmaxOf(AttentionState &sequence,
                                           const Sequence &of, mlir::Value from,
                                           mlir::Value to, mlir::Value entries,
                                           const AttentionState::Sight &sight,
                                           mlir::ValueRange state);
  Softmax attendToPieces(const Stored &stored, Softmax partial);
  Softmax mergePieces(const Stored &stored, const Softmax &partial,
                      Softmax all);
  void update(const Stored &stored);
};

} // namespace cheems

#endif
