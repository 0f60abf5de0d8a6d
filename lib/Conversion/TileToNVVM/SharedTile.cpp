// Addresses in shared memory. Swizzling changes bits 4 to 6 of a column in
// bytes, by the row.
#include "SharedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

constexpr int64_t kPieceBytes = 16;
/// Rows after which every swizzle repeats.
constexpr int64_t kSwizzlePeriod = 8;

SharedTile::SharedTile(ThreadBuilder &t, BufferType type, Value offset,
                       Value stage)
    : t(t), type(type),
      begin(type.getStages() == 1
                ? offset
                : t.add(offset, t.mul(stage, type.getStageBytes()))) {}

Value SharedTile::pointer(const SharedPlace &place) {
  Value row = place.row ? place.row : t.i32(0);
  Value column = place.columnBytes ? place.columnBytes : t.i32(0);
  int64_t constant = place.rowConstant * type.getRowBytes();
  // The stage comes last: the place within it is the same in each step of a
  // loop, and is computed before.
  auto within = [&](Value column) {
    Value place = t.add(t.mul(row, type.getRowBytes()), column);
    return t.offset(t.shared(place), begin);
  };
  int64_t pieces = type.getSwizzlePieces();
  if (pieces == 1) {
    if (place.columnBits) {
      column = t.add(column, place.columnBits);
    }
    return t.offset(within(column), constant + place.columnConstant);
  }
  // A multiple of the period leaves the swizzle as it is.
  Value turned = t.add(row, place.rowConstant % kSwizzlePeriod);
  Value piece = t.bitAnd(
      t.shiftRight(turned, llvm::Log2_64(uint64_t(type.getSwizzleRows()))),
      pieces - 1);
  if (type.turnsSwizzle()) {
    piece = t.add(t.mul(t.bitAnd(piece, pieces / 2 - 1), 2),
                  t.shiftRight(piece, llvm::Log2_64(uint64_t(pieces / 2))));
  }
  Value bits = t.mul(piece, kPieceBytes);
  if (place.columnBits) {
    bits = t.bitXor(bits, place.columnBits);
  }
  column = t.bitXor(t.add(column, place.columnConstant), bits);
  return t.offset(within(column), constant);
}

int64_t tile::constantRow(Value row) {
  return getConstantIntValue(row).value_or(0);
}

int64_t SharedTile::accessWidth(BufferType type,
                                TileLayoutAttrInterface layout) {
  int64_t bytes =
      std::min(layout.getVectorWidth() * type.getElementBytes(), kPieceBytes);
  // Every row begins at a multiple of the bytes of an access.
  while (type.getRowBytes() % bytes != 0) {
    bytes /= 2;
  }
  return bytes / type.getElementBytes();
}

SmallVector<Value> tile::loadShared(ThreadBuilder &t, Value pointer,
                                    Type element, int64_t count) {
  int64_t bytes = count * element.getIntOrFloatBitWidth() / 8;
  Type word = t.wordType(element, bytes);
  auto type = VectorType::get({bytes * 8 / word.getIntOrFloatBitWidth()}, word);
  Value words =
      LLVM::LoadOp::create(t.b, t.loc, type, pointer, unsigned(bytes));
  return t.fromWords(t.elements(words), element);
}

void tile::storeShared(ThreadBuilder &t, Value pointer,
                       ArrayRef<Value> elements) {
  int64_t bytes = int64_t(elements.size()) *
                  elements[0].getType().getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(t.b, t.loc, t.vector(t.toWords(elements)), pointer,
                        unsigned(bytes));
}

void tile::storeSharedIf(ThreadBuilder &t, Value condition,
                         function_ref<void()> stores) {
  if (!condition) {
    stores();
    return;
  }
  auto branch = scf::IfOp::create(t.b, t.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(t.b);
  t.b.setInsertionPointToStart(branch.thenBlock());
  stores();
}
