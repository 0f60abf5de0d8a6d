// Pairs of the best keys of both halves, of which experts are the best.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTPAIRS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_EXPERTS_EXPERTPAIRS_H

#include "ExpertKernels.h"

namespace cheems::tile {

/// What the best are found of: a number in the order of scores, and an id that
/// no other one of the row has. Where there is none, the order is kNoOrder.
struct ScoredRow {
  Value order, bits, ids;

  RankedTensorType type() const {
    return cast<RankedTensorType>(order.getType());
  }
};

/// The columns of a list of `count` numbers in the layout of `s`.
inline int64_t listColumns(RowTileAttr s, int64_t count) {
  return int64_t(
      llvm::alignTo(uint64_t(count), uint64_t(s.getThreads() * s.getWidth())));
}
Value isBelow(TileBuilder &t, Value numbers, int64_t limit);

/// A row of `count` numbers of which each thread of the block has others.
RankedTensorType rowOfAll(TileBuilder &t, ExpertsStrategyAttr s, int64_t count);

/// All pairs, in each row of the type.
/// \param buffer bits and keys of both halves' best.
ScoredRow allPairs(TileBuilder &t, RankedTensorType type,
                   const RetrievalForm &form, Value buffer);
/// Those of them that are among the best if no tie decides, in each row of
/// `s.getPairs()`.
ScoredRow likelyPairs(TileBuilder &t, ExpertsStrategyAttr s,
                      const RetrievalForm &form, Value buffer);
/// Whether it is worth while to rank likely pairs alone.
bool ranksFewPairs(const RetrievalForm &form);
/// 1 if a pair that is not likely may belong to the best, else 0: an index that
/// all threads have.
/// \param list the best of the likely ones.
Value isUnlikelyPairBest(TileBuilder &t, ExpertsStrategyAttr s,
                         const RetrievalForm &form,
                         const RetrievalBuffers &buffers,
                         const ScoredList &list);

} // namespace cheems::tile

#endif
