// Pairs of both halves' best keys. Keys are in descending order, so a pair (i,
// j) has (i + 1)(j + 1) pairs that are no worse, with itself. If these are more
// than k, the pair is none of the k best, but for ties: rounding may make its
// sum equal to theirs, and the lower id is the better one. So few pairs are
// ranked, and all of them only where a tie may decide.
#include "ExpertPairs.h"
#include "Builder/FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// Neighbouring pairs: of one first key or, if not, of one second key, and of
/// others from `start` on.
struct Run {
  bool ofFirst;
  int64_t key, start, count;
};
} // namespace

/// Runs of the pairs (i, j) with (i + 1)(j + 1) <= k: about 2 sqrt(k) of them.
/// Those of first keys come first.
static SmallVector<Run> likelyRuns(const RetrievalForm &form) {
  auto seconds = [&](int64_t i) {
    return std::min(form.kept(), form.experts / (i + 1));
  };
  SmallVector<Run> runs;
  int64_t firsts = 0;
  for (; firsts < form.kept() && seconds(firsts) > firsts; ++firsts) {
    runs.push_back({true, firsts, 0, seconds(firsts)});
  }
  // The same with i and j exchanged, for the i that are left.
  for (int64_t j = 0; j < firsts && seconds(j) > firsts; ++j) {
    runs.push_back({false, j, firsts, seconds(j) - firsts});
  }
  return runs;
}

static int64_t countOf(ArrayRef<Run> runs) {
  int64_t count = 0;
  for (const Run &run : runs) {
    count += run.count;
  }
  return count;
}

bool cheems::tile::ranksFewPairs(const RetrievalForm &form) {
  // So many pairs of each thread take as long as the check for ties.
  constexpr int64_t least = 4 * kWarpThreads;
  return form.kept() * form.kept() - countOf(likelyRuns(form)) >= least;
}

int64_t cheems::tile::rankedPairs(const RetrievalForm &form) {
  return ranksFewPairs(form) ? countOf(likelyRuns(form))
                             : form.kept() * form.kept();
}

RankedTensorType cheems::tile::rowOfAll(TileBuilder &t, ExpertsStrategyAttr s,
                                        int64_t count) {
  int64_t threads = s.getWarps() * kWarpThreads;
  return t.tileType(
      {1, int64_t(llvm::alignTo(uint64_t(count), uint64_t(threads)))},
      t.b.getI32Type(), BlockedAttr::get(t.b.getContext(), 1, threads, 1));
}

Value cheems::tile::isBelow(TileBuilder &t, Value numbers, int64_t limit) {
  return t.isLess(
      numbers, t.fillInteger(cast<RankedTensorType>(numbers.getType()), limit));
}

/// A number of the best keys of a half: bits of scores, or keys.
static Value pickOf(TileBuilder &t, Value buffer, int64_t stage, int64_t half,
                    Value number) {
  auto type = cast<RankedTensorType>(number.getType());
  return t.pick(buffer, t.index(stage), t.fillInteger(type, half), number);
}

/// Bits of the rounded sums of pairs.
static Value sumsOf(TileBuilder &t, Value buffer, Value first, Value second) {
  Type f32 = t.b.getF32Type();
  return t.bitcast(t.add(t.bitcast(pickOf(t, buffer, 0, 0, first), f32),
                         t.bitcast(pickOf(t, buffer, 0, 1, second), f32)),
                   t.b.getI32Type());
}

/// The row has the pairs for which `isPair` holds. Others are in no order, and
/// numbers of them are 0.
static ScoredRow rowOf(TileBuilder &t, const RetrievalForm &form, Value buffer,
                       Value isPair, Value first, Value second) {
  auto type = cast<RankedTensorType>(first.getType());
  Value bits = sumsOf(t, buffer, first, second);
  Value expert = t.add(
      t.mul(pickOf(t, buffer, 1, 0, first), t.fillInteger(type, form.keys)),
      pickOf(t, buffer, 1, 1, second));
  return {t.select(isPair, orderOf(t, bits), t.fillInteger(type, kNoOrder)),
          bits, t.select(isPair, expert, t.fillInteger(type, -1))};
}

ScoredRow cheems::tile::allPairs(TileBuilder &t, RankedTensorType type,
                                 const RetrievalForm &form, Value buffer) {
  int64_t kept = form.kept();
  Value pair = IndicesOp::create(t.b, type, 1);
  Value isPair = isBelow(t, pair, kept * kept);
  pair = t.select(isPair, pair, t.fillInteger(type, 0));
  Value count = t.fillInteger(type, kept);
  Value first = arith::DivUIOp::create(t.b, pair, count);
  Value second = arith::RemUIOp::create(t.b, pair, count);
  return rowOf(t, form, buffer, isPair, first, second);
}

ScoredRow cheems::tile::likelyPairs(TileBuilder &t, ExpertsStrategyAttr s,
                                    const RetrievalForm &form, Value buffer) {
  SmallVector<Run> runs = likelyRuns(form);
  int64_t count = countOf(runs);
  RankedTensorType type = tileOf(t, s.getPairs(), t.b.getI32Type());
  Value pair = IndicesOp::create(t.b, type, 1), zero = t.fillInteger(type, 0);
  Value isPair = isBelow(t, pair, count);
  // The run of a pair is the last one that begins at it or before.
  Value key = zero, shift = zero;
  Value isOfFirst = t.fillInteger(t.withElement(type, t.b.getI1Type()), 1);
  int64_t begin = 0;
  for (const Run &run : runs) {
    if (begin > 0) {
      Value isBefore = isBelow(t, pair, begin);
      key = t.select(isBefore, key, t.fillInteger(type, run.key));
      shift = t.select(isBefore, shift, t.fillInteger(type, run.start - begin));
      if (!run.ofFirst && run.key == 0) {
        isOfFirst = isBefore;
      }
    }
    begin += run.count;
  }
  Value other = t.add(pair, shift);
  auto there = [&](Value number) { return t.select(isPair, number, zero); };
  return rowOf(t, form, buffer, isPair, there(t.select(isOfFirst, key, other)),
               there(t.select(isOfFirst, other, key)));
}

/// 1 for what is infinite.
static Value isInfinite(TileBuilder &t, Value bits) {
  constexpr int64_t infinity = 0x7f800000;
  auto type = cast<RankedTensorType>(bits.getType());
  Value size =
      arith::AndIOp::create(t.b, bits, t.fillInteger(type, kMostOrder));
  return t.isEqual(size, t.fillInteger(type, infinity));
}

Value cheems::tile::isUnlikelyPairBest(TileBuilder &t, ExpertsStrategyAttr s,
                                       const RetrievalForm &form,
                                       const RetrievalBuffers &buffers,
                                       const ScoredList &list) {
  Value none = t.index(0);
  t.write(list.bits, buffers.best, none, none, none);
  t.barrier();
  // A row of all threads, so that all of them know.
  RankedTensorType type = rowOfAll(t, s, form.kept());
  Value zero = t.fillInteger(type, 0);
  Value number = IndicesOp::create(t.b, type, 1);
  number = t.select(isBelow(t, number, form.kept()), number, zero);
  // The best one of a first key's pairs that were not ranked.
  Value second = arith::DivUIOp::create(t.b, t.fillInteger(type, form.experts),
                                        t.add(number, t.fillInteger(type, 1)));
  Value exists = isBelow(t, second, form.kept());
  Value order = orderOf(
      t, sumsOf(t, buffers.keys, number, t.select(exists, second, zero)));
  Value last = orderOf(t, t.pick(buffers.best, none, zero,
                                 t.fillInteger(type, form.experts - 1)));
  Value isTie =
      arith::CmpIOp::create(t.b, arith::CmpIPredicate::sge, order, last);
  // Opposite infinities have no sum, and a pair before them may have one.
  Value isOdd = t.either(isInfinite(t, pickOf(t, buffers.keys, 0, 0, number)),
                         isInfinite(t, pickOf(t, buffers.keys, 0, 1, number)));
  Value found = t.ones(t.either(t.both(exists, isTie), isOdd));
  Value any = t.element(t.reduce(Combine::Maximum, found, 1), 0);
  return arith::IndexCastOp::create(t.b, t.b.getIndexType(), any);
}
