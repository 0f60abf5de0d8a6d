// Interprets the ops that move tiles between memory of the GPU, shared memory
// and registers. It skips the elements that their guards exclude, and checks
// what the ops promise.
#include "Elements.h"
#include "Handlers.h"
#include "Memory.h"
#include "TileAccess.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems::interpreter {
using namespace mlir;

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
  auto indices = placesIn(op, tile.shape[turned ? 1 : 0] / repeats,
                          tile.shape[turned ? 0 : 1], f);
  if (!indices) {
    return;
  }
  const Tensor &buffer = f.memory(op.getBuffer()).contents();
  for (int64_t i = 0; i < tile.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[1]; ++j) {
      int64_t place = turned ? (*indices)(j, i) : (*indices)(i / repeats, j);
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

static void write(tile::WriteOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile());
  auto indices = placesIn(op, tile.shape[0], tile.shape[1], f);
  if (f.failed()) {
    return;
  }
  for (int64_t i = 0; i < tile.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[1]; ++j) {
      f.memory(op.getBuffer())
          .write((*indices)(i, j), tile(i, j), f.tileBlock->number);
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
  handlers.add<tile::StoreOp>(store);
  handlers.add<tile::AsyncCopyOp>(asyncCopy);
  handlers.add<tile::CommitOp>(commit);
  handlers.add<tile::WaitOp>(wait);
  handlers.add<tile::ReadOp>(read);
  handlers.add<tile::WriteOp>(write);
  handlers.add<memref::DimOp>(dim);
  handlers.add<memref::LoadOp>(loadNumber);
}

} // namespace cheems::interpreter
