// Retrieval of one row and head. Selection gives the best keys of each half. Of
// their sums, those pass that reach the k-th best of the pairs (i, j) with (i +
// 1) (j + 1) <= k. Only equal sums can make that more than k.
#include "ExpertSelection.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;

namespace {
constexpr int64_t kLanes = Selection::kLanes;
/// If more experts than this are wanted, thresholds come from orders in memory.
/// Vectors of pairs and of maxima would not fit the registers.
constexpr int64_t kMostInRegisters = 64;

struct Retrieval : Selection {
  RetrieveExpertsOp op;
  int64_t keys, found, kept; // K, k, min(k, K)
  VectorType f32s, i32s;     // 16 lanes
  List candidates;           // of a half, or pairs
  Value ranking;             // of the candidates, sorted
  Value bestScore, bestKey;  // [2, kept and room for a vector], best first
  Value orders;              // of a half, or of likely pairs; where k is large

  Value zero() { return index(0); }

  // Sums are sorted before there are more than so many; then the best remain.
  int64_t listLength() const {
    return std::max<int64_t>(keys,
                             2 * llvm::alignTo(found, kLanes) + 4 * kLanes);
  }

  /// Scores of 16 keys of a half from `from` on.
  Value load(Value t, int64_t half, Value h, Value from, bool whole) {
    if (whole) {
      return vector::LoadOp::create(b, loc, f32s, op.getScores(),
                                    ValueRange{t, index(half), h, from});
    }
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(f32s));
    return vector::MaskedLoadOp::create(
        b, loc, f32s, op.getScores(), ValueRange{t, index(half), h, from},
        inside(arith::SubIOp::create(b, loc, index(keys), from)), zeros);
  }

  /// The maxima of keys whose numbers are equal modulo `width`, as orders.
  Value maxima(Value t, int64_t half, Value h, int64_t width) {
    auto type = VectorType::get({width}, b.getI32Type());
    auto scores = VectorType::get({width}, b.getF32Type());
    Value least = integer(type, std::numeric_limits<int32_t>::min());
    int64_t whole = keys / width * width;
    Value state =
        loop(zero(), index(whole), width, least,
             [&](Value from, ValueRange most) -> SmallVector<Value> {
               Value some =
                   vector::LoadOp::create(b, loc, scores, op.getScores(),
                                          ValueRange{t, index(half), h, from});
               return {arith::MaxSIOp::create(b, loc, most[0], orderOf(some))};
             })
            .front();
    if (whole == keys) {
      return state;
    }
    Value mask = vector::ConstantMaskOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()),
        ArrayRef<int64_t>{keys - whole});
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(scores));
    Value some = vector::MaskedLoadOp::create(
        b, loc, scores, op.getScores(),
        ValueRange{t, index(half), h, index(whole)}, mask, zeros);
    return arith::MaxSIOp::create(b, loc, state,
                                  select(mask, orderOf(some), least));
  }

  /// The best keys of a half in order, of those whose scores reach `least`.
  void selectHalf(Value t, int64_t half, Value h, Value least) {
    auto add = [&](Value from, Value length, bool whole) {
      Value scores = load(t, half, h, from, whole);
      Value mask = reaching(scores, least);
      if (!whole) {
        Value left = arith::SubIOp::create(b, loc, index(keys), from);
        mask = arith::AndIOp::create(b, loc, mask, inside(left));
      }
      Value first = arith::IndexCastOp::create(b, loc, b.getI32Type(), from);
      return append(candidates, length, scores, count(i32s, first), mask);
    };
    int64_t whole = keys / kLanes * kLanes;
    Value length = loop(zero(), index(whole), kLanes, zero(),
                        [&](Value from, ValueRange args) -> SmallVector<Value> {
                          return {add(from, args[0], true)};
                        })
                       .front();
    if (whole < keys) {
      length = add(index(whole), length, false);
    }
    sort(candidates, length, ranking);
    each(zero(), index(kept), kLanes, [&](Value i) {
      Value numbers = sorted(ranking, i);
      Value here = inside(arith::SubIOp::create(b, loc, index(kept), i));
      SmallVector<Value> at{index(half), i};
      vector::StoreOp::create(b, loc, numbers, bestKey, at);
      vector::StoreOp::create(b, loc, scoresOf(t, half, h, numbers, here),
                              bestScore, at);
    });
  }

  /// Scores of 16 keys of a half, where `here` holds: as they were given, since
  /// orders have lost the sign of zero.
  Value scoresOf(Value t, int64_t half, Value h, Value numbers, Value here) {
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(f32s));
    return vector::GatherOp::create(b, loc, f32s, op.getScores(),
                                    ValueRange{t, index(half), h, zero()},
                                    numbers, here, zeros);
  }
  /// Scores of 16 experts.
  Value sumsOf(Value t, Value h, Value experts, Value here) {
    Value size = integer(i32s, keys);
    Value first = arith::DivUIOp::create(b, loc, experts, size);
    Value second = arith::RemUIOp::create(b, loc, experts, size);
    return arith::AddFOp::create(b, loc, scoresOf(t, 0, h, first, here),
                                 scoresOf(t, 1, h, second, here));
  }

  /// Orders that the k best keys of each half reach.
  SmallVector<Value> halfThresholds(Value t, Value h) {
    if (kept == keys) {
      return SmallVector<Value>(
          2, integer(b.getI32Type(), std::numeric_limits<int32_t>::min()));
    }
    if (kept > kMostInRegisters) {
      return {halfThreshold(t, 0, h), halfThreshold(t, 1, h)};
    }
    int64_t width = std::min<int64_t>(
        llvm::PowerOf2Ceil(std::max(keys, kLanes)),
        std::max<int64_t>(llvm::PowerOf2Ceil(2 * kept), kLanes));
    // Both halves at once: two chains of dependent steps run side by side.
    return thresholds({{maxima(t, 0, h, width)}, {maxima(t, 1, h, width)}},
                      std::min(width, keys), kept);
  }

  /// The same of one half, from the orders of all its keys.
  Value halfThreshold(Value t, int64_t half, Value h) {
    auto store = [&](Value from, bool whole) {
      vector::StoreOp::create(b, loc, orderOf(load(t, half, h, from, whole)),
                              orders, from);
    };
    int64_t whole = keys / kLanes * kLanes;
    each(zero(), index(whole), kLanes, [&](Value i) { store(i, true); });
    if (whole < keys) {
      store(index(whole), false);
    }
    return threshold(orders, keys, kept);
  }

  void selectHalves(Value t, Value h) {
    SmallVector<Value> least = halfThresholds(t, h);
    for (int64_t half : {0, 1}) {
      selectHalf(t, half, h, spread(f32s, scoreOf(least[half])));
    }
  }

  Value bestOf(Value values, int64_t half, Value place) {
    return memref::LoadOp::create(b, loc, values,
                                  ValueRange{index(half), place});
  }

  /// The order that the k-th best of the likely pairs has. Likely are the pairs
  /// (i, j) with (i + 1) (j + 1) <= k, and there are at least k of them. Every
  /// other pair has k likely pairs before it, or equals one of them.
  Value sumThreshold() {
    return found <= kMostInRegisters ? sumsInRegisters() : sumsInMemory();
  }

  Value sumsInRegisters() {
    SmallVector<int64_t> rows, columns;
    for (int64_t i = 0; i < kept; ++i) {
      for (int64_t j = 0; j < std::min(kept, found / (i + 1)); ++j) {
        rows.push_back(i);
        columns.push_back(j);
      }
    }
    auto real = static_cast<int64_t>(rows.size());
    rows.resize(llvm::alignTo(real, kLanes), 0);
    columns.resize(rows.size(), 0);
    auto pick = [&](int64_t half, ArrayRef<int64_t> indices) -> Value {
      int64_t padded = llvm::alignTo(kept, kLanes);
      auto type = VectorType::get({padded}, b.getF32Type());
      Value best = vector::LoadOp::create(b, loc, type, bestScore,
                                          ValueRange{index(half), zero()});
      return vector::ShuffleOp::create(b, loc, best, best, indices);
    };
    SmallVector<Value> orders;
    for (size_t from = 0; from < rows.size();) {
      // One word has so many bits.
      size_t width = std::min<size_t>(64, llvm::bit_floor(rows.size() - from));
      auto part = [&](ArrayRef<int64_t> all) { return all.slice(from, width); };
      orders.push_back(orderOf(arith::AddFOp::create(
          b, loc, pick(0, part(rows)), pick(1, part(columns)))));
      from += width;
    }
    return thresholds({orders}, real, found).front();
  }

  /// How many pairs are likely.
  int64_t likelyPairs() const {
    int64_t pairs = 0;
    for (int64_t i = 0; i < kept; ++i) {
      pairs += std::min(kept, found / (i + 1));
    }
    return pairs;
  }

  /// Pairs with i < r lie in rows, the others in columns j < r, where r * r <=
  /// k < (r + 1) * (r + 1). That gives 2 r runs, and most of them are long.
  Value sumsInMemory() {
    int64_t side = 1;
    while (side < kept && (side + 1) * (side + 1) <= found) {
      ++side;
    }
    Value length = zero();
    for (int64_t half : {0, 1}) {
      length = loop(zero(), index(side), 1, length,
                    [&](Value place, ValueRange args) -> SmallVector<Value> {
                      return {addLikely(half, place, half * side, args[0])};
                    })
                   .front();
    }
    return threshold(orders, likelyPairs(), found);
  }

  /// Adds one score of a half to those of the other half, beginning with
  /// `from`. The orders of the sums are stored after the first `length` ones.
  /// Returns how many there are then.
  Value addLikely(int64_t half, Value place, int64_t from, Value length) {
    Value score = spread(f32s, bestOf(bestScore, half, place));
    Value end = arith::MinUIOp::create(
        b, loc, index(kept),
        arith::DivUIOp::create(b, loc, index(found), add(place, 1)));
    // Never before `from`: the side is at most kept, and found / side.
    Value shift = add(length, -from);
    each(index(from), end, kLanes, [&](Value i) {
      Value other = vector::LoadOp::create(b, loc, f32s, bestScore,
                                           ValueRange{index(1 - half), i});
      Value sum = arith::AddFOp::create(b, loc, score, other);
      vector::StoreOp::create(
          b, loc, orderOf(sum), orders,
          ValueRange{arith::AddIOp::create(b, loc, shift, i)});
    });
    return arith::AddIOp::create(b, loc, shift, end);
  }

  /// Whether sums may rise along rows and columns. They may if one of the
  /// numbers that are added is a NaN or an infinity.
  Value mayRise() {
    Value any;
    for (int64_t half : {0, 1}) {
      for (int64_t place : {int64_t(0), kept - 1}) {
        Value score = bestOf(bestScore, half, index(place));
        Value magnitude = math::AbsFOp::create(b, loc, score);
        Value most = arith::ConstantOp::create(
            b, loc, b.getF32FloatAttr(std::numeric_limits<float>::max()));
        // Unordered: a NaN too.
        Value odd = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT,
                                          magnitude, most);
        any = any ? arith::OrIOp::create(b, loc, any, odd).getResult() : odd;
      }
    }
    return any;
  }

  /// Leaves the k best candidates, in order, or fewer if there are fewer.
  /// Returns how many there are, and the least score that may still enter.
  SmallVector<Value> shorten(Value t, Value h, Value length) {
    sort(candidates, length, ranking);
    Value left = arith::MinUIOp::create(b, loc, length, index(found));
    each(zero(), left, kLanes, [&](Value i) {
      Value experts = sorted(ranking, i);
      Value here = inside(arith::SubIOp::create(b, loc, left, i));
      vector::StoreOp::create(b, loc, experts, candidates.number, i);
      vector::StoreOp::create(b, loc, sumsOf(t, h, experts, here),
                              candidates.score, i);
    });
    Value last = memref::LoadOp::create(
        b, loc, candidates.score,
        ValueRange{arith::SubIOp::create(b, loc, left, index(1))});
    Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left,
                                       index(found));
    Value all =
        scoreOf(integer(b.getI32Type(), std::numeric_limits<int32_t>::min()));
    return {left, select(full, scoreOf(orderOf(last)), all)};
  }

  /// Sums of the i-th best key of the first half with the keys of the second
  /// half, 16 at a time, as long as all 16 sums enter.
  SmallVector<Value> addRow(Value t, Value h, Value i, Value length,
                            Value least, Value rises) {
    Type i32 = b.getI32Type();
    Value first = spread(f32s, bestOf(bestScore, 0, i));
    Value base =
        spread(i32s, arith::MulIOp::create(b, loc, bestOf(bestKey, 0, i),
                                           integer(i32, keys)));
    Type flag = b.getI1Type();
    auto row = scf::WhileOp::create(
        b, loc,
        TypeRange{b.getIndexType(), b.getIndexType(), b.getF32Type(), flag},
        ValueRange{zero(), length, least, integer(flag, 1)},
        [&](OpBuilder &, Location, ValueRange args) {
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, args[0], index(kept));
          scf::ConditionOp::create(
              b, loc, arith::AndIOp::create(b, loc, inside, args[3]), args);
        },
        [&](OpBuilder &, Location, ValueRange args) {
          // Ties without end.
          Value crowded =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, args[1],
                                    index(listLength() - kLanes));
          auto fewer = scf::IfOp::create(
              b, loc, crowded,
              [&](OpBuilder &, Location) {
                scf::YieldOp::create(b, loc, shorten(t, h, args[1]));
              },
              [&](OpBuilder &, Location) {
                scf::YieldOp::create(b, loc, ValueRange{args[1], args[2]});
              });
          Value from = args[0];
          Value second = vector::LoadOp::create(b, loc, f32s, bestScore,
                                                ValueRange{index(1), from});
          Value key = vector::LoadOp::create(b, loc, i32s, bestKey,
                                             ValueRange{index(1), from});
          Value sum = arith::AddFOp::create(b, loc, first, second);
          Value mask = arith::AndIOp::create(
              b, loc, reaching(sum, spread(f32s, fewer.getResult(1))),
              inside(arith::SubIOp::create(b, loc, index(kept), from)));
          Value longer = append(candidates, fewer.getResult(0), sum,
                                arith::AddIOp::create(b, loc, base, key), mask);
          Value all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            population(mask), index(kLanes));
          Value next = arith::AddIOp::create(b, loc, from, index(kLanes));
          scf::YieldOp::create(
              b, loc,
              ValueRange{next, longer, fewer.getResult(1),
                         arith::OrIOp::create(b, loc, all, rises)});
        });
    return {row.getResult(1), row.getResult(2)};
  }

  /// Ranks the best of the candidates again: of equal scores the lower number
  /// comes first.
  void rankByNumber() {
    Value equal = arith::ConstantOp::create(b, loc, b.getZeroAttr(f32s));
    each(zero(), index(found), kLanes, [&](Value i) {
      vector::StoreOp::create(b, loc, sorted(ranking, i), candidates.number, i);
      vector::StoreOp::create(b, loc, equal, candidates.score, i);
    });
    sort(candidates, index(found), ranking);
  }

  void selectSums(Value t, Value h) {
    Value least = scoreOf(sumThreshold());
    Value rises = mayRise(), second = bestOf(bestScore, 1, zero());
    auto rows = scf::WhileOp::create(
        b, loc, TypeRange{b.getIndexType(), b.getIndexType(), b.getF32Type()},
        ValueRange{zero(), zero(), least},
        [&](OpBuilder &, Location, ValueRange args) {
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, args[0], index(kept));
          // The row's greatest sum.
          Value place =
              arith::MinUIOp::create(b, loc, args[0], index(kept - 1));
          Value sum = arith::AddFOp::create(b, loc, bestOf(bestScore, 0, place),
                                            second);
          Value enters =
              arith::OrIOp::create(b, loc, rises, reaching(sum, args[2]));
          scf::ConditionOp::create(
              b, loc, arith::AndIOp::create(b, loc, inside, enters), args);
        },
        [&](OpBuilder &, Location, ValueRange args) {
          SmallVector<Value> next =
              addRow(t, h, args[0], args[1], args[2], rises);
          Value i = arith::AddIOp::create(b, loc, args[0], index(1));
          scf::YieldOp::create(b, loc, ValueRange{i, next[0], next[1]});
        });
    sort(candidates, rows.getResult(1), ranking);
    if (op.getAscending()) {
      rankByNumber();
    }
    each(zero(), index(found), kLanes, [&](Value i) {
      Value experts = sorted(ranking, i);
      Value here = inside(arith::SubIOp::create(b, loc, index(found), i));
      SmallVector<Value> at{t, h, i};
      vector::MaskedStoreOp::create(b, loc, op.getExpert(), at, here, experts);
      vector::MaskedStoreOp::create(b, loc, op.getScore(), at, here,
                                    sumsOf(t, h, experts, here));
    });
  }
};
} // namespace

LogicalResult cheems::lowerRetrieval(RetrieveExpertsOp op,
                                     const VectorUnit &unit,
                                     RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto scores = cast<MemRefType>(op.getScores().getType());
  int64_t heads = scores.getDimSize(2), keys = scores.getDimSize(3);
  int64_t found = cast<MemRefType>(op.getScore().getType()).getDimSize(2);
  int64_t kept = std::min(found, keys);
  Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
  Retrieval retrieval{{{rewriter, loc}, unit.lanes >= kLanes},
                      op,
                      keys,
                      found,
                      kept,
                      VectorType::get({kLanes}, f32),
                      VectorType::get({kLanes}, i32),
                      {},
                      {},
                      {},
                      {},
                      {}};
  auto scratch = [&](ArrayRef<int64_t> shape, Type type) -> Value {
    return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, type));
  };
  int64_t padded = llvm::alignTo(kept, kLanes) + kLanes;
  retrieval.candidates = retrieval.list(retrieval.listLength());
  retrieval.ranking =
      scratch({retrieval.listLength() + kLanes}, rewriter.getF64Type());
  retrieval.bestScore = scratch({2, padded}, f32);
  retrieval.bestKey = scratch({2, padded}, i32);
  if (found > kMostInRegisters) {
    retrieval.orders =
        retrieval.allocateOrders(std::max(keys, retrieval.likelyPairs()));
  }
  Value rows =
      memref::DimOp::create(rewriter, loc, op.getScores(), retrieval.zero());
  Value first = retrieval.zero();
  retrieval.each(first, rows, 1, [&](Value t) {
    retrieval.each(first, retrieval.index(heads), 1, [&](Value h) {
      retrieval.selectHalves(t, h);
      retrieval.selectSums(t, h);
    });
  });
  return success();
}
