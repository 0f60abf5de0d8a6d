// Thresholds of a block of rows. One integer is the order of an entry's mask
// and position. One scan of the entries that were kept before the rows finds
// the least ones: as many as the rows can push out. Then each row adds its
// entry to that list in registers and pushes the least out. The least entry
// that is then in the list is the row's threshold.
#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kLanes = 16; ///< entries looked at together
/// A longer list would not fit the registers.
constexpr int64_t kMostListed = 64;
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(),
                  kGreatest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeastNumber = kLeast + (int64_t(1) << 32); ///< past NaNs

struct Thresholds : KernelBuilder {
  KeepThresholdOp op;
  int64_t keep;
  VectorType list;  ///< ascending keys
  Value group;      ///< [kLanes] keys
  Value first, end; ///< entries before the rows, and with them

  Value key(int64_t value) { return integer(b.getI64Type(), value); }
  Value less(Value a, Value c) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, a, c);
  }
  Value least(Value a, Value c) { return arith::MinSIOp::create(b, loc, a, c); }
  Value greatest(Value a, Value c) {
    return arith::MaxSIOp::create(b, loc, a, c);
  }
  static Type withElement(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(vector.getShape(), element) : element;
  }

  /// The bits of an f32 as an integer of its order, and back.
  Value flipped(Value bits) {
    Type type = bits.getType();
    Value sign = arith::ShRSIOp::create(b, loc, bits, integer(type, 31));
    Value flip = arith::AndIOp::create(
        b, loc, sign, integer(type, std::numeric_limits<int32_t>::max()));
    return arith::XOrIOp::create(b, loc, bits, flip);
  }
  /// The integer of a pair, or of vectors of pairs: the order of the mask above
  /// the complement of the position. NaN is the least, and both zeros are
  /// equal.
  Value keyOf(Value mask, Value position) {
    Type narrow = withElement(mask.getType(), b.getI32Type()),
         wide = withElement(mask.getType(), b.getI64Type());
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(mask.getType()));
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, zero);
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, mask, mask);
    Value order = flipped(
        arith::BitcastOp::create(b, loc, narrow, select(isZero, zero, mask)));
    order = select(isNaN, integer(narrow, std::numeric_limits<int32_t>::min()),
                   order);
    Value high = arith::ShLIOp::create(
        b, loc, arith::ExtSIOp::create(b, loc, wide, order), integer(wide, 32));
    Value low = arith::XOrIOp::create(b, loc, position, integer(narrow, -1));
    return arith::OrIOp::create(b, loc, high,
                                arith::ExtUIOp::create(b, loc, wide, low));
  }
  Value keyAt(Value m, Value j) {
    SmallVector<Value> place{m, j};
    return keyOf(memref::LoadOp::create(b, loc, op.getMask(), place),
                 memref::LoadOp::create(b, loc, op.getPosition(), place));
  }
  /// Keys of entries [j, count), at most kLanes; the greatest past them.
  Value keysFrom(Value m, Value j, Value count) {
    auto masks = VectorType::get({kLanes}, b.getF32Type()),
         positions = VectorType::get({kLanes}, b.getI32Type()),
         keys = VectorType::get({kLanes}, b.getI64Type());
    Value inside = vector::CreateMaskOp::create(
        b, loc, VectorType::get({kLanes}, b.getI1Type()),
        arith::SubIOp::create(b, loc, count, j).getResult());
    auto load = [&](VectorType type, Value from) -> Value {
      Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      return vector::MaskedLoadOp::create(b, loc, type, from, ValueRange{m, j},
                                          inside, zeros);
    };
    Value found =
        keyOf(load(masks, op.getMask()), load(positions, op.getPosition()));
    return select(inside, found, integer(keys, kGreatest));
  }

  /// The list moved on by one place, `filler` where that leaves a gap.
  Value shifted(Value of, bool up, int64_t filler) {
    int64_t size = list.getDimSize(0);
    SmallVector<int64_t> from;
    for (int64_t i = 0; i < size; ++i) {
      int64_t at = up ? i - 1 : i + 1;
      from.push_back(at < 0 ? size : at); // size: the filler's first
    }
    return vector::ShuffleOp::create(b, loc, of, integer(list, filler), from);
  }

  /// The least keys so far, `lowest` and then the list, with one more.
  SmallVector<Value> collect(ValueRange state, Value added) {
    Value rest = spread(list, greatest(state[0], added));
    Value moved =
        greatest(shifted(state[1], /*up=*/true, kLeast), least(state[1], rest));
    return {least(state[0], added), moved};
  }
  /// The same keys with one more and without the least. What is past the list
  /// counts as greatest. The list is as long as there are rows, so none of them
  /// gets to see that.
  SmallVector<Value> replace(ValueRange state, Value added) {
    Value stays = greatest(state[0], added);
    Value first =
        vector::ExtractOp::create(b, loc, state[1], ArrayRef<int64_t>{0});
    Value moved = least(shifted(state[1], /*up=*/false, kGreatest),
                        greatest(state[1], spread(list, stays)));
    return {least(first, stays), moved};
  }

  Value isNaN(Value of) { return less(of, key(kLeastNumber)); }

  /// The least keys of entries [0, count) that are at least `bound`. If the
  /// index is wanted, it is that of the first NaN, or else that of the least
  /// key.
  SmallVector<Value> leastOf(Value m, Value count, Value bound) {
    auto keys = VectorType::get({kLanes}, b.getI64Type());
    SmallVector<Value> greatest{key(kGreatest), integer(list, kGreatest)};
    if (op.getMovesTo()) {
      greatest.push_back(index(0));
    }
    return loop(
        index(0), count, kLanes, greatest,
        [&](Value j, ValueRange state) -> SmallVector<Value> {
          Value found = keysFrom(m, j, count);
          Value worst = vector::ExtractOp::create(
              b, loc, state[1], ArrayRef<int64_t>{list.getDimSize(0) - 1});
          Value enters = arith::AndIOp::create(
              b, loc, less(found, spread(keys, worst)),
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, found,
                                    spread(keys, bound)));
          Type bits = b.getIntegerType(kLanes);
          Value lanes = vector::ExtractOp::create(
              b, loc,
              vector::BitCastOp::create(b, loc, VectorType::get({1}, bits),
                                        enters),
              ArrayRef<int64_t>{0});
          vector::StoreOp::create(b, loc, found, group, index(0));
          Value none = integer(bits, 0);
          SmallVector<Value> carried{lanes};
          llvm::append_range(carried, state);
          auto entering = scf::WhileOp::create(
              b, loc, ValueRange(carried).getTypes(), carried,
              [&](OpBuilder &, Location, ValueRange args) {
                Value more = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::ne, args[0], none);
                scf::ConditionOp::create(b, loc, more, args);
              },
              [&](OpBuilder &, Location, ValueRange args) {
                Value lane = arith::IndexCastUIOp::create(
                    b, loc, b.getIndexType(),
                    math::CountTrailingZerosOp::create(b, loc, args[0]));
                Value added = memref::LoadOp::create(b, loc, group, lane);
                SmallVector<Value> next = collect(args.drop_front(), added);
                if (op.getMovesTo()) {
                  Value later = arith::OrIOp::create(
                      b, loc, isNaN(args[1]),
                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            added, args[1]));
                  next.push_back(select(
                      later, args[3], arith::AddIOp::create(b, loc, j, lane)));
                }
                Value left = arith::AndIOp::create(
                    b, loc, args[0],
                    arith::SubIOp::create(b, loc, args[0], integer(bits, 1)));
                next.insert(next.begin(), left);
                scf::YieldOp::create(b, loc, next);
              });
          return SmallVector<Value>(entering.getResults().drop_front());
        });
  }

  void store(Value m, Value t, Value threshold, Value last) {
    SmallVector<Value> place{t, m};
    memref::StoreOp::create(b, loc, threshold, op.getThreshold(), place);
    memref::StoreOp::create(b, loc, last, op.getLast(), place);
  }
  /// The threshold of a row that sees all entries.
  Value everyMask() {
    return arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  }
  Value everyPosition() {
    return integer(b.getI32Type(), std::numeric_limits<int32_t>::max());
  }

  /// Stores where keep_update moves the row's entry; W: nowhere.
  void storePlace(Value m, Value place) {
    memref::StoreOp::create(
        b, loc, arith::IndexCastOp::create(b, loc, b.getI32Type(), place),
        op.getMovesTo(), ValueRange{index(0), m});
  }

  /// The threshold of the row whose own entry is j.
  void show(Value m, Value j, Value lowest) {
    Type narrow = b.getI32Type();
    Value order = arith::TruncIOp::create(
        b, loc, narrow, arith::ShRSIOp::create(b, loc, lowest, key(32)));
    Value allNaN = isNaN(lowest);
    Value mask =
        arith::BitcastOp::create(b, loc, b.getF32Type(), flipped(order));
    Value position = arith::XOrIOp::create(
        b, loc, arith::TruncIOp::create(b, loc, narrow, lowest),
        integer(narrow, -1));
    store(m, arith::SubIOp::create(b, loc, j, first),
          select(allNaN, everyMask(), mask),
          select(allNaN, everyPosition(), position));
  }

  void ofHead(Value m) {
    // Rows that see at most W entries.
    Value atMost = arith::SubIOp::create(
        b, loc, index(keep),
        arith::MinUIOp::create(b, loc, first, index(keep)));
    Value free = arith::MinUIOp::create(
        b, loc, atMost, arith::SubIOp::create(b, loc, end, first));
    loop(index(0), free, 1, {}, [&](Value t, ValueRange) {
      store(m, t, everyMask(), everyPosition());
      return SmallVector<Value>();
    });
    if (op.getMovesTo()) {
      storePlace(m, index(keep));
    }
    // Where more than W entries come before the rows, these go through all
    // of them past the W-th.
    int64_t step = list.getDimSize(0);
    loop(index(keep), end, step, key(kLeast),
         [&](Value from, ValueRange bound) -> SmallVector<Value> {
           Value to = arith::MinUIOp::create(
               b, loc, end, arith::AddIOp::create(b, loc, from, index(step)));
           return {loop(from, to, 1, leastOf(m, from, bound[0]),
                        [&](Value j, ValueRange state) {
                          Value own = keyAt(m, j);
                          SmallVector<Value> next = replace(state, own);
                          if (op.getMovesTo()) {
                            // A NaN pushes nothing out.
                            Value stays = arith::OrIOp::create(
                                b, loc, isNaN(own), less(own, state[0]));
                            storePlace(m, select(stays, index(keep), state[2]));
                            next.push_back(state[2]);
                          }
                          Value shown = arith::CmpIOp::create(
                              b, loc, arith::CmpIPredicate::uge, j, first);
                          scf::IfOp::create(b, loc, shown,
                                            [&](OpBuilder &, Location) {
                                              show(m, j, next[0]);
                                              scf::YieldOp::create(b, loc);
                                            });
                          return next;
                        })
                       .front()};
         });
  }
};
} // namespace

LogicalResult cheems::lowerKeepThreshold(KeepThresholdOp op,
                                         const VectorUnit & /*unit*/,
                                         RewriterBase &rewriter) {
  Location loc = op.getLoc();
  KernelBuilder k{rewriter, loc};
  Value rows = k.extent(op.getThreshold(), 0),
        heads = k.extent(op.getMask(), 0);
  int64_t most = cast<MemRefType>(op.getThreshold().getType()).getDimSize(0);
  int64_t listed =
      ShapedType::isDynamic(most)
          ? kMostListed
          : std::clamp<int64_t>(llvm::PowerOf2Ceil(most), 1, kMostListed);
  Type i64 = rewriter.getI64Type();
  Thresholds thresholds{
      {rewriter, loc},
      op,
      static_cast<int64_t>(op.getKeep()),
      VectorType::get({listed}, i64),
      memref::AllocOp::create(rewriter, loc, MemRefType::get({kLanes}, i64)),
      op.getFirst(),
      k.add(op.getFirst(), rows)};
  k.each(k.index(0), heads, 1, [&](Value m) { thresholds.ofHead(m); });
  return success();
}
