// Launches of attention where a window drops entries. Of a prompt all blocks of
// rows attend at once: what each of them sees is found before, in lists.
#include "AttentionLaunches.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Pools have more entries than the window if, and only if, the context is
/// longer.
Value AttentionLaunches::dropsEntries() {
  Value keep = count(shape.keep);
  Value capacity = b.createOrFold<tensor::DimOp>(op.getKeys(), 3);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, capacity, keep);
}

SmallVector<Value *> AttentionLaunches::lists() {
  if (!candidates.numbers) {
    return {};
  }
  SmallVector<Value *> all = {&candidates.numbers, &candidates.untils,
                              &candidates.masks};
  if (shape.isQuantized()) {
    all.append({&candidates.keyScales, &candidates.valueScales});
  }
  return all;
}

SmallVector<Value *> AttentionLaunches::rowsOfStep() {
  if (!candidates.rowKeys) {
    return {};
  }
  SmallVector<Value *> all = {&candidates.rowKeys, &candidates.rowValues};
  if (shape.isQuantized()) {
    all.append({&candidates.rowKeyScales, &candidates.rowValueScales});
  }
  return all;
}

void AttentionLaunches::placeKept() {
  LaunchOperands operands;
  findIndices(operands);
  operands.read(entries[2]);
  operands.read(positions);
  Value values = maskValues(operands);
  RowTileAttr s = strategy.getWindow();
  LaunchOp made = makeLaunch(
      "place_kept", operands, s.warps(), {count(shape.stateHeads), segments()},
      [&](TileBuilder &t, ValueRange m) {
        buildPlaceKept(t, s, shape, memoryOf(operands, m),
                       added.mask.in(operands, m),
                       values ? operands.in(m, values) : Value());
      });
  indices = made.getResult(0);
  seen = made.getResult(1);
  if (values) {
    added.mask = {made.getResult(2), {}, {}, {}};
  }
}

void AttentionLaunches::attendToKept() {
  storeRows();
  orderKept();
  keepEntries();
  y = attend();
  placeRows();
  moveKept();
}

/// The step's rows become what entries would be, in the order of rows.
void AttentionLaunches::storeRows() {
  OpFoldResult one = b.getIndexAttr(1),
               heads = b.getIndexAttr(shape.stateHeads);
  SmallVector<OpFoldResult> extents = {one, one, heads, rows()};
  if (shape.isQuantized()) {
    candidates.rowKeyScales = empty(extents, b.getF32Type());
    candidates.rowValueScales = empty(extents, b.getF32Type());
  }
  extents.push_back(b.getIndexAttr(shape.size));
  candidates.rowKeys = empty(extents, shape.stored);
  candidates.rowValues = empty(extents, shape.stored);
  LaunchOperands operands;
  added.key.addTo(operands);
  added.value.addTo(operands);
  operands.read(op.getSegments());
  for (Value *row : rowsOfStep()) {
    operands.write(*row);
  }
  RowTileAttr s = strategy.getStore();
  LaunchOp made = makeLaunch(
      "store_rows", operands, s.warps(),
      {blocksOfRows(s.tileRows()), count(shape.stateHeads), segments()},
      [&](TileBuilder &t, ValueRange m) {
        NewEntries rows{
            added.key.in(operands, m), added.value.in(operands, m), {}};
        buildStoreRows(t, s, shape, memoryOf(operands, m), rows);
      });
  for (auto [row, result] : llvm::zip_equal(rowsOfStep(), made.getResults())) {
    *row = result;
  }
}

KeptChoice AttentionLaunches::choiceOf(const LaunchOperands &operands,
                                       ValueRange m) {
  KeptChoice to;
  for (auto member : KeptChoice::members()) {
    to.*member = choice.*member ? operands.in(m, choice.*member) : Value();
  }
  return to;
}

void AttentionLaunches::takeWritten(ArrayRef<Value *> written, LaunchOp made) {
  for (auto [value, result] : llvm::zip_equal(written, made.getResults())) {
    *value = result;
  }
}

void AttentionLaunches::orderKept() {
  OpFoldResult heads = b.getIndexAttr(shape.stateHeads);
  Type i32 = b.getI32Type();
  SmallVector<OpFoldResult> ofEntries = {segments(), heads,
                                         b.getIndexAttr(shape.keep)};
  choice.entryGoodness = empty(ofEntries, i32);
  choice.entryNumbers = empty(ofEntries, i32);
  choice.rowGoodness = emptyPerRow();
  LaunchOperands operands;
  operands.read(op.getMask());
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  operands.read(entries[2]);
  operands.read(positions);
  SmallVector<Value *> written = {&choice.entryGoodness, &choice.entryNumbers,
                                  &choice.rowGoodness};
  llvm::for_each(written, [&](Value *value) { operands.write(*value); });
  WindowTileAttr s = strategy.getChoice();
  Value pieces = arith::MaxUIOp::create(
      b, blocksOfRows(s.getThreads()),
      count(int64_t(llvm::divideCeil(shape.keep, s.getRanked()))));
  takeWritten(written,
              makeLaunch("order_kept", operands, s.warps(),
                         {pieces, count(shape.stateHeads), segments()},
                         [&](TileBuilder &t, ValueRange m) {
                           buildOrderKept(t, s, shape, memoryOf(operands, m),
                                          choiceOf(operands, m),
                                          operands.in(m, op.getMask()));
                         }));
}

/// Numbers per head and row of the step.
Value AttentionLaunches::emptyPerRow() {
  return empty({b.getIndexAttr(shape.stateHeads), rows()}, b.getI32Type());
}

void AttentionLaunches::keepEntries() {
  // There are as many numbers as SSDChunk has.
  Value blocks = arith::AddIOp::create(
      b, tilesOf(b, query.heads, 0, shape.block), segments());
  SmallVector<OpFoldResult> extents = {
      blocks, b.getIndexAttr(shape.stateHeads),
      b.getIndexAttr(shape.keep + shape.block)};
  LaunchOperands operands;
  operands.read(op.getMask());
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  operands.read(choice.entryGoodness);
  operands.read(choice.entryNumbers);
  operands.read(choice.rowGoodness);
  for (Value *row : rowsOfStep()) {
    operands.read(*row);
  }
  candidates.numbers = empty(extents, b.getI32Type());
  candidates.untils = empty(extents, b.getI32Type());
  candidates.masks = empty(extents, b.getF32Type());
  if (shape.isQuantized()) {
    operands.read(entries[3]);
    operands.read(entries[4]);
    candidates.keyScales = empty(extents, b.getF32Type());
    candidates.valueScales = empty(extents, b.getF32Type());
  }
  choice.replaced = emptyPerRow();
  SmallVector<Value *> written = lists();
  written.push_back(&choice.replaced);
  llvm::for_each(written, [&](Value *value) { operands.write(*value); });
  WindowTileAttr s = strategy.getChoice();
  takeWritten(written,
              makeLaunch("keep_entries", operands, s.warps(),
                         {blocksOfRows(shape.block), count(shape.stateHeads),
                          segments()},
                         [&](TileBuilder &t, ValueRange m) {
                           buildKeepEntries(t, s, shape, memoryOf(operands, m),
                                            choiceOf(operands, m),
                                            operands.in(m, op.getMask()));
                         }));
}

/// Keys and values come later: attention still reads those of before.
void AttentionLaunches::placeRows() {
  LaunchOperands operands;
  operands.read(op.getMask());
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  operands.read(choice.replaced);
  operands.read(candidates.numbers);
  operands.read(candidates.untils);
  for (Value *row : rowsOfStep()) {
    operands.read(*row);
  }
  choice.indices = emptyPerRow();
  SmallVector<Value *> written = {&entries[2], &positions, &choice.indices};
  if (shape.isQuantized()) {
    written.append({&entries[3], &entries[4]});
  }
  llvm::for_each(written, [&](Value *value) { operands.write(*value); });
  WindowTileAttr s = strategy.getChoice();
  takeWritten(written,
              makeLaunch("place_kept_rows", operands, s.chainWarps(),
                         {count(shape.stateHeads), segments()},
                         [&](TileBuilder &t, ValueRange m) {
                           buildPlaceRows(t, s, shape, memoryOf(operands, m),
                                          choiceOf(operands, m),
                                          operands.in(m, op.getMask()));
                         }));
}

void AttentionLaunches::moveKept() {
  LaunchOperands operands;
  operands.read(op.getSegments());
  operands.read(op.getLayer());
  operands.read(positions);
  operands.read(candidates.rowKeys);
  operands.read(candidates.rowValues);
  operands.write(entries[0]);
  operands.write(entries[1]);
  int64_t together = strategy.getMoved();
  LaunchOp made =
      makeLaunch("move_kept", operands, /*warps=*/1,
                 {count(int64_t(llvm::divideCeil(shape.keep, together))),
                  count(shape.stateHeads), segments()},
                 [&](TileBuilder &t, ValueRange m) {
                   buildMoveKept(t, together, shape, memoryOf(operands, m));
                 });
  entries[0] = made.getResult(0);
  entries[1] = made.getResult(1);
}
