// One sequence and state head of attention.
#include "AttentionState.h"

using namespace mlir;

namespace cheems {

OpFoldResult AttentionState::headTimes(int64_t factor) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(), AffineMap::get(1, 0, e.b.getAffineDimExpr(0) * factor),
      {head});
}

/// Copies the block's rows of `from` [T, G, P] to entries from `first` on.
Value AttentionState::append(Value into, Value from, const Block &rows,
                             OpFoldResult first) {
  int64_t size = op.getHeadSize();
  OpFoldResult zero = e.attr(0), one = e.attr(1), width = e.attr(size);
  Value source = e.slice(from, {rows.row, keyValueHead, zero},
                         {rows.count, one, width}, {rows.staticCount, size});
  Value target = e.slice(into, {zero, first, zero}, {one, rows.count, width},
                         {rows.staticCount, size});
  Type element = op.getKeys().getType().getElementType();
  // A copy op and not an elementwise one: canonicalisation would see through
  // the latter, and bufferisation would then copy in its place.
  Value stored =
      element.isF32()
          ? linalg::CopyOp::create(e.b, source, target).getResult(0)
          : e.map(source, e.b.getMultiDimIdentityMap(2), target,
                  [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                    return arith::TruncFOp::create(b, loc, element, args[0]);
                  });
  return e.insert(stored, into, {zero, first, zero}, {one, rows.count, width});
}

/// The same as integers, whose scales go into their pool.
void AttentionState::appendCodes(size_t pool, Value from, const Block &rows,
                                 OpFoldResult first) {
  OpFoldResult zero = e.attr(0), one = e.attr(1),
               width = e.attr(op.getHeadSize());
  Value &codes = entries[pool], &scales = entries[scalePools() + pool];
  Value source =
      e.slice(from, {rows.row, keyValueHead, zero}, {rows.count, one, width},
              {rows.staticCount, op.getHeadSize()});
  Value rowCodes = e.slice(codes, {zero, first, zero}, {one, rows.count, width},
                           {rows.staticCount, op.getHeadSize()});
  Value rowScales =
      e.slice(scales, {zero, first}, {one, rows.count}, {rows.staticCount});
  auto stored = QuantizeEntriesOp::create(
      e.b, TypeRange{rowCodes.getType(), rowScales.getType()}, source, rowCodes,
      rowScales);
  codes = e.insert(stored.getResult(0), codes, {zero, first, zero},
                   {one, rows.count, width});
  scales =
      e.insert(stored.getResult(1), scales, {zero, first}, {one, rows.count});
}

std::pair<Value, Value> AttentionState::scales() {
  size_t at = scalePools();
  return op.getKeyScales() ? std::pair{entries[at], entries[at + 1]}
                           : std::pair<Value, Value>();
}

Value AttentionState::appendMask(const Block &rows, OpFoldResult first) {
  OpFoldResult zero = e.attr(0), heads = e.attr(masksPerHead);
  OpFoldResult firstHead = headTimes(masksPerHead);
  Value target = e.slice(entries[2], {zero, first}, {heads, rows.count},
                         {masksPerHead, rows.staticCount});
  Value stored;
  if (op.getMask()) {
    Value source =
        e.slice(op.getMask(), {rows.row, firstHead}, {rows.count, heads},
                {rows.staticCount, masksPerHead});
    AffineMap transposed = AffineMap::getPermutationMap(
        ArrayRef<unsigned>{1, 0}, e.b.getContext());
    stored =
        e.map(source, transposed, target,
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  } else {
    stored = e.map({}, {}, target, [&](OpBuilder &b, Location loc, ValueRange) {
      return visibility(b, loc, firstHead);
    });
  }
  return e.insert(stored, entries[2], {zero, first}, {heads, rows.count});
}

/// 1 for a head of A that sees every key, else 0: the heads are known, so no
/// table is stored.
Value AttentionState::visibility(OpBuilder &b, Location loc,
                                 OpFoldResult firstHead) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value result = constant(1);
  ArrayRef<bool> visible = *op.getVisible();
  bool mixed = masksPerHead > 1 && llvm::is_contained(visible, false);
  if (!mixed) { // a group with no visible head is never asked
    return result;
  }
  Value head = arith::AddIOp::create(
      b, loc, getValueOrCreateConstantIndexOp(b, loc, firstHead),
      linalg::IndexOp::create(b, loc, 0));
  for (auto [i, seen] : llvm::enumerate(visible)) {
    if (!seen) {
      Value here =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, head,
                                arith::ConstantIndexOp::create(b, loc, i));
      result = arith::SelectOp::create(b, loc, here, constant(0), result);
    }
  }
  return result;
}

Value AttentionState::appendPosition(const Block &rows, OpFoldResult first) {
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  Value target = e.slice(entries[3], {zero, first}, {one, rows.count},
                         {1, rows.staticCount});
  Value stored = e.map(
      {}, {}, target, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        Value at = arith::AddIOp::create(b, loc, rows.position,
                                         linalg::IndexOp::create(b, loc, 1));
        return arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
      });
  return e.insert(stored, entries[3], {zero, first}, {one, rows.count});
}

Value AttentionState::scratch(const Block &rows, Type type, bool column) {
  // The size is static, so that the tensor is scratch of the worker.
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  if (!column) {
    return e.slice(e.empty({e.attr(rows.most)}, type), {zero}, {rows.count},
                   {rows.staticCount});
  }
  return e.slice(e.empty({e.attr(rows.most), one}, type), {zero, zero},
                 {rows.count, one}, {rows.staticCount, 1});
}

Value AttentionState::attend(Value q, Value first, const Sight &sight,
                             Value y) {
  Value position = sight.threshold ? entries[3] : Value();
  auto [keyScales, valueScales] = scales();
  return cpu::DynamicMaskAttentionOp::create(
             e.b, TypeRange{y.getType()}, q, entries[0], entries[1], masks(),
             first, sight.seen, position, sight.threshold, sight.last,
             keyScales, valueScales, y, op.getKindAttr(), op.getScaleAttr(),
             op.getHideBelowAttr(), op.getAllowBf16Attr(), op.getWindowAttr())
      .getResult(0);
}

SmallVector<Value> AttentionState::attendToBlock(Value start, Value from,
                                                 Value count,
                                                 Value entriesAfter,
                                                 const Sight &sight,
                                                 ValueRange state) {
  constexpr int64_t any = ShapedType::kDynamic;
  OpFoldResult zero = e.attr(0), one = e.attr(1),
               width = e.attr(op.getHeadSize());
  // Blocks are in one piece.
  Value place = op.getWindow() ? placeInRing(from) : from;
  auto numbers = [&](Value of, int64_t heads) {
    return e.slice(of, {zero, place}, {e.attr(heads), count}, {heads, any});
  };
  auto vectors = [&](Value of) {
    return e.slice(of, {zero, place, zero}, {one, count, width},
                   {1, any, op.getHeadSize()});
  };
  Value position = sight.threshold ? numbers(entries[3], 1) : Value();
  auto [keyScales, valueScales] = scales();
  if (keyScales) {
    keyScales = numbers(keyScales, 1);
    valueScales = numbers(valueScales, 1);
  }
  Value first = arith::SubIOp::create(e.b, entriesAfter, e.index(1));
  auto block = cpu::OnlineAttentionOp::create(
      e.b, state.getTypes(), queries({start, one, 1, Value(), 1}),
      vectors(entries[0]), vectors(entries[1]),
      masks() ? numbers(masks(), masksPerHead) : Value(), first, from,
      sight.seen, position, sight.threshold, sight.last, keyScales, valueScales,
      state[0], state[1], state[2], op.getKindAttr(), op.getScaleAttr(),
      op.getHideBelowAttr(), op.getAllowBf16Attr(), op.getWindowAttr());
  return block.getResults();
}

Value AttentionState::kept(Value position) {
  return arith::MinUIOp::create(e.b, position, e.index(*op.getKeep()));
}

/// After what is kept; and what each row sees of all that.
void AttentionState::appendKept(const Block &rows, Sight &sight) {
  Value first = kept(rows.position);
  append(rows, first);
  SmallVector<Type> results{sight.threshold.getType(), sight.last.getType()};
  if (sight.place) {
    results.push_back(sight.place.getType());
  }
  auto found = cpu::KeepThresholdOp::create(
      e.b, results, entries[2], entries[3], first, sight.threshold, sight.last,
      sight.place, op.getKeepAttr());
  sight.threshold = found.getResult(0);
  sight.last = found.getResult(1);
  if (sight.place) {
    sight.place = found.getResult(2);
  }
}

void AttentionState::evict(Value threshold, Value last, Value place,
                           Value first, Value count) {
  auto [keyScales, valueScales] = scales();
  auto update = cpu::KeepUpdateOp::create(
      e.b, ValueRange(entries).getTypes(), threshold, last, first, count, place,
      entries[0], entries[1], entries[2], entries[3], keyScales, valueScales,
      op.getKeepAttr());
  entries.assign(update.result_begin(), update.result_end());
}

Value AttentionState::windowBlock(const Block &rows, Value q, Value y) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  Sight sight{scratch(rows, b.getF32Type(), /*column=*/true),
              scratch(rows, b.getI32Type(), /*column=*/true), Value(), Value()};
  appendKept(rows, sight);
  Value first = kept(rows.position);
  y = attend(q, first, sight, y);
  OpFoldResult final = lastOf(rows);
  evict(e.slice(sight.threshold, {final, zero}, {one, one}, {1}),
        e.slice(sight.last, {final, zero}, {one, one}, {1}), Value(), first,
        getValueOrCreateConstantIndexOp(b, b.getLoc(), rows.count));
  return y;
}

OpFoldResult AttentionState::lastOf(const Block &rows) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.b.getLoc(), AffineMap::get(1, 0, e.b.getAffineDimExpr(0) - 1),
      {rows.count});
}

/// Those of the rows that some head sees; sets `count`.
void AttentionState::appendVisible(const Block &rows, Sight &sight) {
  ImplicitLocOpBuilder &b = e.b;
  OpFoldResult zero = e.attr(0), one = e.attr(1);
  int64_t size = op.getHeadSize();
  auto ofHead = [&](Value from) {
    return e.slice(from, {rows.row, keyValueHead, zero},
                   {rows.count, one, e.attr(size)}, {rows.staticCount, size});
  };
  Value keys = ofHead(op.getKey()), values = ofHead(op.getValue());
  Value masks = e.slice(op.getMask(), {rows.row, headTimes(masksPerHead)},
                        {rows.count, e.attr(masksPerHead)},
                        {rows.staticCount, masksPerHead});
  auto [keyScales, valueScales] = scales();
  SmallVector<Value> destinations(entries);
  destinations.insert(destinations.begin() + 3, sight.seen);
  auto stored = cpu::AppendVisibleOp::create(
      b, ValueRange(destinations).getTypes(), keys, values, masks, count,
      entries[0], entries[1], entries[2], sight.seen, keyScales, valueScales,
      op.getHideBelowAttr());
  entries.assign(stored.result_begin(), stored.result_end());
  entries.erase(entries.begin() + 3);
  sight.seen = stored.getResult(3);
  Value last = getValueOrCreateConstantIndexOp(b, b.getLoc(), lastOf(rows));
  count = arith::IndexCastOp::create(
      b, b.getIndexType(), tensor::ExtractOp::create(b, sight.seen, last));
}

Value AttentionState::countedBlock(const Block &rows, Value q, Value y) {
  Value before = count;
  Sight sight{Value(), Value(),
              scratch(rows, e.b.getI32Type(), /*column=*/false), Value()};
  appendVisible(rows, sight);
  return attend(q, before, sight, y);
}

Value AttentionState::takeCount(Value position) {
  ImplicitLocOpBuilder &b = e.b;
  Value counts = entries.pop_back_val();
  Value fresh =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, e.index(0));
  Value before = arith::IndexCastOp::create(
      b, b.getIndexType(), tensor::ExtractOp::create(b, counts, e.index(0)));
  count = arith::SelectOp::create(b, fresh, e.index(0), before);
  return counts;
}

Value AttentionState::putCount(Value counts) {
  Value after = arith::IndexCastOp::create(e.b, e.b.getI32Type(), count);
  return tensor::InsertOp::create(e.b, after, counts, e.index(0));
}

Value AttentionState::queries(const Block &rows) {
  int64_t size = op.getHeadSize();
  return e.slice(op.getQuery(),
                 {rows.row, headTimes(queriesPerHead), e.attr(0)},
                 {rows.count, e.attr(queriesPerHead), e.attr(size)},
                 {rows.staticCount, queriesPerHead, size});
}

void AttentionState::append(const Block &rows, OpFoldResult first) {
  if (op.getKeyScales()) {
    appendCodes(0, op.getKey(), rows, first);
    appendCodes(1, op.getValue(), rows, first);
  } else {
    entries[0] = append(entries[0], op.getKey(), rows, first);
    entries[1] = append(entries[1], op.getValue(), rows, first);
  }
  if (masks()) {
    entries[2] = appendMask(rows, first);
  }
  if (op.getKeep()) {
    entries[3] = appendPosition(rows, first);
  }
}

Value AttentionState::block(const Block &rows, Value y) {
  return op.getKeep() ? windowBlock(rows, queries(rows), y)
                      : countedBlock(rows, queries(rows), y);
}

void AttentionState::storeOne(Value start, Value position, Sight &sight) {
  Block row{start, e.attr(1), 1, position, 1};
  if (op.getKeep()) {
    appendKept(row, sight);
  } else if (counted()) {
    appendVisible(row, sight);
  } else {
    append(row, op.getWindow() ? placeInRing(position) : position);
  }
}

Value AttentionState::placeInRing(Value row) {
  Value ring = tensor::DimOp::create(e.b, entries[0], 1);
  return arith::RemUIOp::create(e.b, row, ring);
}

Value AttentionState::entriesAfter(Value position, Value seen) {
  return op.getCounts()
             ? seen
             : e.add(op.getKeep() ? kept(position) : position, e.index(1));
}

void AttentionState::appendAll(Value start, Value length, Value position) {
  constexpr int64_t any = ShapedType::kDynamic;
  if (!op.getWindow()) {
    append({start, length, any, position, 0}, position);
    return;
  }
  // Up to the end of the ring, and then from its beginning on.
  ImplicitLocOpBuilder &b = e.b;
  Value place = placeInRing(position),
        room = arith::SubIOp::create(b, tensor::DimOp::create(b, entries[0], 1),
                                     place),
        before = arith::MinUIOp::create(b, length, room),
        after = arith::SubIOp::create(b, length, before);
  append({start, before, any, position, 0}, place);
  append({e.add(start, before), after, any, position, 0}, e.attr(0));
}

Value AttentionState::attendTo(OpFoldResult row, OpFoldResult count,
                               Value position, Value y) {
  return attend(queries({row, count, ShapedType::kDynamic, position, 0}),
                position, Sight(), y);
}

Value AttentionState::inBlocks(Value start, Value length, Value position,
                               Value y) {
  constexpr int64_t any = ShapedType::kDynamic;
  ImplicitLocOpBuilder &b = e.b;
  int64_t most = op.getBlock();
  SmallVector<Value> carried{y};
  llvm::append_range(carried, entries);
  if (counted()) {
    carried.push_back(count);
  }
  auto loop = scf::ForOp::create(b, e.index(0), length, e.index(most), carried);
  auto resume = [&](ValueRange values) {
    ValueRange state = values.drop_front();
    if (counted()) {
      count = state.back();
      state = state.drop_back();
    }
    entries.assign(state.begin(), state.end());
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar();
  resume(loop.getRegionIterArgs());
  Value rest = arith::SubIOp::create(b, length, offset);
  Value rows = arith::MinUIOp::create(b, e.index(most), rest);
  int64_t size = op.getHeadSize();
  SmallVector<OpFoldResult> offsets{offset, e.attr(0), e.attr(0)};
  SmallVector<OpFoldResult> sizes{rows, e.attr(queriesPerHead), e.attr(size)};
  Value out = e.slice(loop.getRegionIterArg(0), offsets, sizes,
                      {any, queriesPerHead, size});
  Value row = e.add(start, offset), at = e.add(position, offset);
  out = block({row, rows, any, at, most}, out);
  SmallVector<Value> yields{
      e.insert(out, loop.getRegionIterArg(0), offsets, sizes)};
  llvm::append_range(yields, entries);
  if (counted()) {
    yields.push_back(count);
  }
  scf::YieldOp::create(b, yields);
  resume(loop.getResults());
  return loop.getResult(0);
}
} // namespace cheems
