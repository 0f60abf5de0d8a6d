// The launches that one op of attention becomes: one attends, with what stands
// before it in the step. Others store the step's entries before, unless these
// are one row each; where not every row is stored, another one finds those that
// are. With a window there are both ways: launches for pools that the window
// covers, as without one, and others for those that it does not. The sizes of a
// step say which of them run.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONLAUNCHES_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_ATTENTION_ATTENTIONLAUNCHES_H

#include "AttentionInputs.h"
#include "Patterns.h"
#include "SplitMerging.h"

namespace cheems::tile {

class AttentionLaunches {
public:
  /// \param taken what the launches compute besides the op.
  /// \param mergesAfter whether a matmul of few rows may merge the splits.
  AttentionLaunches(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
                    KernelTable &kernels, const AttentionBefore &taken,
                    bool mergesAfter);

  /// The op's results.
  /// \param outputs memory for them, rounded if it has them so.
  SmallVector<Value> make(Value outputs);
  /// What a matmul may merge, if anything.
  const std::optional<SplitsOfRow> &piecesAfter() const { return pieces; }

private:
  Value segments() { return tilesOf(b, op.getSegments(), 0, 1); }
  /// How many blocks of rows the longest segment may have.
  Value blocksOfRows(int64_t rows);
  Value count(int64_t number);
  /// The tensor has no elements if the launches do not run.
  Value empty(ArrayRef<OpFoldResult> extents, Type element);

  /// \param also a condition beside that of all launches; null: none.
  LaunchOp makeLaunch(StringRef name, const LaunchOperands &operands,
                      int64_t warps, ArrayRef<Value> blocks,
                      KernelTable::Body body, Value also = {});

  /// Sets `y`, without lists.
  void attendAll();
  void placeVisible();
  void storeEntries();
  Value attend();
  Value attendInSplits();
  Value merge(ValueRange partial);
  /// Leaves splits to the matmul where it may merge them.
  void leaveSplits(ValueRange partial, Value number);

  // With a window that drops entries.
  /// Whether it does, i1.
  Value dropsEntries();
  void placeKept();
  void attendToKept();
  void storeRows();
  void orderKept();
  void keepEntries();
  void placeRows();
  void moveKept();
  SmallVector<Value *> lists();
  SmallVector<Value *> rowsOfStep();
  Value emptyPerRow();
  KeptChoice choiceOf(const LaunchOperands &operands, ValueRange m);
  static void takeWritten(ArrayRef<Value *> written, LaunchOp made);

  OpFoldResult rows();
  /// Lets a launch write indices and what is seen.
  void findIndices(LaunchOperands &operands);
  /// Lets a launch write mask values, if it computes the matmul that makes
  /// them.
  Value maskValues(LaunchOperands &operands);
  /// What every launch that reads entries has.
  void readIndices(LaunchOperands &operands);
  /// What a launch of attention has besides its outputs.
  LaunchOperands operandsOfAttention();
  /// Lets bulk copies read the pools.
  void readBoxes(LaunchOperands &operands);
  void writeEntries(LaunchOperands &operands);
  /// They are what a launch that wrote them gives. Returns how many.
  size_t takeEntries(ResultRange results);
  /// How many of the entries come before scales.
  size_t unscaled() const { return shape.storesMasks() ? 3 : 2; }
  AttentionMemory memoryOf(const LaunchOperands &operands, ValueRange m);
  /// Calls `body` with the kernel's memory and what it takes from the step.
  void build(const LaunchOperands &operands, ValueRange m,
             function_ref<void(const AttentionMemory &, const HeadRows &,
                               const FirstStores &)>
                 body);
  /// The pools after a launch whose further results are returned.
  SmallVector<Value> takePools(LaunchOp made);

  ImplicitLocOpBuilder &b;
  SegmentedAttentionOp op;
  KernelTable &kernels;
  AttentionStrategyAttr strategy;
  AttentionShape shape;
  AttentionTileAttr sizes;
  AttentionBefore before;
  HeadsBefore &query;
  EntriesBefore &added;
  /// Keys, values, masks where there are some, and of quantized values their
  /// scales, as they are now.
  SmallVector<Value> entries;
  Value counts;          ///< the same; null if entries are not counted
  Value indices, seen;   ///< null where entry e is row e
  Value positions;       ///< a pool; null without a window
  Candidates candidates; ///< tensors; null without lists
  KeptChoice choice;     ///< the same
  Value keyRows, valueRows, allMasks; ///< matrices of the pools; may be null
  Value when;                         ///< the launches' condition; null: always
  bool drops = false; ///< launches are those of a window that drops entries
  Value y;
  bool isExact;
  bool storesFirst; ///< the kernel of attention stores entries itself
  bool mergesAfter;
  std::optional<SplitsOfRow> pieces;
};

} // namespace cheems::tile

#endif
