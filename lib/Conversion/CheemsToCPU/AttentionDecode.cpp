// Attention's loops for segments of one row. One thread stores the rows. Then
// threads share the segments, heads and splits of entries. One thread merges
// the softmax of the splits in order. The numbers of the entries alone decide
// which splits there are, and the general entry merges the same ones
// (cheems-tile-keys).
#include "AttentionLoops.h"
#include "cheems/Conversion/CheemsToCPU/AttentionSplits.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "cheems/abi.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace cheems {

static_assert(CHEEMS_RING_UNIT % cpu::kAttentionKeys == 0,
              "a block of entries is in one piece of a ring");

/// Positions are 31 bits, so without a window that is some hundreds.
int64_t AttentionLoops::mostSplits() {
  constexpr int64_t positions = int64_t(1) << 31;
  auto keep = static_cast<int64_t>(op.getKeep().value_or(positions));
  int64_t entries = keep < positions ? keep + 1 : positions;
  return splitsOf(llvm::divideCeil(entries, cpu::kAttentionKeys));
}

Value AttentionLoops::blocksOf(Value entries) {
  return arith::CeilDivUIOp::create(e.b, entries, e.index(cpu::kAttentionKeys));
}

/// The block in which the window of a row begins that sees up to so many
/// entries; null without a window.
Value AttentionLoops::firstBlockOf(Value entries) {
  if (!op.getWindow()) {
    return {};
  }
  ImplicitLocOpBuilder &b = e.b;
  Value window = e.index(static_cast<int64_t>(*op.getWindow())),
        passed = arith::SubIOp::create(
            b, arith::MaxUIOp::create(b, entries, window), window);
  return arith::DivUIOp::create(b, passed, e.index(cpu::kAttentionKeys));
}

/// For every segment and head that sees anything, in order.
SmallVector<Value> AttentionLoops::eachHead(ValueRange carried, HeadBody body) {
  ImplicitLocOpBuilder &b = e.b;
  auto segments = scf::ForOp::create(
      b, e.index(0), e.rows(op.getSegments()), e.index(1), carried,
      [&](OpBuilder &, Location, Value s, ValueRange outer) {
        auto heads = scf::ForOp::create(
            b, e.index(0), e.index(static_cast<int64_t>(visible.size())),
            e.index(1), outer,
            [&](OpBuilder &, Location, Value i, ValueRange inner) {
              scf::YieldOp::create(b, body(s, i, inner));
            });
        scf::YieldOp::create(b, heads.getResults());
      });
  return segments.getResults();
}

SmallVector<Value> AttentionLoops::inserted(ValueRange pools,
                                            const Sequence &of,
                                            ValueRange state) {
  SmallVector<Value> result;
  for (auto [i, pool] : llvm::enumerate(pools)) {
    result.push_back(e.insert(state[i], pool, of.offsets[i], of.sizes[i]));
  }
  return result;
}

Value AttentionLoops::filled(const Extents &extents, double value) {
  Value number = arith::ConstantOp::create(e.b, e.b.getF32FloatAttr(value));
  return linalg::FillOp::create(e.b, number, e.empty(extents, e.b.getF32Type()))
      .getResult(0);
}

/// Each sequence's row, and what it sees; `most` as a by-product.
AttentionLoops::Stored AttentionLoops::storeRows() {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult rows = tensor::getMixedSize(b, b.getLoc(), op.getQuery(), 0),
               one = e.attr(1);
  Extents shape{rows, e.attr(heads)};
  SmallVector<Value> carried(statePools);
  size_t pools = carried.size();
  if (op.getKeep()) {
    carried.push_back(e.empty(shape, b.getF32Type()));
    carried.push_back(e.empty(shape, b.getI32Type()));
    carried.push_back(e.empty(shape, b.getI32Type()));
  } else if (op.getCounts()) {
    carried.push_back(e.empty(shape, b.getI32Type()));
  }
  carried.push_back(e.index(0));
  SmallVector<Value> after =
      eachHead(carried, [&](Value s, Value i, ValueRange before) {
        Sequence of =
            sequenceOf(s, i, before.take_front(pools), /*decode=*/true);
        AttentionState sequence = stateOf(of);
        Value counts, number;
        Extents place{of.start, of.head}, sizes{one, one};
        AttentionState::Sight sight;
        SmallVector<Value> next;
        if (op.getKeep()) {
          sight.threshold = e.slice(before[pools], place, sizes, {1, 1});
          sight.last = e.slice(before[pools + 1], place, sizes, {1, 1});
          sight.place = e.slice(before[pools + 2], place, sizes, {1, 1});
        } else if (op.getCounts()) {
          counts = sequence.takeCount(of.position);
          sight.seen = e.slice(before[pools], place, sizes, {1});
        }
        sequence.storeOne(of.start, of.position, sight);
        SmallVector<Value> state = sequence.entries;
        if (op.getCounts()) {
          state.push_back(sequence.putCount(counts));
          number = sequence.count;
        }
        next = inserted(before.take_front(pools), of, state);
        for (auto [j, result] :
             llvm::enumerate(op.getKeep() ? SmallVector{sight.threshold,
                                                        sight.last, sight.place}
                             : op.getCounts() ? SmallVector{sight.seen}
                                              : SmallVector<Value>())) {
          next.push_back(e.insert(result, before[pools + j], place, sizes));
        }
        next.push_back(arith::MaxUIOp::create(
            b, before.back(), sequence.entriesAfter(of.position, number)));
        return next;
      });
  statePools.assign(after.begin(), after.begin() + pools);
  Stored stored{Value(), Value(), Value(), Value(), after.back()};
  if (op.getKeep()) {
    stored.thresholds = after[pools];
    stored.lasts = after[pools + 1];
    stored.indices = after[pools + 2];
  } else if (op.getCounts()) {
    stored.seen = after[pools];
  }
  return stored;
}

Value AttentionLoops::entriesOf(const Sequence &of, const Stored &stored) {
  Value seen;
  if (stored.seen) {
    seen = arith::IndexCastOp::create(
        e.b, e.b.getIndexType(),
        tensor::ExtractOp::create(e.b, stored.seen,
                                  ValueRange{of.start, of.head}));
  }
  return stateOf(of).entriesAfter(of.position, seen);
}

/// Entries [from, to) in blocks, from the softmax of nothing in `state`.
SmallVector<Value> AttentionLoops::softmaxOf(AttentionState &sequence,
                                             const Sequence &of, Value from,
                                             Value to, Value entries,
                                             const AttentionState::Sight &sight,
                                             ValueRange state) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> fresh;
  for (auto [i, slice] : llvm::enumerate(state)) {
    Value start = arith::ConstantOp::create(
        b, b.getF32FloatAttr(i == 0 ? -std::numeric_limits<float>::infinity()
                                    : 0));
    fresh.push_back(linalg::FillOp::create(b, start, slice).getResult(0));
  }
  auto loop = scf::ForOp::create(
      b, from, to, e.index(cpu::kAttentionKeys), fresh,
      [&](OpBuilder &, Location, Value at, ValueRange running) {
        Value count = arith::MinUIOp::create(b, e.index(cpu::kAttentionKeys),
                                             arith::SubIOp::create(b, to, at));
        scf::YieldOp::create(b,
                             sequence.attendToBlock(of.start, at, count,
                                                    entries, sight, running));
      });
  return loop.getResults();
}

/// What a head sees of its entries. What counts them is no entry to attend to.
AttentionState::Sight AttentionLoops::sightOf(const Stored &stored,
                                              const Sequence &of,
                                              AttentionState &sequence) {
  OpFoldResult one = e.attr(1);
  AttentionState::Sight sight;
  Extents place{of.start, of.head}, sizes{one, one};
  if (op.getKeep()) {
    sight.threshold = e.slice(stored.thresholds, place, sizes, {1, 1});
    sight.last = e.slice(stored.lasts, place, sizes, {1, 1});
  } else if (op.getCounts()) {
    sequence.entries.pop_back();
    sight.seen = e.slice(stored.seen, place, sizes, {1});
  }
  return sight;
}

/// Every segment's and head's splits, in one region.
AttentionLoops::Softmax AttentionLoops::attendToSplits(const Stored &stored,
                                                       Softmax partial) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  AttentionSplits splits(b, b.getLoc());
  Value shares = arith::MinUIOp::create(b, blocksOf(stored.most),
                                        e.index(cpu::kKeyShares));
  SmallVector<OpFoldResult> bounds{e.rows(op.getSegments()),
                                   e.attr(visible.size()), shares};
  auto loop = scf::ForallOp::create(
      b, bounds, ValueRange{partial.maximum, partial.sum, partial.y},
      std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(1), part = loop.getInductionVar(2);
  Sequence of = sequenceOf(loop.getInductionVar(0), number, statePools,
                           /*decode=*/true);
  AttentionState sequence = stateOf(of);
  AttentionState::Sight sight = sightOf(stored, of, sequence);
  Value entries = entriesOf(of, stored);
  Value blocks = blocksOf(entries);
  Value passed = firstBlockOf(entries);
  Value first = splits.share(part, shares, blocks, passed),
        end = splits.share(e.add(part, e.index(1)), shares, blocks, passed),
        count = arith::SubIOp::create(b, end, first);

  ValueRange own = loop.getRegionOutArgs();
  SmallVector<Extents> offsets, extents;
  SmallVector<Value> shared;
  constexpr int64_t any = ShapedType::kDynamic;
  for (auto [i, partial] : llvm::enumerate(own)) {
    offsets.push_back({of.start, first, number, zero});
    extents.push_back({one, count, one, e.attr(queries)});
    SmallVector<int64_t> shape{any, queries};
    if (i == 2) {
      offsets.back().push_back(zero);
      extents.back().push_back(e.attr(size));
      shape.push_back(size);
    }
    shared.push_back(e.slice(partial, offsets.back(), extents.back(), shape));
  }
  auto each = scf::ForOp::create(
      b, e.index(0), count, e.index(1), shared,
      [&](OpBuilder &, Location, Value i, ValueRange before) {
        Value split = e.add(first, i);
        auto firstEntry = [&](Value split) -> Value {
          Value block = splits.firstBlock(split);
          if (passed) { // of a split that the window begins in the rest
            block = arith::MaxUIOp::create(b, block, passed);
          }
          return arith::MinUIOp::create(
              b, entries,
              arith::MulIOp::create(b, block, e.index(cpu::kAttentionKeys)));
        };
        SmallVector<Value> state, after;
        SmallVector<Extents> indices, sizes;
        for (Value of : before) {
          ArrayRef<int64_t> shape =
              cast<RankedTensorType>(of.getType()).getShape();
          indices.emplace_back(shape.size(), zero);
          indices.back()[0] = i;
          sizes.push_back({one, e.attr(queries), e.attr(size)});
          sizes.back().resize(shape.size());
          SmallVector<int64_t> one(shape);
          one[0] = 1;
          state.push_back(e.slice(of, indices.back(), sizes.back(), one));
        }
        state = softmaxOf(sequence, of, firstEntry(split),
                          firstEntry(e.add(split, e.index(1))), entries, sight,
                          state);
        for (size_t j = 0; j < state.size(); ++j) {
          after.push_back(e.insert(state[j], before[j], indices[j], sizes[j]));
        }
        scf::YieldOp::create(b, after);
      });
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [i, partial] : llvm::enumerate(own)) {
    e.insertParallel(each.getResult(i), partial, offsets[i], extents[i]);
  }
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// Each row's own splits, in order.
AttentionLoops::Softmax AttentionLoops::mergeSplits(const Stored &stored,
                                                    const Softmax &partial,
                                                    Softmax all) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  SmallVector<Value> merged = eachHead(
      {all.maximum, all.sum, all.y}, [&](Value s, Value i, ValueRange before) {
        Sequence of = sequenceOf(s, i, statePools, /*decode=*/true);
        AttentionSplits numbers(b, b.getLoc());
        Value entries = entriesOf(of, stored),
              splits = numbers.splitsOf(blocksOf(entries)), first = e.index(0);
        if (Value passed = firstBlockOf(entries)) {
          first = numbers.splitOf(passed);
        }
        auto [offsets, sizes] = placeOf(of, of.start, one);
        Extents place(ArrayRef(offsets).take_front(2)),
            extents(ArrayRef(sizes).take_front(2));
        SmallVector<Value> state{
            e.slice(before[0], place, extents, {1, queries}),
            e.slice(before[1], place, extents, {1, queries}),
            e.slice(before[2], offsets, sizes, {1, queries, size})};
        auto loop = scf::ForOp::create(
            b, first, splits, e.index(1), state,
            [&](OpBuilder &, Location, Value split, ValueRange state) {
              auto later = [&](Value of, Value start, bool values) {
                Extents at{start, split, i, zero},
                    sizes{one, one, one, e.attr(queries)};
                SmallVector<int64_t> shape{1, queries};
                if (values) {
                  at.push_back(zero);
                  sizes.push_back(e.attr(size));
                  shape.push_back(size);
                }
                return e.slice(of, at, sizes, shape);
              };
              auto merge = cpu::MergeAttentionOp::create(
                  b, state.getTypes(), later(partial.maximum, of.start, false),
                  later(partial.sum, of.start, false),
                  later(partial.y, of.start, true), state[0], state[1],
                  state[2]);
              scf::YieldOp::create(b, merge.getResults());
            });
        return SmallVector<Value>{
            e.insert(loop.getResult(0), before[0], place, extents),
            e.insert(loop.getResult(1), before[1], place, extents),
            e.insert(loop.getResult(2), before[2], offsets, sizes)};
      });
  return {merged[0], merged[1], merged[2]};
}

/// With a window: each row takes the index of the entry that it pushes out.
void AttentionLoops::update(const Stored &stored) {
  OpFoldResult one = e.attr(1);
  SmallVector<Value> after =
      eachHead(statePools, [&](Value s, Value i, ValueRange pools) {
        Sequence of = sequenceOf(s, i, pools, /*decode=*/true);
        AttentionState sequence = stateOf(of);
        Extents place{of.start, of.head}, sizes{one, one};
        sequence.evict(e.slice(stored.thresholds, place, sizes, {1}),
                       e.slice(stored.lasts, place, sizes, {1}),
                       e.slice(stored.indices, place, sizes, {1}),
                       sequence.kept(of.position), e.index(1));
        return inserted(pools, of, sequence.entries);
      });
  statePools.assign(after.begin(), after.end());
}

Value AttentionLoops::decode() {
  ImplicitLocOpBuilder &b = e.b;
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  Stored stored = storeRows();
  Extents shape = tensor::getMixedSizes(b, b.getLoc(), op.getQuery()),
          numbers(ArrayRef(shape).take_front(2));
  int64_t most = mostSplits(), number = static_cast<int64_t>(visible.size()),
          line = static_cast<int64_t>(llvm::alignTo(queries, cpu::kLineF32));
  Extents ofPieces{shape[0], e.attr(most), e.attr(number), e.attr(line)},
      values{shape[0], e.attr(most), e.attr(number), e.attr(queries),
             e.attr(size)};
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Softmax all{filled(numbers, lowest), filled(numbers, 0),
              linalg::FillOp::create(b, zero, op.getY()).getResult(0)};
  Softmax partial{e.empty(ofPieces, b.getF32Type()),
                  e.empty(ofPieces, b.getF32Type()),
                  e.empty(values, b.getF32Type())};
  all = mergeSplits(stored, attendToSplits(stored, partial), all);
  if (op.getKeep()) {
    update(stored);
  }
  // The division is that of cheems-tile-keys.
  AffineMap of = b.getMultiDimIdentityMap(3);
  return e.map(
      all.sum, of.dropResult(2), all.y,
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zeroF32 = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
        Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
        Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                          args[0], zeroF32);
        Value divisor = arith::SelectOp::create(b, loc, any, one, args[0]);
        return arith::DivFOp::create(b, loc, args[1], divisor);
      });
}
} // namespace cheems
