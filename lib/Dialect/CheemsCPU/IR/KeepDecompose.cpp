// Which keys are kept, as scalar loops.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
Value constantI32(OpBuilder &b, Location loc, int32_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// mask and position of entry (m, j).
struct Entry {
  Value mask, position;
  Entry(OpBuilder &b, Location loc, Value masks, Value positions, Value m,
        Value j)
      : mask(tensor::ExtractOp::create(b, loc, masks, ValueRange{m, j})),
        position(
            tensor::ExtractOp::create(b, loc, positions, ValueRange{m, j})) {}

  /// The same with NaN after all others: as -infinity past all positions.
  /// Positions are then compared as unsigned.
  Entry ranked(OpBuilder &b, Location loc) const {
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, mask, mask);
    Value lowest =
        constantF32(b, loc, -std::numeric_limits<double>::infinity());
    Value past = arith::OrIOp::create(
        b, loc, position,
        constantI32(b, loc, std::numeric_limits<int32_t>::min()));
    Entry result = *this;
    result.mask = arith::SelectOp::create(b, loc, isNaN, lowest, mask);
    result.position = arith::SelectOp::create(b, loc, isNaN, past, position);
    return result;
  }
};

/// entry.mask > mask, or equal and entry.position < position (<= with
/// `orEqual`).
Value better(OpBuilder &b, Location loc, const Entry &entry, Value mask,
             Value position, bool orEqual = false) {
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                      entry.mask, mask);
  Value tie = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                    entry.mask, mask);
  auto order = orEqual ? arith::CmpIPredicate::ule : arith::CmpIPredicate::ult;
  Value earlier =
      arith::CmpIOp::create(b, loc, order, entry.position, position);
  return arith::OrIOp::create(b, loc, above,
                              arith::AndIOp::create(b, loc, tie, earlier));
}

/// The worst of entries [0, count) of head m that are better than (mask,
/// position), or of all of them.
std::pair<Value, Value> worstBetter(OpBuilder &b, Location loc, Value masks,
                                    Value positions, Value m, Value count,
                                    Value mask, Value position, Value all) {
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value none = constantF32(b, loc, std::numeric_limits<double>::infinity());
  auto scan = scf::ForOp::create(
      b, loc, zero, count, one, ValueRange{none, constantI32(b, loc, 0)},
      [&](OpBuilder &b, Location loc, Value j, ValueRange worst) {
        Entry entry = Entry(b, loc, masks, positions, m, j).ranked(b, loc);
        Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                            entry.mask, worst[0]);
        Value tie = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                          entry.mask, worst[0]);
        Value later = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                            entry.position, worst[1]);
        Value worse = arith::OrIOp::create(
            b, loc, below, arith::AndIOp::create(b, loc, tie, later));
        Value candidate = arith::OrIOp::create(
            b, loc, all, better(b, loc, entry, mask, position));
        Value take = arith::AndIOp::create(b, loc, worse, candidate);
        Value nextMask =
            arith::SelectOp::create(b, loc, take, entry.mask, worst[0]);
        Value nextPosition =
            arith::SelectOp::create(b, loc, take, entry.position, worst[1]);
        scf::YieldOp::create(b, loc, ValueRange{nextMask, nextPosition});
      });
  return {scan.getResult(0), scan.getResult(1)};
}

/// The first index from `from` on and below `to` of head m whose entry is not
/// kept; `to` if all are.
Value firstEvicted(OpBuilder &b, Location loc, Value masks, Value positions,
                   Value m, Value from, Value to, Value mask, Value last) {
  auto search = scf::WhileOp::create(
      b, loc, TypeRange{b.getIndexType()}, ValueRange{from},
      [&](OpBuilder &b, Location loc, ValueRange place) {
        Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             place[0], to);
        Entry occupant(b, loc, masks, positions, m, place[0]);
        Value stays = better(b, loc, occupant, mask, last, /*orEqual=*/true);
        scf::ConditionOp::create(
            b, loc, arith::AndIOp::create(b, loc, inside, stays), place);
      },
      [&](OpBuilder &b, Location loc, ValueRange place) {
        scf::YieldOp::create(
            b, loc,
            arith::AddIOp::create(b, loc, place[0], constantIndex(b, loc, 1))
                .getResult());
      });
  return search.getResult(0);
}

/// keep_update's destinations with entry j of head m copied to `place`.
SmallVector<Value> moved(OpBuilder &b, Location loc, ValueRange entries,
                         Value m, Value j, Value place) {
  Value size = tensor::DimOp::create(b, loc, entries[0], int64_t(2));
  auto copy = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), size, constantIndex(b, loc, 1),
      entries.take_front(2),
      [&](OpBuilder &b, Location loc, Value p, ValueRange rows) {
        SmallVector<Value> next;
        for (Value row : rows) {
          Value element =
              tensor::ExtractOp::create(b, loc, row, ValueRange{m, j, p});
          next.push_back(tensor::InsertOp::create(b, loc, element, row,
                                                  ValueRange{m, place, p}));
        }
        scf::YieldOp::create(b, loc, next);
      });
  SmallVector<Value> result(copy.getResults());
  for (Value numbers : entries.drop_front(2)) {
    Value number = tensor::ExtractOp::create(b, loc, numbers, ValueRange{m, j});
    result.push_back(tensor::InsertOp::create(b, loc, number, numbers,
                                              ValueRange{m, place}));
  }
  return result;
}
} // namespace

/// Returns where an entry goes that arrives when there are W already; W:
/// nowhere.
/// \param results threshold and last position of each row.
static Value indicesOfMoved(KeepThresholdOp op, OpBuilder &b,
                            ValueRange results, Value zero, Value one,
                            Value heads, Value keep) {
  Location loc = op.getLoc();
  Value first = op.getFirst();
  auto indices = scf::ForOp::create(
      b, loc, zero, heads, one, ValueRange{op.getMovesTo()},
      [&](OpBuilder &b, Location loc, Value m, ValueRange args) {
        Value mask = tensor::ExtractOp::create(b, loc, results[0],
                                               ValueRange{zero, m}),
              last = tensor::ExtractOp::create(b, loc, results[1],
                                               ValueRange{zero, m});
        Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           first, keep);
        Entry own(b, loc, op.getMask(), op.getPosition(), m, first);
        Value moves = arith::AndIOp::create(
            b, loc, full, better(b, loc, own, mask, last, /*orEqual=*/true));
        // The search covers no entries if nothing moves.
        Value found = firstEvicted(
            b, loc, op.getMask(), op.getPosition(), m, zero,
            arith::SelectOp::create(b, loc, moves, keep, zero), mask, last);
        Value number = arith::IndexCastOp::create(
            b, loc, b.getI32Type(),
            arith::SelectOp::create(b, loc, moves, found, keep));
        scf::YieldOp::create(b, loc,
                             tensor::InsertOp::create(b, loc, number, args[0],
                                                      ValueRange{zero, m})
                                 .getResult());
      });
  return indices.getResult(0);
}

/// What a row shows of the W-th best, mask and position. At exactly W entries
/// everything is visible, and the worst of them is remembered for the next row.
/// A NaN counts as -infinity here, and hides nothing.
/// \param over whether there are more than W entries.
static std::pair<Value, Value> shown(OpBuilder &b, Location loc, Value over,
                                     ValueRange worst, Value everyMask,
                                     Value everyPosition) {
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       worst[0], constantF32(b, loc, 0));
  Value unsignedMask =
      arith::SelectOp::create(b, loc, isZero, constantF32(b, loc, 0), worst[0]);
  Value mask = arith::SelectOp::create(b, loc, over, unsignedMask, everyMask);
  Value position = arith::SelectOp::create(
      b, loc, over, arith::MinUIOp::create(b, loc, worst[1], everyPosition),
      everyPosition);
  return {mask, position};
}

// The W-th best moves up one place when a better entry arrives, and only then.
// The new W-th best is the worst of those that are better than the old one. So
// each row costs at most one scan.
FailureOr<SmallVector<Value>>
KeepThresholdOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value heads = tensor::DimOp::create(b, loc, getMask(), zero),
        rows = tensor::DimOp::create(b, loc, getThreshold(), zero);
  Value keep = constantIndex(b, loc, getKeep()), first = getFirst();
  Value end = arith::AddIOp::create(b, loc, first, rows);
  // Before W entries there is nothing to do; at the W-th the scan starts.
  Value begin = arith::MinUIOp::create(b, loc, first,
                                       constantIndex(b, loc, getKeep() - 1));
  Value everyMask =
      constantF32(b, loc, -std::numeric_limits<double>::infinity());
  Value everyPosition =
      constantI32(b, loc, std::numeric_limits<int32_t>::max());
  auto perHead = [&](OpBuilder &b, Location loc, Value m, ValueRange outer) {
    auto perEntry = [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
      Value count = arith::AddIOp::create(b, loc, j, one);
      Value full =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, keep);
      Value over =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, count, keep);
      Entry entry =
          Entry(b, loc, getMask(), getPosition(), m, j).ranked(b, loc);
      Value rises = arith::AndIOp::create(
          b, loc, over, better(b, loc, entry, args[2], args[3]));
      Value moves = arith::OrIOp::create(b, loc, full, rises);
      auto next = scf::IfOp::create(
          b, loc, moves,
          [&](OpBuilder &b, Location loc) {
            auto [mask, position] =
                worstBetter(b, loc, getMask(), getPosition(), m, count, args[2],
                            args[3], full);
            scf::YieldOp::create(b, loc, ValueRange{mask, position});
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, ValueRange{args[2], args[3]});
          });
      std::pair<Value, Value> best =
          shown(b, loc, over, next.getResults(), everyMask, everyPosition);
      Value inBlock =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, j, first);
      auto store = scf::IfOp::create(
          b, loc, inBlock,
          [&](OpBuilder &b, Location loc) {
            Value t = arith::SubIOp::create(b, loc, j, first);
            Value threshold = tensor::InsertOp::create(
                b, loc, best.first, args[0], ValueRange{t, m});
            Value last = tensor::InsertOp::create(b, loc, best.second, args[1],
                                                  ValueRange{t, m});
            scf::YieldOp::create(b, loc, ValueRange{threshold, last});
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, ValueRange{args[0], args[1]});
          });
      scf::YieldOp::create(b, loc,
                           ValueRange{store.getResult(0), store.getResult(1),
                                      next.getResult(0), next.getResult(1)});
    };
    auto loop = scf::ForOp::create(
        b, loc, begin, end, one,
        ValueRange{outer[0], outer[1], everyMask, everyPosition}, perEntry);
    scf::YieldOp::create(b, loc, loop.getResults().take_front(2));
  };
  auto loop = scf::ForOp::create(
      b, loc, zero, heads, one, ValueRange{getThreshold(), getLast()}, perHead);
  SmallVector<Value> results(loop.getResults());
  if (!getMovesTo()) {
    return results;
  }
  results.push_back(indicesOfMoved(*this, b, results, zero, one, heads, keep));
  return results;
}

FailureOr<SmallVector<Value>> KeepUpdateOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value heads = tensor::DimOp::create(b, loc, getMask(), zero);
  Value keep = constantIndex(b, loc, getKeep());
  Value count = arith::AddIOp::create(b, loc, getFirst(), getRows());
  auto compared = [&](OpBuilder &b, Location loc, Value m, ValueRange outer) {
    Value mask =
        tensor::ExtractOp::create(b, loc, getThreshold(), ValueRange{m});
    Value last = tensor::ExtractOp::create(b, loc, getLast(), ValueRange{m});
    auto perEntry = [&](OpBuilder &b, Location loc, Value j,
                        ValueRange args) { // free index, the destinations
      Entry entry(b, loc, args[3], args[4], m, j);
      Value kept = better(b, loc, entry, mask, last, /*orEqual=*/true);
      auto branch = scf::IfOp::create(
          b, loc, kept,
          [&](OpBuilder &b, Location loc) {
            // As many entries below W are evicted as are kept from W on, so the
            // search ends.
            Value place = firstEvicted(b, loc, args[3], args[4], m, args[0], j,
                                       mask, last);
            SmallVector<Value> next{arith::AddIOp::create(b, loc, place, one)};
            llvm::append_range(next,
                               moved(b, loc, args.drop_front(), m, j, place));
            scf::YieldOp::create(b, loc, next);
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, args);
          });
      scf::YieldOp::create(b, loc, branch.getResults());
    };
    SmallVector<Value> inits{zero};
    llvm::append_range(inits, outer);
    // Nothing moves until there are more than W entries: the loop is empty.
    auto loop = scf::ForOp::create(b, loc, keep, count, one, inits, perEntry);
    scf::YieldOp::create(b, loc, loop.getResults().drop_front());
  };
  auto toPlace = [&](OpBuilder &b, Location loc, Value m, ValueRange outer) {
    Value place = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        tensor::ExtractOp::create(b, loc, getMovesTo(), ValueRange{m}));
    Value moves =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, keep);
    auto branch = scf::IfOp::create(
        b, loc, moves,
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc,
                               moved(b, loc, outer, m, getFirst(), place));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, outer);
        });
    scf::YieldOp::create(b, loc, branch.getResults());
  };
  auto body = [&](OpBuilder &b, Location loc, Value m, ValueRange outer) {
    getMovesTo() ? toPlace(b, loc, m, outer) : compared(b, loc, m, outer);
  };
  auto loop = scf::ForOp::create(b, loc, zero, heads, one, getDpsInits(), body);
  return SmallVector<Value>(loop.getResults());
}
