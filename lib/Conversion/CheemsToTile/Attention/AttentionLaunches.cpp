// Makes the launches of attention.
#include "AttentionLaunches.h"
#include "Builder/RowCount.h"
#include "MaskRing.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

AttentionLaunches::AttentionLaunches(ImplicitLocOpBuilder &b,
                                     SegmentedAttentionOp op,
                                     KernelTable &kernels,
                                     const AttentionBefore &taken,
                                     bool mergesAfter)
    : b(b), op(op), kernels(kernels),
      strategy(strategyOf<AttentionStrategyAttr>(op)), shape(op),
      sizes(strategy.getAttend()), before(taken), query(before.query),
      added(before.added), entries{op.getKeys(), op.getValues()},
      counts(op.getCounts()), positions(op.getPositions()),
      isExact(shape.isExact()), storesFirst(before.storesFirst),
      mergesAfter(mergesAfter) {
  if (shape.storesMasks()) {
    entries.push_back(op.getMasks());
  }
  if (shape.isQuantized()) {
    entries.append({op.getKeyScales(), op.getValueScales()});
  }
}

SmallVector<Value> AttentionLaunches::make(Value outputs) {
  y = outputs;
  if (!positions) {
    attendAll();
  } else {
    MaskBefore mask = added.mask;
    Value drop = dropsEntries();
    when = isNot(b, drop);
    attendAll();
    added.mask = mask;
    when = drop;
    drops = true;
    if (shape.oneRow) {
      placeKept();
      attendAll();
    } else {
      if (!isExact) {
        sizes = strategy.getOfKept();
      }
      attendToKept();
    }
  }
  SmallVector<Value> results = {y};
  results.append(entries.begin(), entries.begin() + unscaled());
  if (positions) {
    results.push_back(positions);
  }
  results.append(entries.begin() + unscaled(), entries.end());
  if (counts) {
    results.push_back(counts);
  }
  return results;
}

void AttentionLaunches::attendAll() {
  if (shape.counts) {
    placeVisible();
  }
  if (!storesFirst) {
    storeEntries();
  }
  y = isExact || !shape.oneRow ? attend() : attendInSplits();
}

Value AttentionLaunches::blocksOfRows(int64_t rows) {
  return shape.oneRow ? count(1) : tilesOf(b, query.heads, 0, rows);
}

Value AttentionLaunches::count(int64_t number) {
  return arith::ConstantIndexOp::create(b, number);
}

Value AttentionLaunches::empty(ArrayRef<OpFoldResult> extents, Type element) {
  SmallVector<OpFoldResult> sizes(extents);
  if (when) {
    Value rows = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[0]);
    sizes[0] = arith::SelectOp::create(b, when, rows, count(0)).getResult();
  }
  return tensor::EmptyOp::create(b, sizes, element);
}

LaunchOp AttentionLaunches::makeLaunch(StringRef name,
                                       const LaunchOperands &operands,
                                       int64_t warps, ArrayRef<Value> blocks,
                                       KernelTable::Body body, Value also) {
  FlatSymbolRefAttr kernel =
      kernels.get(op.getLoc(), name, operands.types(), warps, body);
  Value condition = when && also ? areBoth(b, when, also) : when ? when : also;
  return launch(b, kernel, blocks, operands.inputs, operands.outputs,
                condition);
}

OpFoldResult AttentionLaunches::rows() {
  return tensor::getMixedSize(b, b.getLoc(), query.heads, 0);
}

void AttentionLaunches::findIndices(LaunchOperands &operands) {
  added.mask.addTo(operands);
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  OpFoldResult heads = b.getIndexAttr(shape.stateHeads);
  indices = empty({rows(), heads}, b.getI32Type());
  seen = empty({rows(), heads}, b.getI32Type());
  operands.write(indices);
  operands.write(seen);
}

Value AttentionLaunches::maskValues(LaunchOperands &operands) {
  if (!added.mask.product) {
    return {};
  }
  Value values =
      empty({rows(), b.getIndexAttr(shape.maskHeads)}, b.getF32Type());
  operands.write(values);
  return values;
}

void AttentionLaunches::placeVisible() {
  LaunchOperands operands;
  findIndices(operands);
  operands.write(counts);
  Value values = maskValues(operands);
  VisibleTileAttr s = strategy.getVisible();
  LaunchOp made = makeLaunch(
      "place_visible", operands, s.getWarps(),
      {count(shape.stateHeads), segments()}, [&](TileBuilder &t, ValueRange m) {
        buildPlaceVisible(t, shape, memoryOf(operands, m),
                          added.mask.in(operands, m),
                          values ? operands.in(m, values) : Value(),
                          operands.in(m, counts), s.getRows(), s.getWarps());
      });
  indices = made.getResult(0);
  seen = made.getResult(1);
  counts = made.getResult(2);
  if (values) {
    added.mask = {made.getResult(3), {}, {}, {}};
  }
}

void AttentionLaunches::storeEntries() {
  LaunchOperands operands;
  added.addTo(operands);
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  readIndices(operands);
  writeEntries(operands);
  RowTileAttr s = indices ? strategy.getStorePlaced() : strategy.getStore();
  LaunchOp made = makeLaunch(
      indices ? "store_placed" : "store_entries", operands, s.warps(),
      {blocksOfRows(s.tileRows()), count(shape.stateHeads), segments()},
      [&](TileBuilder &t, ValueRange m) {
        auto *build = indices ? buildStorePlaced : buildStoreEntries;
        build(t, s, shape, memoryOf(operands, m), added.in(operands, m));
      });
  takeEntries(made.getResults());
}

void AttentionLaunches::readIndices(LaunchOperands &operands) {
  if (indices) {
    operands.read(indices);
    operands.read(seen);
  }
}

LaunchOperands AttentionLaunches::operandsOfAttention() {
  LaunchOperands operands;
  query.addTo(operands);
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  readIndices(operands);
  if (storesFirst) {
    added.addTo(operands);
    writeEntries(operands);
  } else {
    llvm::for_each(entries, [&](Value pool) { operands.read(pool); });
  }
  for (Value *list : lists()) {
    operands.read(*list);
  }
  for (Value *list : rowsOfStep()) {
    operands.read(*list);
  }
  return operands;
}

void AttentionLaunches::readBoxes(LaunchOperands &operands) {
  if (sizes.getCopy() != OperandCopy::Bulk) {
    return;
  }
  auto rows = TensorMapType::get(b.getContext(), sizes.getEntries(),
                                 sizes.getPanel(), shape.stored);
  SmallVector<ReassociationIndices> ofEntries = {{0, 1, 2, 3}, {4}};
  keyRows = tensor::CollapseShapeOp::create(b, entries[0], ofEntries);
  valueRows = tensor::CollapseShapeOp::create(b, entries[1], ofEntries);
  operands.readBoxes(keyRows, rows);
  operands.readBoxes(valueRows, rows);
  if (TensorMapType masks = MaskRing::boxes(b.getContext(), shape, sizes)) {
    Value all = tensor::CollapseShapeOp::create(
        b, entries[2], SmallVector<ReassociationIndices>{{0, 1, 2, 3}});
    OpFoldResult count = tensor::getMixedSize(b, b.getLoc(), all, 0);
    auto type = RankedTensorType::get(
        {1, cast<ShapedType>(all.getType()).getDimSize(0)}, b.getF32Type());
    allMasks = tensor::ExpandShapeOp::create(
        b, type, all, SmallVector<ReassociationIndices>{{0, 1}},
        SmallVector<OpFoldResult>{b.getIndexAttr(1), count});
    operands.readBoxes(allMasks, masks);
  }
}

void AttentionLaunches::writeEntries(LaunchOperands &operands) {
  llvm::for_each(entries, [&](Value pool) { operands.write(pool); });
  if (drops) {
    operands.write(positions);
  }
}

size_t AttentionLaunches::takeEntries(ResultRange results) {
  llvm::copy(results.take_front(entries.size()), entries.begin());
  if (drops) {
    positions = results[entries.size()];
  }
  return entries.size() + size_t(drops);
}

AttentionMemory AttentionLaunches::memoryOf(const LaunchOperands &operands,
                                            ValueRange m) {
  AttentionMemory memory;
  memory.segments = operands.in(m, op.getSegments());
  memory.layer = operands.in(m, op.getLayer());
  memory.keys = operands.in(m, entries[0]);
  memory.values = operands.in(m, entries[1]);
  memory.masks = shape.storesMasks() ? operands.in(m, entries[2]) : Value();
  if (keyRows) {
    memory.keyMap = operands.in(m, keyRows);
    memory.valueMap = operands.in(m, valueRows);
    memory.maskMap = allMasks ? operands.in(m, allMasks) : Value();
  }
  if (shape.isQuantized()) {
    memory.keyScales = operands.in(m, entries[unscaled()]);
    memory.valueScales = operands.in(m, entries[unscaled() + 1]);
  }
  if (indices) {
    memory.indices = operands.in(m, indices);
    memory.seen = operands.in(m, seen);
  }
  if (drops) {
    memory.positions = operands.in(m, positions);
    Candidates &to = memory.candidates;
    const Candidates &from = candidates;
    for (auto member : Candidates::members()) {
      to.*member = from.*member ? operands.in(m, from.*member) : Value();
    }
  }
  return memory;
}

void AttentionLaunches::build(
    const LaunchOperands &operands, ValueRange m,
    function_ref<void(const AttentionMemory &, const HeadRows &,
                      const FirstStores &)>
        body) {
  NewEntries rows;
  FirstStores stores{nullptr, strategy.getHalf()};
  if (storesFirst) {
    rows = added.in(operands, m);
    stores.added = &rows;
  }
  body(memoryOf(operands, m), query.in(operands, m), stores);
}

SmallVector<Value> AttentionLaunches::takePools(LaunchOp made) {
  SmallVector<Value> results(made.getResults());
  if (storesFirst) {
    size_t taken = takeEntries(made.getResults());
    results.erase(results.begin(), results.begin() + taken);
  }
  return results;
}

/// Blocks of rows, or the heads of one row.
Value AttentionLaunches::attend() {
  LaunchOperands operands = operandsOfAttention();
  readBoxes(operands);
  operands.write(y);
  int64_t heads = shape.oneRow ? shape.stateHeads * headBlocksOf(shape, sizes)
                               : shape.queryHeads / sizes.getHeads();
  LaunchOp made = makeLaunch(
      isExact           ? "attention_f32"
      : lists().empty() ? "attention"
                        : "attention_of_kept",
      operands, sizes.warps(),
      {blocksOfRows(sizes.getRows()), count(heads), segments()},
      [&](TileBuilder &t, ValueRange m) {
        build(operands, m,
              [&](const AttentionMemory &memory, const HeadRows &rows,
                  const FirstStores &stores) {
                Value out = operands.in(m, y);
                if (isExact) {
                  buildAttentionF32(t, sizes, shape, memory, rows, stores, out);
                } else {
                  buildAttention(t, sizes, shape, memory, rows.memory, out);
                }
              });
      });
  return takePools(made).front();
}

/// A block attends to one split of a row's entries.
Value AttentionLaunches::attendInSplits() {
  Value number = tilesOf(b, op.getKeys(), 3, sizes.getEntries());
  SmallVector<OpFoldResult> extents = {segments(), number,
                                       b.getIndexAttr(shape.queryHeads)};
  Type f32 = b.getF32Type();
  SmallVector<Value> partial = {empty(extents, f32), empty(extents, f32)};
  extents.push_back(b.getIndexAttr(shape.size));
  partial.push_back(empty(extents, f32));
  LaunchOperands operands = operandsOfAttention();
  llvm::for_each(partial, [&](Value part) { operands.write(part); });
  LaunchOp made = makeLaunch(
      "attention_of_one_row", operands, sizes.warps(),
      {number, count(shape.stateHeads * headBlocksOf(shape, sizes)),
       segments()},
      [&](TileBuilder &t, ValueRange m) {
        build(operands, m,
              [&](const AttentionMemory &memory, const HeadRows &rows,
                  const FirstStores &stores) {
                ValueRange parts = m.take_back(3);
                buildAttentionOfOneRow(t, sizes, shape, memory, rows, stores,
                                       {parts[0], parts[1], parts[2]});
              });
      });
  SmallVector<Value> parts = takePools(made);
  leaveSplits(parts, number);
  return merge(parts);
}

void AttentionLaunches::leaveSplits(ValueRange partial, Value number) {
  if (!mergesAfter || drops || !leavesSplits(shape, strategy)) {
    return;
  }
  Value isShort = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, number,
                                        count(strategy.getMerge().getMost()));
  Value isMerged = areBoth(b, RowCount(b, query.heads).isOne, isShort);
  if (when) {
    isMerged = areBoth(b, isMerged, when);
  }
  Value outputs = tensor::CollapseShapeOp::create(
      b, partial[2], SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  pieces =
      SplitsOfRow{op.getSegments(),   partial[0],       partial[1], outputs,
                  sizes.getEntries(), shape.queryHeads, shape.size, isMerged};
}

Value AttentionLaunches::merge(ValueRange partial) {
  RowTileAttr s = strategy.getMerged();
  LaunchOperands operands;
  operands.read(op.getSegments());
  readIndices(operands);
  llvm::for_each(partial, [&](Value part) { operands.read(part); });
  operands.write(y);
  Value isLeft = pieces && !drops ? isNot(b, pieces->isMerged) : Value();
  return makeLaunch(
             "merge_splits", operands, s.warps(),
             {count(shape.queryHeads), segments()},
             [&](TileBuilder &t, ValueRange m) {
               ValueRange parts = m.drop_back().take_back(3);
               buildMergeSplits(t, s, shape, sizes.getEntries(),
                                memoryOf(operands, m),
                                {parts[0], parts[1], parts[2]}, m.back());
             },
             isLeft)
      .getResult(0);
}
