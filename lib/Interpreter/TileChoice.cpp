// Elements and rows that indices choose: gather, scatter, copy_rows, tally,
// pick.
#include "Elements.h"
#include "Handlers.h"
#include "TileAccess.h"
#include "llvm/ADT/DenseSet.h"

namespace cheems::interpreter {
using namespace mlir;

static void gather(tile::GatherOp op, Frame &f) {
  f.set(op.getTile(), gathered(op, op.getTile().getType().getShape(),
                               int64_t(op.getAligned().value_or(0)), f));
}

/// target[o + indices[i] e_d] = tile[i]
static void scatter(tile::ScatterOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile()), &indices = f.read(op.getIndices());
  Memory &target = f.memory(op.getTarget());
  SmallVector<int64_t> dims = {int64_t(op.getDim())};
  Access access{target.contents(), {}, dims, {}};
  for (Value offset : op.getOffsets()) {
    access.offsets.push_back(f.integer(offset));
  }
  if (f.failed() || !holds(access, 0, bytesOf(op.getTarget()), f)) {
    return;
  }
  if (!target.isWritable()) {
    f.fail() << "writes into memory that the launch has among its ins";
    return;
  }
  auto along = size_t(op.getDim());
  int64_t first = access.offsets[along];
  llvm::DenseSet<int64_t> written;
  for (int64_t i = 0; i < tile.shape[0]; ++i) {
    SmallVector<int64_t> at = access.offsets;
    at[along] = first + int64_t(indices(i));
    if (at[along] < 0 || at[along] >= access.memory.shape[along]) {
      continue;
    }
    std::optional<int64_t> place = offsetOf(access.memory.shape, at);
    if (!place) {
      f.fail() << "asks for element " << shapeText(at) << " of "
               << shapeText(access.memory.shape) << inBlock(f);
      return;
    }
    if (!written.insert(*place).second) {
      f.fail() << "stores two numbers at " << shapeText(at) << inBlock(f);
      return;
    }
    if (!target.write(*place, tile(i), f.tileBlock->number)) {
      f.fail() << "writes element " << shapeText(at) << inBlock(f)
               << ", which another block reads or writes";
      return;
    }
  }
}

/// Rows that numbers choose, of one memory or the other; as `asyncCopy`.
static void copyRows(tile::CopyRowsOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType(),
                   numbers = op.getNumbers().getType();
  std::optional<int64_t> first = firstOf(buffer, f.integer(op.getStage()), f),
                         firstNumber = firstOf(
                             numbers, f.integer(op.getNumbersStage()), f);
  if (!first || !firstNumber) {
    return;
  }
  auto split = int64_t(op.getSplit()), columns = buffer.getColumns(),
       rows = f.integer(op.getExtents()[0]);
  Tensor stage({buffer.getRows(), columns});
  for (int64_t i = 0; i < std::min(rows, buffer.getRows()); ++i) {
    double number =
        f.memory(op.getNumbers()).contents().data[size_t(*firstNumber + i)];
    if (isUninitialised(number)) {
      f.fail() << "takes the number of row " << i << inBlock(f)
               << ", which nothing has written";
      return;
    }
    auto row = int64_t(number);
    bool isOther = row >= split;
    Value memory = isOther ? op.getOther() : op.getSource();
    Access access{f.memory(memory).contents(), {}, op.getDims(), {}};
    for (Value offset : isOther ? op.getOtherOffsets() : op.getOffsets()) {
      access.offsets.push_back(f.integer(offset));
    }
    int64_t &along = access.offsets[size_t(access.dims[0])];
    along += isOther ? row - split : row;
    access.extents = {along + 1, f.integer(op.getExtents()[1])};
    if (!holds(access, int64_t(op.getAligned()), bytesOf(memory), f)) {
      return;
    }
    forEachInside(access, {1, columns}, f, [&](size_t element, int64_t place) {
      stage(i, int64_t(element)) = readElement(f.memory(memory), place, f);
    });
  }
  begin(op.getBuffer(), *first, std::move(stage), f);
}

/// buffer[stage, rows[x], columns[x]] grows by 1 for each x.
static void tally(tile::TallyOp op, Frame &f) {
  tile::BufferType type = op.getBuffer().getType();
  const Tensor &rows = f.read(op.getRows()), &columns = f.read(op.getColumns());
  std::optional<int64_t> first = firstOf(type, f.integer(op.getStage()), f);
  if (f.failed() || !first) {
    return;
  }
  Memory &buffer = f.memory(op.getBuffer());
  for (size_t x = 0; x < rows.data.size(); ++x) {
    auto row = int64_t(rows.data[x]), column = int64_t(columns.data[x]);
    if (column < 0 || column >= int64_t(op.getBelow())) {
      continue;
    }
    if (row < 0 || row >= type.getRows()) {
      f.fail() << "counts in " << shapeText({row, column}) << " of "
               << shapeText({type.getRows(), type.getColumns()}) << inBlock(f);
      return;
    }
    int64_t place = *first + row * type.getColumns() + column;
    double before = buffer.contents().data[size_t(place)];
    if (isUninitialised(before)) {
      f.fail() << "counts in element "
               << indexText(buffer.contents().shape, place) << " of a buffer"
               << inBlock(f) << ", which nothing has written";
      return;
    }
    buffer.write(place, before + 1, f.tileBlock->number);
  }
}

/// tile[x] = buffer[stage, rows[x], columns[x]]
static void pick(tile::PickOp op, Frame &f) {
  tile::BufferType type = op.getBuffer().getType();
  const Tensor &rows = f.read(op.getRows()), &columns = f.read(op.getColumns());
  std::optional<int64_t> first = firstOf(type, f.integer(op.getStage()), f);
  if (f.failed() || !first) {
    return;
  }
  const Tensor &buffer = f.memory(op.getBuffer()).contents();
  Tensor tile(rows.shape);
  for (size_t x = 0; x < tile.data.size(); ++x) {
    auto row = int64_t(rows.data[x]), column = int64_t(columns.data[x]);
    if (row < 0 || column < 0 || row >= type.getRows() ||
        column >= type.getColumns()) {
      f.fail() << "picks " << shapeText({row, column}) << " of "
               << shapeText({type.getRows(), type.getColumns()}) << inBlock(f);
      return;
    }
    int64_t place = *first + row * type.getColumns() + column;
    tile.data[x] = buffer.data[size_t(place)];
    if (isUninitialised(tile.data[x])) {
      f.fail() << "picks element " << indexText(buffer.shape, place)
               << " of a buffer" << inBlock(f) << ", which nothing has written";
      return;
    }
  }
  f.set(op.getTile(), std::move(tile));
}

void addTileChoice(Handlers &handlers) {
  handlers.add<tile::GatherOp>(gather);
  handlers.add<tile::ScatterOp>(scatter);
  handlers.add<tile::CopyRowsOp>(copyRows);
  handlers.add<tile::TallyOp>(tally);
  handlers.add<tile::PickOp>(pick);
}

} // namespace cheems::interpreter
