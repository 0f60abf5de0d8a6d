// Tiles between memory of the card, shared memory and registers, with the
// guards and the promises of their law.
#include "Elements.h"
#include "Handlers.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

namespace cheems::interpreter {
using namespace mlir;

/// " in block [1, 0, 0]"
static std::string inBlock(Frame &f) {
  return " in block " + shapeText(f.tileBlock->at);
}

namespace {
/// What `load` says of a tile of memory; stores and copies have the same.
struct Access {
  const Tensor &memory;
  SmallVector<int64_t> offsets;
  ArrayRef<int64_t> dims;
  SmallVector<int64_t> extents;
  std::optional<int64_t> parts = {}; ///< rows of each
  std::optional<int64_t> along = {};
};
} // namespace

template <typename OpTy>
static Access accessOf(OpTy op, Value memory, Frame &f) {
  Access access{f.memory(memory).contents(), {}, op.getDims(), {}};
  if constexpr (!std::is_same_v<OpTy, tile::AsyncCopyOp>) {
    access.parts = op.getParts();
    access.along = op.getAlong();
  }
  for (Value offset : op.getOffsets()) {
    access.offsets.push_back(f.integer(offset));
  }
  for (Value extent : op.getExtents()) {
    access.extents.push_back(f.integer(extent));
  }
  if (op.getExtents().empty()) {
    for (int64_t d : access.dims) {
      access.extents.push_back(access.memory.shape[size_t(d)]);
    }
  }
  return access;
}

/// What the caller promises; an error where it does not hold.
static bool holds(const Access &access, int64_t aligned, int64_t bytes,
                  Frame &f) {
  ArrayRef<int64_t> shape = access.memory.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (access.offsets[d] < 0 ||
        (!llvm::is_contained(access.dims, int64_t(d)) &&
         access.offsets[d] >= shape[d])) {
      f.fail() << "has the offsets " << shapeText(access.offsets) << " into "
               << shapeText(shape) << inBlock(f);
      return false;
    }
  }
  if (aligned <= bytes) {
    return true;
  }
  bool rows = shape.size() == 1 || shape.back() * bytes % aligned == 0;
  if (access.offsets.back() * bytes % aligned != 0 ||
      access.extents.back() * bytes % aligned != 0 || !rows) {
    f.fail() << "is aligned to " << aligned << " bytes, but of elements of "
             << bytes << " bytes its offset along the last dimension is "
             << access.offsets.back() << ", its extent "
             << access.extents.back() << ", and that of the memory "
             << shape.back() << inBlock(f);
    return false;
  }
  return true;
}

/// For each element (i, j) of a tile that is not guarded away, its number in
/// the tile and its place in memory: at o + i e_d0 + j e_d1, for parts as
/// `load` says, where o_d0 + i < extents[0] and o_d1 + j < extents[1].
static void
forEachInside(const Access &access, ArrayRef<int64_t> tile, Frame &f,
              llvm::function_ref<void(size_t element, int64_t place)> visit) {
  size_t element = 0;
  forEachIndex(tile, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at = access.offsets;
    bool isInside = true;
    if (access.along) {
      at[size_t(*access.along)] += index[0] / *access.parts;
    }
    for (size_t e = 0; e < index.size(); ++e) {
      int64_t &along = at[size_t(access.dims[e])];
      along += e == 0 && access.parts ? index[0] % *access.parts : index[e];
      isInside &= along < access.extents[e];
    }
    if (isInside) {
      std::optional<int64_t> place = offsetOf(access.memory.shape, at);
      if (!place) {
        f.fail() << "asks for element " << shapeText(at) << " of "
                 << shapeText(access.memory.shape) << inBlock(f);
        return false;
      }
      visit(element, *place);
    }
    ++element;
    return !f.failed();
  });
}

static int64_t bytesOf(Value memory) {
  return cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
}

/// An element that a block reads.
static double readElement(Memory &memory, int64_t place, Frame &f) {
  double element = memory.contents().data[size_t(place)];
  if (!memory.read(place, f.tileBlock->number)) {
    f.fail() << "reads element " << indexText(memory.contents().shape, place)
             << inBlock(f) << ", which another block has written";
  } else if (isUninitialised(element)) {
    f.fail() << "reads element " << indexText(memory.contents().shape, place)
             << inBlock(f) << ", which nothing has written";
  }
  return element;
}

/// What `load` gives for a tile of a shape.
template <typename OpTy>
static Tensor loaded(OpTy op, ArrayRef<int64_t> shape, int64_t aligned,
                     Frame &f) {
  Tensor tile(shape);
  Access access = accessOf(op, op.getSource(), f);
  if (holds(access, aligned, bytesOf(op.getSource()), f)) {
    forEachInside(access, shape, f, [&](size_t element, int64_t place) {
      tile.data[element] = readElement(f.memory(op.getSource()), place, f);
    });
  }
  return tile;
}

static void load(tile::LoadOp op, Frame &f) {
  f.set(op.getTile(), loaded(op, op.getTile().getType().getShape(),
                             int64_t(op.getAligned().value_or(0)), f));
}

/// tile[i, j] = source[o + rows[i] e_d0 + j e_d1], or without j, or with a
/// number per column source[o + i e_d0 + rows[j] e_d1].
template <typename OpTy>
static Tensor gathered(OpTy op, ArrayRef<int64_t> shape, int64_t aligned,
                       Frame &f) {
  const Tensor &rows = f.read(op.getRows());
  Tensor tile(shape);
  if (f.failed()) {
    return tile;
  }
  Access access{f.memory(op.getSource()).contents(), {}, op.getDims(), {}};
  for (Value offset : op.getOffsets()) {
    access.offsets.push_back(f.integer(offset));
  }
  for (int64_t d : access.dims) {
    access.extents.push_back(access.memory.shape[size_t(d)]);
  }
  if (!holds(access, aligned, bytesOf(op.getSource()), f)) {
    return tile;
  }
  auto axis = size_t(op.getAxis());
  SmallVector<int64_t> part(tile.shape.begin(), tile.shape.end());
  part[axis] = 1;
  int64_t &chosen = access.offsets[size_t(access.dims[axis])];
  int64_t first = chosen;
  size_t columns = tile.data.size() / size_t(tile.shape[0]);
  for (int64_t i = 0; i < tile.shape[axis]; ++i) {
    chosen = first + int64_t(rows(i));
    if (chosen < 0) {
      continue;
    }
    forEachInside(access, part, f, [&](size_t element, int64_t place) {
      tile.data[axis == 0 ? size_t(i) * columns + element
                          : element * columns + size_t(i)] =
          readElement(f.memory(op.getSource()), place, f);
    });
  }
  return tile;
}

static void gather(tile::GatherOp op, Frame &f) {
  f.set(op.getTile(), gathered(op, op.getTile().getType().getShape(),
                               int64_t(op.getAligned().value_or(0)), f));
}

static void store(tile::StoreOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile());
  Memory &target = f.memory(op.getTarget());
  Access access = accessOf(op, op.getTarget(), f);
  if (f.failed() || !holds(access, int64_t(op.getAligned().value_or(0)),
                           bytesOf(op.getTarget()), f)) {
    return;
  }
  if (!target.isWritable()) {
    f.fail() << "writes into memory that the launch has among its ins";
    return;
  }
  forEachInside(access, tile.shape, f, [&](size_t element, int64_t place) {
    if (!target.write(place, tile.data[element], f.tileBlock->number)) {
      f.fail() << "writes element " << indexText(access.memory.shape, place)
               << inBlock(f) << ", which another block reads or writes";
    }
  });
}

/// target[o + places[i] e_d] = tile[i]
static void scatter(tile::ScatterOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile()), &places = f.read(op.getPlaces());
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
    at[along] = first + int64_t(places(i));
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

static void alloc(tile::AllocOp op, Frame &f) {
  f.set(op.getBuffer(),
        std::make_shared<Memory>(
            emptyTensor(op.getBuffer().getType().getShape()), true));
}

/// The place of a stage's first element; none, with an error, where there is no
/// such stage.
static std::optional<int64_t> firstOf(tile::BufferType buffer, int64_t stage,
                                      Frame &f) {
  if (stage < 0 || stage >= buffer.getStages()) {
    f.fail() << "takes stage " << stage << " of " << buffer.getStages()
             << inBlock(f);
    return std::nullopt;
  }
  return stage * buffer.getRows() * buffer.getColumns();
}

/// The stage is as unwritten until the copy is waited for.
static void begin(Value buffer, int64_t first, Tensor stage, Frame &f) {
  Memory &into = f.memory(buffer);
  for (size_t element = 0; element < stage.data.size(); ++element) {
    into.write(first + int64_t(element), uninitialised(), f.tileBlock->number);
  }
  f.tileBlock->begun.push_back(
      {f.value(buffer).memory(), first, std::move(stage)});
}

static void asyncCopy(tile::AsyncCopyOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  std::optional<int64_t> first = firstOf(buffer, f.integer(op.getStage()), f);
  if (first) {
    begin(op.getBuffer(), *first,
          loaded(op, {buffer.getRows(), buffer.getColumns()},
                 int64_t(op.getAligned()), f),
          f);
  }
}

static void fetchRows(tile::FetchRowsOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  std::optional<int64_t> first = firstOf(buffer, f.integer(op.getStage()), f);
  if (first) {
    begin(op.getBuffer(), *first,
          gathered(op, {buffer.getRows(), buffer.getColumns()},
                   int64_t(op.getAligned()), f),
          f);
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

/// Zeros where the box is outside; done at once, as uses come behind it. What
/// nothing has written may come, too, as no number: results may not depend on
/// it.
static void bulkCopy(tile::BulkCopyOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  int64_t rows = op.getMap().getType().getRows(), columns = buffer.getColumns(),
          boxes = buffer.getRows() / rows, number = f.integer(op.getStage());
  if (!firstOf(buffer, number < 0 ? number : number / boxes, f)) {
    return;
  }
  Memory &source = f.memory(op.getMap());
  ArrayRef<int64_t> shape = source.contents().shape;
  int64_t row = f.integer(op.getRow()), column = f.integer(op.getColumn());
  if (row < 0 || column < 0) {
    f.fail() << "begins at [" << row << ", " << column << "]" << inBlock(f);
    return;
  }
  int64_t bytes = buffer.getElementBytes();
  constexpr int64_t together = 16; // bytes
  if (shape[0] > 1 && shape[1] * bytes % together != 0) {
    f.fail() << "copies of rows of " << shape[1] * bytes
             << " bytes, no multiple of " << together << inBlock(f);
    return;
  }
  Memory &into = f.memory(op.getBuffer());
  int64_t first = number * rows * columns;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      bool isInside = row + i < shape[0] && column + j < shape[1];
      int64_t place = (row + i) * shape[1] + column + j;
      double element = 0;
      if (isInside) {
        bool isWritten = !isUninitialised(source.contents().data[place]);
        element = isWritten ? readElement(source, place, f)
                            : std::numeric_limits<double>::quiet_NaN();
      }
      into.write(first + i * columns + j, element, f.tileBlock->number);
    }
  }
}

static void commit(tile::CommitOp, Frame &f) {
  f.tileBlock->groups.push_back(std::move(f.tileBlock->begun));
  f.tileBlock->begun.clear();
}

static void wait(tile::WaitOp op, Frame &f) {
  TileBlock &block = *f.tileBlock;
  while (block.groups.size() > size_t(op.getPending())) {
    for (const TileBlock::Copy &copy : block.groups.front()) {
      for (size_t element = 0; element < copy.stage.data.size(); ++element) {
        copy.buffer->write(copy.first + int64_t(element),
                           copy.stage.data[element], block.number);
      }
    }
    block.groups.pop_front();
  }
}

/// Where element (i, j) of a tile lies: buffer[stage, row + i, column + j].
/// None, with an error, where the tile is not inside.
template <typename OpTy>
static std::optional<std::function<int64_t(int64_t i, int64_t j)>>
placesIn(OpTy op, int64_t rows, int64_t columns, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  int64_t row = f.integer(op.getRow()), column = f.integer(op.getColumn());
  std::optional<int64_t> first = firstOf(buffer, f.integer(op.getStage()), f);
  if (!first) {
    return std::nullopt;
  }
  if (row < 0 || column < 0 || row + rows > buffer.getRows() ||
      column + columns > buffer.getColumns() || row % rows != 0 ||
      column % columns != 0) {
    f.fail() << "takes " << shapeText({rows, columns}) << " at "
             << shapeText({row, column}) << " of "
             << shapeText({buffer.getRows(), buffer.getColumns()})
             << inBlock(f);
    return std::nullopt;
  }
  return [=](int64_t i, int64_t j) {
    return *first + (row + i) * buffer.getColumns() + column + j;
  };
}

/// tile[i, j] = buffer[stage, row + i, column + j], or with `transposed`
/// buffer[stage, row + j, column + i]. A tile of one dimension is one row. With
/// `parts` n a row is n rows of the tile.
static void read(tile::ReadOp op, Frame &f) {
  ArrayRef<int64_t> shape = op.getTile().getType().getShape();
  Tensor tile(shape.size() == 1 ? SmallVector<int64_t>{1, shape[0]}
                                : SmallVector<int64_t>(shape));
  bool turned = op.getTransposed();
  auto repeats = int64_t(op.getParts().value_or(1));
  auto places = placesIn(op, tile.shape[turned ? 1 : 0] / repeats,
                         tile.shape[turned ? 0 : 1], f);
  if (!places) {
    return;
  }
  const Tensor &buffer = f.memory(op.getBuffer()).contents();
  for (int64_t i = 0; i < tile.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[1]; ++j) {
      int64_t place = turned ? (*places)(j, i) : (*places)(i / repeats, j);
      tile(i, j) = buffer.data[size_t(place)];
      if (isUninitialised(tile(i, j))) {
        f.fail() << "reads element " << indexText(buffer.shape, place)
                 << " of a buffer" << inBlock(f)
                 << ", which nothing has written, or a copy that is not waited "
                    "for";
        return;
      }
    }
  }
  f.set(op.getTile(), tile.reshaped(shape));
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

static void write(tile::WriteOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile());
  auto places = placesIn(op, tile.shape[0], tile.shape[1], f);
  if (f.failed()) {
    return;
  }
  for (int64_t i = 0; i < tile.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[1]; ++j) {
      f.memory(op.getBuffer())
          .write((*places)(i, j), tile(i, j), f.tileBlock->number);
    }
  }
}

static void dim(memref::DimOp op, Frame &f) {
  ArrayRef<int64_t> shape = f.memory(op.getSource()).contents().shape;
  int64_t d = f.integer(op.getIndex());
  if (d < 0 || d >= int64_t(shape.size())) {
    f.fail() << "asks for dimension " << d << " of " << shape.size();
    return;
  }
  f.set(op.getResult(), shape[size_t(d)]);
}

static void loadNumber(memref::LoadOp op, Frame &f) {
  Memory &memory = f.memory(op.getMemRef());
  SmallVector<int64_t> at;
  for (Value index : op.getIndices()) {
    at.push_back(f.integer(index));
  }
  std::optional<int64_t> place = offsetOf(memory.contents().shape, at);
  if (!place) {
    f.fail() << "asks for element " << shapeText(at) << " of "
             << shapeText(memory.contents().shape) << inBlock(f);
    return;
  }
  double element = readElement(memory, *place, f);
  if (!f.failed()) {
    f.set(op.getResult(), numberOf(element, op.getType()));
  }
}

void addTileMemory(Handlers &handlers) {
  handlers.add<tile::LoadOp>(load);
  handlers.add<tile::GatherOp>(gather);
  handlers.add<tile::StoreOp>(store);
  handlers.add<tile::ScatterOp>(scatter);
  handlers.add<tile::AllocOp>(alloc);
  handlers.add<tile::AsyncCopyOp>(asyncCopy);
  handlers.add<tile::CopyRowsOp>(copyRows);
  handlers.add<tile::FetchRowsOp>(fetchRows);
  handlers.add<tile::BulkCopyOp>(bulkCopy);
  handlers.add<tile::CommitOp>(commit);
  handlers.add<tile::WaitOp>(wait);
  handlers.add<tile::ReadOp>(read);
  handlers.add<tile::PickOp>(pick);
  handlers.add<tile::TallyOp>(tally);
  handlers.add<tile::WriteOp>(write);
  handlers.add<memref::DimOp>(dim);
  handlers.add<memref::LoadOp>(loadNumber);
}

} // namespace cheems::interpreter
