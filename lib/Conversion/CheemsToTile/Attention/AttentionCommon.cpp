// What all kernels of attention have in common.
#include "AttentionKernels.h"
#include "SSD/SSDKernels.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

AttentionShape::AttentionShape(SegmentedAttentionOp op)
    : queryHeads(op.getQueryHeads()), keyHeads(op.getKeyHeads()),
      stateHeads(op.getStateHeads()), maskHeads(op.getMaskHeads()),
      size(op.getHeadSize()), scale(op.getScale().convertToDouble()),
      kind(op.getKind()),
      hideBelow(op.getHideBelow() ? op.getHideBelow()->convertToDouble() : 0),
      keep(int64_t(op.getKeep().value_or(0))),
      window(int64_t(op.getWindow().value_or(0))),
      block(int64_t(op.getBlock())), counts(bool(op.getCounts())),
      visible(op.getVisible().value_or(ArrayRef<bool>())),
      stored(op.getKeys().getType().getElementType()), oneRow(op.getOneRow()) {}

ArrayRef<Value Candidates::*> Candidates::members() {
  static constexpr Value Candidates::*all[] = {
      &Candidates::numbers,       &Candidates::untils,
      &Candidates::masks,         &Candidates::keyScales,
      &Candidates::valueScales,   &Candidates::rowKeys,
      &Candidates::rowValues,     &Candidates::rowKeyScales,
      &Candidates::rowValueScales};
  return all;
}

ArrayRef<Value KeptChoice::*> KeptChoice::members() {
  static constexpr Value KeptChoice::*all[] = {
      &KeptChoice::entryGoodness, &KeptChoice::entryNumbers,
      &KeptChoice::rowGoodness, &KeptChoice::replaced, &KeptChoice::indices};
  return all;
}

int64_t AttentionShape::headsThatShare(bool ofKept) const {
  // Heads of A may see rows or not, drop others, and hide others.
  if (queriesPerMask() > 1 || ofKept || !visible.empty()) {
    return queriesPerMask();
  }
  // While nothing is dropped entry e is row e, for all heads that store it.
  return counts ? queriesPerState() : queryHeads / keyHeads;
}

SmallVector<int64_t> AttentionShape::liveStateHeads() const {
  SmallVector<int64_t> live;
  for (int64_t head = 0; head < stateHeads; ++head) {
    auto masks = ArrayRef<bool>(visible);
    if (!masks.empty()) {
      masks =
          masks.slice(size_t(head * masksPerState()), size_t(masksPerState()));
    }
    if (masks.empty() || llvm::is_contained(masks, true)) {
      live.push_back(head);
    }
  }
  return live;
}

bool AttentionShape::readsMasks() const {
  // Between heads of A that share entries only masks tell.
  return computesMasks() ||
         (masksPerState() > 1 && llvm::is_contained(visible, false));
}

/// Whether an index is one of a list; null if the list is all below `count`.
static Value isOneOf(TileBuilder &t, Value number, ArrayRef<int64_t> list,
                     int64_t count) {
  Value found;
  if (int64_t(list.size()) < count) {
    for (int64_t one : list) {
      Value here = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, number,
                                         t.index(one));
      found = found ? arith::OrIOp::create(t.b, found, here).getResult() : here;
    }
  }
  return found;
}

Value cheems::tile::isSeen(TileBuilder &t, const AttentionShape &shape,
                           Value stateHead) {
  return isOneOf(t, stateHead, shape.liveStateHeads(), shape.stateHeads);
}

Value cheems::tile::seesRows(TileBuilder &t, const AttentionShape &shape,
                             Value maskHead) {
  SmallVector<int64_t> heads;
  for (int64_t head = 0; head < shape.maskHeads; ++head) {
    if (shape.visible.empty() || shape.visible[size_t(head)]) {
      heads.push_back(head);
    }
  }
  return isOneOf(t, maskHead, heads, shape.maskHeads);
}

Value cheems::tile::divisorOf(TileBuilder &t, const AttentionShape &shape,
                              Value sums) {
  if (!shape.maySeeNothing()) {
    return sums;
  }
  auto type = cast<RankedTensorType>(sums.getType());
  Value isNone = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OEQ, sums,
                                       t.fill(type, 0));
  return t.select(isNone, t.fill(type, 1), sums);
}

RunningSoftmax RunningSoftmax::none(TileBuilder &t, RankedTensorType scores) {
  RankedTensorType perRow = t.sliceType(scores, 1);
  return {t.fill(perRow, kNoScore), t.fill(perRow, 0)};
}

RunningSoftmax::Step RunningSoftmax::take(TileBuilder &t, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value highest = t.roundEven(t.reduce(Combine::Maximum, scores, 1));
  Value next = t.maximum(best, highest);
  Value shrink = t.exp2(t.sub(best, next));
  Value weights = t.exp2(t.sub(scores, t.broadcast(next, type)));
  sum = t.fma(sum, shrink, t.reduce(Combine::Add, weights, 1));
  best = next;
  return {weights, shrink};
}

Value cheems::tile::maskNumbers(TileBuilder &t, const AttentionShape &shape,
                                Value masks) {
  auto type = cast<RankedTensorType>(masks.getType());
  return shape.kind == MaskKind::Bias
             ? t.mul(masks, t.fill(type, llvm::numbers::log2e))
             : masks;
}

static Value minusInfinity(TileBuilder &t, RankedTensorType type) {
  return t.fill(type, -std::numeric_limits<double>::infinity());
}

MaskedScores::MaskedScores(TileBuilder &t, const AttentionShape &shape,
                           Value products, Value masks)
    : window(shape.window) {
  auto type = cast<RankedTensorType>(products.getType());
  Value scale = t.fill(type, shape.scale * llvm::numbers::log2e);
  if (shape.kind == MaskKind::Bias) {
    scores = t.fma(products, scale, masks);
    return;
  }
  scores = t.mul(products, scale);
  if (shape.kind == MaskKind::Scale) {
    factor = masks;
  } else if (masks) {
    Value isSeen = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OGE, masks,
                                         t.fill(type, shape.hideBelow));
    scores = t.select(isSeen, scores, minusInfinity(t, type));
  }
}

void MaskedScores::hideUnseen(TileBuilder &t, Value firstColumn,
                              const QueryRows &rows) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value column = t.indicesFrom(firstColumn, t.sliceType(type, 0), 0);
  Value last = rows.lastSeen(t, t.sliceType(type, 1));
  Value isLater = t.isLess(t.broadcast(last, type), t.broadcast(column, type));
  scores = t.select(isLater, minusInfinity(t, type), scores);
  if (window) {
    auto numbers = cast<RankedTensorType>(last.getType());
    Value first = t.sub(last, t.fillInteger(numbers, window - 1));
    Value isOlder =
        t.isLess(t.broadcast(column, type), t.broadcast(first, type));
    scores = t.select(isOlder, minusInfinity(t, type), scores);
  }
  if (factor) {
    // A mask may be infinite, and 0 times that is NaN.
    factor = t.select(isLater, t.fill(type, 0), factor);
  }
}

void MaskedScores::hideGone(TileBuilder &t, Value untils,
                            const QueryRows &rows) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value row = rows.numbersFrom(t, rows.firstOfBlock, t.sliceType(type, 1));
  Value isSeen = t.isLess(t.broadcast(row, type), t.broadcast(untils, type));
  scores = t.select(isSeen, scores, minusInfinity(t, type));
}

WindowBlock WindowBlock::of(TileBuilder &t, const AttentionShape &shape,
                            const SegmentRow &segment, Value segmentNumber,
                            Value blockNumber, Value rowsOfStep) {
  WindowBlock block;
  block.first = t.mul(blockNumber, shape.block);
  block.count =
      t.minimum(t.sub(segment.length, block.first), t.index(shape.block));
  block.base = t.add(segment.position, block.first);
  block.kept = t.minimum(block.base, t.index(shape.keep));
  block.leaving = t.minimum(block.kept, t.index(shape.block));
  block.staying = t.sub(block.kept, block.leaving);
  block.list = SSDChunk::of(t, shape.block, segment, segmentNumber, blockNumber,
                            rowsOfStep)
                   .number;
  return block;
}

Value MaskedScores::weighed(TileBuilder &t, Value weights) const {
  return factor ? t.mul(weights, factor) : weights;
}

QueryRows QueryRows::ofHead(TileBuilder &t, const AttentionShape &shape,
                            const AttentionMemory &memory, int64_t rows,
                            int64_t heads) {
  Value first = t.mul(t.block(GridDimension::X), rows);
  Value head = t.mul(t.block(GridDimension::Y), heads);
  SegmentRow segment = loadSegment(t, memory.segments,
                                   t.block(GridDimension::Z), /*oneRow=*/false);
  Value past = t.minimum(segment.length, t.add(first, rows));
  QueryRows found;
  if (heads > 1) {
    found.rowsOfPart = rows;
  }
  found.segment = segment;
  found.place = {t.add(segment.start, first), head,
                 t.add(segment.start, segment.length)};
  found.exist = t.isLess(first, segment.length);
  found.stateHead = t.divide(head, shape.queriesPerState());
  found.lastOfFirst = t.add(segment.position, first);
  found.count = t.add(segment.position, past);
  found.seen = memory.seen;
  found.seesWindow = shape.window != 0;
  if (Value sees = seesRows(t, shape, t.divide(head, shape.queriesPerMask()))) {
    found.count = t.select(sees, found.count, t.index(0));
  }
  if (memory.hasLists()) {
    WindowBlock block = WindowBlock::of(
        t, shape, segment, t.block(GridDimension::Z),
        t.divide(first, shape.block), t.extent(memory.candidates.rowKeys, 3));
    found.list = block.list;
    found.firstOfBlock = t.sub(first, block.first);
    found.lastOfFirst = t.add(block.kept, found.firstOfBlock);
    found.staying = block.staying;
    found.count = t.add(block.kept, t.sub(past, block.first));
  }
  return found;
}

void QueryRows::loadSeen(TileBuilder &t, int64_t rows) {
  if (!seen) {
    return;
  }
  Value one = t.index(1);
  Value last = t.sub(t.minimum(place.past, t.add(place.row, rows)), one);
  lastOfFirst = t.sub(loadIndex(t, seen, {place.row, stateHead}), one);
  count = loadIndex(t, seen, {last, stateHead});
}

QueryRows QueryRows::ofOneRow(TileBuilder &t, const AttentionShape &shape,
                              const AttentionMemory &memory, int64_t rows) {
  int64_t blocks = llvm::divideCeil(shape.queriesPerState(), rows);
  Value group = t.block(GridDimension::Y);
  QueryRows found;
  found.seesWindow = shape.window != 0;
  found.stateHead = t.divide(group, blocks);
  found.firstOfState = t.mul(t.remainder(group, blocks), rows);
  Value heads = t.mul(found.stateHead, shape.queriesPerState());
  found.segment = loadSegment(t, memory.segments, t.block(GridDimension::Z),
                              /*oneRow=*/true);
  found.place = {found.segment.start, t.add(heads, found.firstOfState),
                 t.add(heads, shape.queriesPerState()), /*hasHeads=*/true};
  if (memory.seen) {
    SmallVector<Value> at = {found.segment.start, found.stateHead};
    found.count = loadIndex(t, memory.seen, at);
    found.lastOfFirst = t.sub(found.count, t.index(1));
    found.ownPlace = loadIndex(t, memory.indices, at);
    return found;
  }
  found.lastOfFirst = found.ownPlace = found.segment.position;
  found.count = t.add(found.segment.position, 1);
  if (Value sees = isSeen(t, shape, found.stateHead)) {
    found.count = t.select(sees, found.count, t.index(0));
    found.ownPlace = t.select(sees, found.ownPlace, t.index(-1));
  }
  return found;
}

Value QueryRows::firstSeen(TileBuilder &t, const AttentionShape &shape) const {
  if (!shape.window) {
    return {};
  }
  Value window = t.index(shape.window);
  return t.sub(t.maximum(t.add(lastOfFirst, 1), window), window);
}

Value QueryRows::firstBlock(TileBuilder &t, const AttentionShape &shape,
                            int64_t entries) const {
  Value first = firstSeen(t, shape);
  return first ? t.divide(first, entries) : Value();
}

Value QueryRows::lastSeen(TileBuilder &t, RankedTensorType perRow) const {
  RankedTensorType numbers = t.withElement(perRow, t.b.getI32Type());
  if (place.hasHeads) {
    return t.splat(numbers, arith::IndexCastOp::create(t.b, t.b.getI32Type(),
                                                       lastOfFirst));
  }
  if (!seen) {
    return numbersFrom(t, lastOfFirst, perRow);
  }
  Place counted{{place.row, stateHead}, {0}, {place.past}};
  counted.parts = rowsOfPart;
  return t.sub(t.load(numbers, seen, counted), t.fillInteger(numbers, 1));
}

Value QueryRows::numbersFrom(TileBuilder &t, Value first,
                             RankedTensorType perRow) const {
  if (!rowsOfPart) {
    return t.indicesFrom(first, perRow, 0);
  }
  Value row = t.indicesFrom(t.index(0), perRow, 0);
  auto type = cast<RankedTensorType>(row.getType());
  return t.add(t.both(row, t.fillInteger(type, *rowsOfPart - 1)),
               t.splatIndex(type, first));
}

Value cheems::tile::masksOf(TileBuilder &t, const AttentionShape &shape,
                            const QueryRows &rows, const Entries &entries,
                            Value first, RankedTensorType scores) {
  if (!shape.readsMasks()) {
    return {};
  }
  RankedTensorType perEntry = t.sliceType(scores, 0);
  auto load = [&](Value maskHead) {
    Value mask =
        t.load(perEntry, entries.memory.masks, entries.mask(maskHead, first));
    return t.broadcast(maskNumbers(t, shape, mask), scores);
  };
  if (!rows.place.hasHeads) {
    return load(t.divide(rows.place.head, shape.queriesPerMask()));
  }
  Value all;
  for (int64_t i = 0; i < shape.masksPerState(); ++i) {
    Value mask = load(t.add(t.mul(rows.stateHead, shape.masksPerState()), i));
    if (!all) {
      all = mask;
      continue;
    }
    // From this row on.
    Value row = t.indicesFrom(rows.firstOfState, t.sliceType(scores, 1), 0);
    Value before =
        t.isLess(row, t.fillInteger(cast<RankedTensorType>(row.getType()),
                                    i * shape.queriesPerMask()));
    all = t.select(t.broadcast(before, scores), all, mask);
  }
  return all;
}

void cheems::tile::storeOutput(TileBuilder &t, Value tile, Value y,
                               const Place &place, int64_t aligned) {
  Type element = cast<MemRefType>(y.getType()).getElementType();
  if (!element.isF32()) {
    auto type = cast<RankedTensorType>(tile.getType());
    tile = arith::TruncFOp::create(t.b, t.withElement(type, element), tile);
    constexpr int64_t floatBytes = sizeof(float);
    aligned = aligned * element.getIntOrFloatBitWidth() / 8 / floatBytes;
  }
  t.store(tile, y, place, aligned);
}
