// Kept entries of a block move to the indices of evicted ones. If there is one
// such index, keep_threshold may have found it. Otherwise 64 entries are
// compared at a time, up to the last index that is needed.
#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kLanes = 64;    ///< entries compared together
constexpr int64_t kElements = 64; ///< of a key, moved together

struct Update : KernelBuilder {
  KeepUpdateOp op;
  int64_t keep;

  Value both(Value a, Value c) { return arith::AndIOp::create(b, loc, a, c); }

  /// Whether entries, one or a vector of them, are kept.
  Value kept(Value m, Value mask, Value position) {
    Value bound = memref::LoadOp::create(b, loc, op.getThreshold(), m),
          last = memref::LoadOp::create(b, loc, op.getLast(), m);
    if (isa<VectorType>(mask.getType())) {
      bound = vector::BroadcastOp::create(b, loc, mask.getType(), bound);
      last = vector::BroadcastOp::create(b, loc, position.getType(), last);
    }
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, mask, bound);
    Value tie =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, bound);
    Value early = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                        position, last);
    return arith::OrIOp::create(b, loc, above, both(tie, early));
  }

  /// A bit for each evicted index among the kLanes from `from` on.
  Value evicted(Value m, Value from) {
    auto lanes = VectorType::get({kLanes}, b.getI1Type());
    Value inside = vector::CreateMaskOp::create(
        b, loc, lanes,
        arith::SubIOp::create(b, loc, index(keep), from).getResult());
    auto load = [&](Type element, Value of) -> Value {
      auto type = VectorType::get({kLanes}, element);
      Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      return vector::MaskedLoadOp::create(b, loc, type, of, ValueRange{m, from},
                                          inside, zeros);
    };
    Value stays = kept(m, load(b.getF32Type(), op.getMask()),
                       load(b.getI32Type(), op.getPosition()));
    Value gone =
        both(inside, arith::XOrIOp::create(
                         b, loc, stays,
                         arith::ConstantOp::create(
                             b, loc, DenseElementsAttr::get(lanes, true))));
    Type bits = b.getIntegerType(kLanes);
    gone = vector::BitCastOp::create(b, loc, VectorType::get({1}, bits), gone);
    return vector::ExtractOp::create(b, loc, gone, ArrayRef<int64_t>{0});
  }

  /// Elements [from, to) of a key and its value, `width` at a time.
  void moveElements(Value m, Value j, Value place, Value from, Value to,
                    int64_t width) {
    for (Value entries : {op.getKeys(), op.getValues()}) {
      auto type = VectorType::get(
          {width}, cast<MemRefType>(entries.getType()).getElementType());
      each(from, to, width, [&](Value p) {
        Value moved =
            vector::LoadOp::create(b, loc, type, entries, ValueRange{m, j, p});
        vector::StoreOp::create(b, loc, moved, entries,
                                ValueRange{m, place, p});
      });
    }
  }
  void move(Value m, Value j, Value place) {
    int64_t size = cast<MemRefType>(op.getKeys().getType()).getDimSize(2);
    if (ShapedType::isDynamic(size)) {
      moveElements(m, j, place, index(0),
                   memref::DimOp::create(b, loc, op.getKeys(), index(2)), 1);
    } else {
      int64_t from = 0;
      for (int64_t width = kElements; width > 0; width /= 2) {
        int64_t to = size - size % width;
        if (to > from) {
          moveElements(m, j, place, index(from), index(to), width);
        }
        from = to;
      }
    }
    for (Value entries : op.getDpsInits().drop_front(2)) {
      Value moved = memref::LoadOp::create(b, loc, entries, ValueRange{m, j});
      memref::StoreOp::create(b, loc, moved, entries, ValueRange{m, place});
    }
  }

  /// Says where to look for the next evicted index: the bits that are left of
  /// those at `state[0]`, `state[1]`.
  SmallVector<Value> nextEvicted(Value m, ValueRange state) {
    Value none =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI64Type(), 0));
    auto search = scf::WhileOp::create(
        b, loc, state.getTypes(), state,
        [&](OpBuilder &, Location, ValueRange args) {
          Value noneFound = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, args[1], none);
          Value more =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                    add(args[0], index(kLanes)), index(keep));
          scf::ConditionOp::create(b, loc, both(noneFound, more), args);
        },
        [&](OpBuilder &, Location, ValueRange args) {
          Value at = add(args[0], index(kLanes));
          scf::YieldOp::create(b, loc, ValueRange{at, evicted(m, at)});
        });
    return search.getResults();
  }

  /// One row's entry moves to where keep_threshold says.
  void toPlace(Value m) {
    Value place = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        memref::LoadOp::create(b, loc, op.getMovesTo(), m));
    Value moves = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        place, index(keep));
    scf::IfOp::create(b, loc, moves, [&](OpBuilder &, Location) {
      move(m, op.getFirst(), place);
      scf::YieldOp::create(b, loc);
    });
  }

  void ofHead(Value m, Value count) {
    SmallVector<Value> start{index(0), evicted(m, index(0))};
    scf::ForOp::create(
        b, loc, index(keep), count, index(1), start,
        [&](OpBuilder &, Location, Value j, ValueRange state) {
          auto at = [&](Value entries) -> Value {
            return memref::LoadOp::create(b, loc, entries, ValueRange{m, j});
          };
          auto moved = scf::IfOp::create(
              b, loc, kept(m, at(op.getMask()), at(op.getPosition())),
              [&](OpBuilder &, Location) {
                // As many entries below W are evicted as are kept from W on,
                // so there is one.
                SmallVector<Value> found = nextEvicted(m, state);
                Value lane = arith::IndexCastUIOp::create(
                    b, loc, b.getIndexType(),
                    math::CountTrailingZerosOp::create(b, loc, found[1]));
                Value place =
                    arith::MinUIOp::create(b, loc, add(found[0], lane), j);
                move(m, j, place);
                Value one = arith::ConstantOp::create(
                    b, loc, b.getIntegerAttr(b.getI64Type(), 1));
                Value left = both(found[1],
                                  arith::SubIOp::create(b, loc, found[1], one));
                scf::YieldOp::create(b, loc, ValueRange{found[0], left});
              },
              [&](OpBuilder &, Location) {
                scf::YieldOp::create(b, loc, state);
              });
          scf::YieldOp::create(b, loc, moved.getResults());
        });
  }
};
} // namespace

LogicalResult cheems::lowerKeepUpdate(KeepUpdateOp op,
                                      const VectorUnit & /*unit*/,
                                      RewriterBase &rewriter) {
  Location loc = op.getLoc();
  Update update{{rewriter, loc}, op, static_cast<int64_t>(op.getKeep())};
  Value count =
      arith::AddIOp::create(rewriter, loc, op.getFirst(), op.getRows());
  Value over = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt,
                                     count, update.index(update.keep));
  auto branch = scf::IfOp::create(rewriter, loc, over, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  Value heads =
      memref::DimOp::create(rewriter, loc, op.getMask(), update.index(0));
  update.each(update.index(0), heads, 1, [&](Value m) {
    op.getMovesTo() ? update.toPlace(m) : update.ofHead(m, count);
  });
  return success();
}
