// Retrieval of one row and head. The best keys of both halves are taken off
// one after the other: scores stand as integers of the same order, the maximum
// of each block of them in registers, so a key costs one look at the maxima and
// one at its block. Sums of the keys found are ranked by insertion, into a list
// in registers where it fits.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kLanes = 16, kMostBlocks = 64, kMostRegisters = 64;

struct Retrieval {
  OpBuilder &b;
  Location loc;
  RetrieveExpertsOp op;
  int64_t keys, found, kept; // K, k, min(k, K)
  VectorType block, maxima;  // orders of a block of keys; of every block
  Value order;               // [2, K in whole blocks] i32
  Value blockBest;           // [2, blocks in whole vectors] i32
  Value bestKey, bestScore;  // [2, kept] of each half, best first
  VectorType list;           // at least k ranks
  Value ranked;              // at least [k] i64, best first

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value integer(Type type, int64_t value) {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type)) {
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    }
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value toIndex(Value value) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  }
  Value largest(Value orders) {
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXSI,
                                       orders);
  }
  /// A loop over [0, count) that carries `state`.
  SmallVector<Value>
  loop(Value count, ValueRange state,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(
        b, loc, index(0), count, index(1), state,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(b, loc, body(i, args));
        });
    return op.getResults();
  }

  /// An i32, or a vector of them, in the order of `score`: -0 is 0, NaN below
  /// every number but above the least integer, which means taken.
  Value orderOf(Value score) {
    Type type = b.getI32Type();
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(score.getType()));
    if (auto vector = dyn_cast<VectorType>(score.getType())) {
      type = VectorType::get(vector.getShape(), type);
    }
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, score, zero);
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, score, score);
    Value bits =
        arith::BitcastOp::create(b, loc, type, select(isZero, zero, score));
    Value flip = arith::AndIOp::create(
        b, loc, arith::ShRSIOp::create(b, loc, bits, integer(type, 31)),
        integer(type, std::numeric_limits<int32_t>::max()));
    return select(isNaN, integer(type, std::numeric_limits<int32_t>::min() + 1),
                  arith::XOrIOp::create(b, loc, bits, flip));
  }

  /// `vector` with `scalar` in lane `lane`.
  Value replaceLane(Value vector, Value lane, Value scalar) {
    auto type = cast<VectorType>(vector.getType());
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, type.getDimSize(0)));
    Value lanes = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
    lane = arith::IndexCastOp::create(b, loc, b.getI32Type(), lane);
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lanes,
                                       spread(type, lane));
    return select(here, spread(type, scalar), vector);
  }
  /// The first lane that holds `value`; one does.
  Value firstLane(Value vector, Value value) {
    auto type = cast<VectorType>(vector.getType());
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        vector, spread(type, value));
    Type bits = b.getIntegerType(type.getDimSize(0));
    Value mask =
        vector::BitCastOp::create(b, loc, VectorType::get({1}, bits), equal);
    mask = vector::ExtractOp::create(b, loc, mask, ArrayRef<int64_t>{0});
    Value lane = math::CountTrailingZerosOp::create(b, loc, mask);
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), lane);
  }

  /// Orders of all keys of a half; the maximum of each block.
  Value fill(Value t, Value h, Value half) {
    int64_t width = block.getDimSize(0);
    auto scores = VectorType::get(block.getShape(), b.getF32Type());
    auto lanes = VectorType::get(block.getShape(), b.getI1Type());
    Value taken = integer(block, std::numeric_limits<int32_t>::min());
    Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(scores));
    vector::StoreOp::create(
        b, loc, integer(maxima, std::numeric_limits<int32_t>::min()), blockBest,
        ValueRange{half, index(0)});
    loop(index(llvm::divideCeil(keys, width)), {},
         [&](Value i, ValueRange) -> SmallVector<Value> {
           Value from = arith::MulIOp::create(b, loc, i, index(width));
           Value inside = vector::CreateMaskOp::create(
               b, loc, lanes,
               arith::SubIOp::create(b, loc, index(keys), from).getResult());
           Value score = vector::MaskedLoadOp::create(
               b, loc, scores, op.getScores(), ValueRange{t, half, h, from},
               inside, nothing);
           Value orders = select(inside, orderOf(score), taken);
           vector::StoreOp::create(b, loc, orders, order,
                                   ValueRange{half, from});
           memref::StoreOp::create(b, loc, largest(orders), blockBest,
                                   ValueRange{half, i});
           return {};
         });
    return vector::LoadOp::create(b, loc, maxima, blockBest,
                                  ValueRange{half, index(0)});
  }

  /// Takes the best key that is left of a half; returns the maxima after it.
  Value take(Value t, Value h, Value half, Value place, Value best) {
    Value highest = largest(best);
    Value at = firstLane(best, highest);
    Value from = arith::MulIOp::create(b, loc, at, index(block.getDimSize(0)));
    Value orders =
        vector::LoadOp::create(b, loc, block, order, ValueRange{half, from});
    Value lane = firstLane(orders, highest);
    Value key = arith::AddIOp::create(b, loc, from, lane);
    Value score = memref::LoadOp::create(b, loc, op.getScores(),
                                         ValueRange{t, half, h, key});
    memref::StoreOp::create(b, loc, score, bestScore, ValueRange{half, place});
    memref::StoreOp::create(
        b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), key),
        bestKey, ValueRange{half, place});
    orders = replaceLane(
        orders, lane,
        integer(b.getI32Type(), std::numeric_limits<int32_t>::min()));
    vector::StoreOp::create(b, loc, orders, order, ValueRange{half, from});
    return replaceLane(best, at, largest(orders));
  }

  /// The order of the sum above the complement of the expert: greater is
  /// better.
  Value rankOf(Value sumOrder, Value expert) {
    Type i64 = b.getI64Type();
    Value high = arith::ShLIOp::create(
        b, loc, arith::ExtSIOp::create(b, loc, i64, sumOrder),
        integer(i64, 32));
    Value low = arith::XOrIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, i64, expert),
        integer(i64, std::numeric_limits<uint32_t>::max()));
    return arith::OrIOp::create(b, loc, high, low);
  }

  Value rankAt(Value place) {
    return memref::LoadOp::create(b, loc, ranked, place);
  }

  // The list of the best ranks so far, best first: while it is short a vector
  // in registers, else `ranked` and how many entries of it are filled.
  bool inRegisters() const { return found <= kMostRegisters; }

  Value emptyList() {
    return inRegisters() ? integer(list, std::numeric_limits<int64_t>::min())
                         : index(0);
  }

  /// The rank of the last of a full list; one below all others until then.
  Value worstRank(Value state) {
    if (inRegisters()) {
      return vector::ExtractOp::create(b, loc, state,
                                       ArrayRef<int64_t>{found - 1});
    }
    Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, state,
                                       index(found));
    return select(full, rankAt(index(found - 1)),
                  integer(b.getI64Type(), std::numeric_limits<int64_t>::min()));
  }

  /// The list with `rank` in its place, where it belongs into it.
  Value insert(Value state, Value rank) {
    if (!inRegisters()) {
      return insertStored(state, rank);
    }
    // Every entry becomes the lower of the rank and the entry before it, or
    // stays if it is above that.
    SmallVector<int64_t> before{list.getDimSize(0)};
    llvm::append_range(before, llvm::seq<int64_t>(0, list.getDimSize(0) - 1));
    Value shifted = vector::ShuffleOp::create(
        b, loc, state, integer(list, std::numeric_limits<int64_t>::max()),
        before);
    Value moved = arith::MinSIOp::create(b, loc, shifted, spread(list, rank));
    return arith::MaxSIOp::create(b, loc, state, moved);
  }

  Value insertStored(Value filled, Value rank) {
    Value better = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                         rank, worstRank(filled));
    scf::IfOp::create(b, loc, better, [&](OpBuilder &, Location) {
      Value last = arith::MinUIOp::create(b, loc, filled, index(found - 1));
      auto shift = scf::WhileOp::create(
          b, loc, TypeRange{b.getIndexType()}, ValueRange{last},
          [&](OpBuilder &, Location, ValueRange place) {
            // At the first place nothing stands before; the read must be legal
            // all the same.
            Value inside = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::ugt, place[0], index(0));
            Value before = arith::SubIOp::create(
                b, loc, arith::MaxUIOp::create(b, loc, place[0], index(1)),
                index(1));
            Value lower = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::slt, rankAt(before), rank);
            scf::ConditionOp::create(
                b, loc, arith::AndIOp::create(b, loc, inside, lower), place);
          },
          [&](OpBuilder &, Location, ValueRange place) {
            Value before = arith::SubIOp::create(b, loc, place[0], index(1));
            memref::StoreOp::create(b, loc, rankAt(before), ranked, place);
            scf::YieldOp::create(b, loc, before);
          });
      memref::StoreOp::create(b, loc, rank, ranked, shift.getResult(0));
      scf::YieldOp::create(b, loc);
    });
    return arith::MinUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, filled, index(1)), index(found));
  }

  /// Ranks the sums of the i-th best key of the first half with all of the
  /// second, as long as they can still enter. Sums fall along the row, but for
  /// those that are NaN; equal ones may come in any order of their experts.
  Value rankRow(Value i, Value state) {
    Type i32 = b.getI32Type();
    auto ofHalf = [&](Value values, int64_t half, Value place) -> Value {
      return memref::LoadOp::create(b, loc, values,
                                    ValueRange{index(half), place});
    };
    Value first = ofHalf(bestScore, 0, i);
    Value base = arith::MulIOp::create(b, loc, ofHalf(bestKey, 0, i),
                                       integer(i32, keys));
    auto row = scf::WhileOp::create(
        b, loc, TypeRange{b.getIndexType(), state.getType(), i32},
        ValueRange{index(0), state},
        [&](OpBuilder &, Location, ValueRange args) {
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, args[0], index(kept));
          Value place =
              arith::MinUIOp::create(b, loc, args[0], index(kept - 1));
          Value sum = orderOf(arith::AddFOp::create(
              b, loc, first, ofHalf(bestScore, 1, place)));
          Value worst = arith::ShRSIOp::create(b, loc, worstRank(args[1]),
                                               integer(b.getI64Type(), 32));
          Value enters = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::sge, sum,
              arith::TruncIOp::create(b, loc, i32, worst).getResult());
          Value isNaN = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, sum,
              integer(i32, std::numeric_limits<int32_t>::min() + 1));
          Value on = arith::AndIOp::create(
              b, loc, inside, arith::OrIOp::create(b, loc, enters, isNaN));
          scf::ConditionOp::create(b, loc, on,
                                   ValueRange{args[0], args[1], sum});
        },
        [&](OpBuilder &, Location, ValueRange args) {
          Value expert =
              arith::AddIOp::create(b, loc, base, ofHalf(bestKey, 1, args[0]));
          Value next = insert(args[1], rankOf(args[2], expert));
          scf::YieldOp::create(
              b, loc,
              ValueRange{arith::AddIOp::create(b, loc, args[0], index(1)),
                         next});
        });
    return row.getResult(1);
  }

  void write(Value t, Value h) {
    loop(index(found), {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), rankAt(i));
      Value expert =
          arith::XOrIOp::create(b, loc, low, integer(b.getI32Type(), -1));
      Value size = integer(b.getI32Type(), keys);
      Value first = toIndex(arith::DivUIOp::create(b, loc, expert, size)),
            second = toIndex(arith::RemUIOp::create(b, loc, expert, size));
      // From the scores again: an order has lost the sign of zero.
      Value sum = arith::AddFOp::create(
          b, loc,
          memref::LoadOp::create(b, loc, op.getScores(),
                                 ValueRange{t, index(0), h, first}),
          memref::LoadOp::create(b, loc, op.getScores(),
                                 ValueRange{t, index(1), h, second}));
      memref::StoreOp::create(b, loc, sum, op.getScore(), ValueRange{t, h, i});
      memref::StoreOp::create(b, loc, expert, op.getExpert(),
                              ValueRange{t, h, i});
      return {};
    });
  }

  void retrieve(Value t, Value h) {
    Value first = fill(t, h, index(0)), second = fill(t, h, index(1));
    // Both halves in one loop: two chains of dependent steps run side by side.
    loop(index(kept), {first, second},
         [&](Value place, ValueRange best) -> SmallVector<Value> {
           return {take(t, h, index(0), place, best[0]),
                   take(t, h, index(1), place, best[1])};
         });
    Value best = loop(index(kept), emptyList(),
                      [&](Value i, ValueRange state) -> SmallVector<Value> {
                        return {rankRow(i, state[0])};
                      })
                     .front();
    if (inRegisters()) {
      vector::StoreOp::create(b, loc, best, ranked, index(0));
    }
    write(t, h);
  }
};
} // namespace

LogicalResult cheems::lowerRetrieval(RetrieveExpertsOp op,
                                     RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto scores = cast<MemRefType>(op.getScores().getType());
  int64_t heads = scores.getDimSize(2), keys = scores.getDimSize(3);
  int64_t found = cast<MemRefType>(op.getScore().getType()).getDimSize(2);
  int64_t kept = std::min(found, keys);
  int64_t width = std::max<int64_t>(
      kLanes, llvm::PowerOf2Ceil(llvm::divideCeil(keys, kMostBlocks)));
  int64_t blocks = llvm::divideCeil(keys, width);
  Type i32 = rewriter.getI32Type();
  auto scratch = [&](ArrayRef<int64_t> shape, Type type) -> Value {
    return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, type));
  };
  int64_t lanes = std::max<int64_t>(kLanes, llvm::PowerOf2Ceil(blocks));
  int64_t room =
      llvm::PowerOf2Ceil(std::clamp<int64_t>(found, 8, kMostRegisters));
  Retrieval retrieval{rewriter,
                      loc,
                      op,
                      keys,
                      found,
                      kept,
                      VectorType::get({width}, i32),
                      VectorType::get({lanes}, i32),
                      scratch({2, blocks * width}, i32),
                      scratch({2, lanes}, i32),
                      scratch({2, kept}, i32),
                      scratch({2, kept}, rewriter.getF32Type()),
                      VectorType::get({room}, rewriter.getI64Type()),
                      scratch({std::max(room, found)}, rewriter.getI64Type())};
  Value rows =
      memref::DimOp::create(rewriter, loc, op.getScores(), retrieval.index(0));
  retrieval.loop(rows, {}, [&](Value t, ValueRange) -> SmallVector<Value> {
    retrieval.loop(retrieval.index(heads), {},
                   [&](Value h, ValueRange) -> SmallVector<Value> {
                     retrieval.retrieve(t, h);
                     return {};
                   });
    return {};
  });
  return success();
}
