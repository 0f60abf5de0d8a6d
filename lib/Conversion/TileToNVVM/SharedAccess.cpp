// cheems_tile.read, pick, tally and write by plain vector accesses.
#include "Patterns.h"
#include "SharedTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Returns where a thread's first element is, for a tile at (row, column) of a
/// stage. A tile of one dimension is a part of a row.
/// \param constant of the row: see constantRow.
static SharedPlace firstPlace(ThreadBuilder &t, RankedTensorType tile,
                              Value row, Value column, int64_t constant) {
  SmallVector<Value> place = t.place(tile);
  int64_t bytes = tile.getElementTypeBitWidth() / 8;
  SharedPlace first;
  first.row = constant != 0 ? Value() : row;
  if (tile.getRank() != 1) {
    first.row = constant != 0 ? place[0] : t.add(row, place[0]);
  }
  first.rowConstant = constant;
  first.columnBytes = t.mul(t.add(column, place.back()), bytes);
  return first;
}

static SharedPlace moved(SharedPlace first, ArrayRef<int64_t> at,
                         int64_t bytes) {
  first.rowConstant += at.size() == 1 ? 0 : at[0];
  first.columnConstant = at.back() * bytes;
  return first;
}

namespace {
struct LowerRead : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getTransposed()) {
      return op.emitOpError("transposed needs rows of a multiple of 16 bytes");
    }
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getTile().getType();
    BufferType type = op.getBuffer().getType();
    SharedTile buffer(t, type, adaptor.getBuffer(), adaptor.getStage());
    SharedPlace first =
        firstPlace(t, tile, adaptor.getRow(), adaptor.getColumn(),
                   constantRow(op.getRow()));
    if (std::optional<int64_t> rows = op.getParts()) {
      first.row =
          t.add(adaptor.getRow(),
                t.shiftRight(t.place(tile)[0], llvm::Log2_64(uint64_t(*rows))));
      first.rowConstant = 0;
    }
    int64_t width = SharedTile::accessWidth(type, layoutOf(tile));
    auto indices = layoutOf(tile).getElements(tile.getShape());
    SmallVector<Value> elements;
    for (size_t at = 0; at < indices.size(); at += size_t(width)) {
      SmallVector<int64_t> place = indices[at];
      if (op.getParts()) { // all rows of a thread are one
        place[0] = 0;
      }
      Value pointer =
          buffer.pointer(moved(first, place, type.getElementBytes()));
      llvm::append_range(elements,
                         loadShared(t, pointer, tile.getElementType(), width));
    }
    rewriter.replaceOp(op, t.vector(elements));
    return success();
  }
};

struct LowerPick : OpConversionPattern<PickOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PickOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType type = op.getBuffer().getType();
    SharedTile buffer(t, type, adaptor.getBuffer(), adaptor.getStage());
    SmallVector<Value> elements;
    for (auto [row, column] : llvm::zip_equal(
             t.elements(adaptor.getRows()), t.elements(adaptor.getColumns()))) {
      SharedPlace place;
      place.row = row;
      place.columnBytes = t.mul(column, type.getElementBytes());
      llvm::append_range(elements, loadShared(t, buffer.pointer(place),
                                              type.getElementType(), 1));
    }
    rewriter.replaceOp(op, t.vector(elements));
    return success();
  }
};

/// A reduction that is predicated: a branch would part the threads of a warp.
struct LowerTally : OpConversionPattern<TallyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TallyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType type = op.getBuffer().getType();
    SharedTile buffer(t, type, adaptor.getBuffer(), adaptor.getStage());
    for (auto [row, column] : llvm::zip_equal(
             t.elements(adaptor.getRows()), t.elements(adaptor.getColumns()))) {
      SharedPlace place;
      place.row = row;
      place.columnBytes = t.mul(column, type.getElementBytes());
      Value address = LLVM::PtrToIntOp::create(t.b, t.loc, t.b.getI32Type(),
                                               buffer.pointer(place));
      LLVM::InlineAsmOp::create(
          t.b, t.loc, TypeRange(),
          ValueRange{address, t.less(column, t.i32(int64_t(op.getBelow())))},
          "@$1 red.relaxed.cta.shared.add.u32 [$0], 1;", "r,b,~{memory}",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerWrite : OpConversionPattern<WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getTile().getType();
    BufferType type = op.getBuffer().getType();
    SharedTile buffer(t, type, adaptor.getBuffer(), adaptor.getStage());
    SharedPlace first =
        firstPlace(t, tile, adaptor.getRow(), adaptor.getColumn(),
                   constantRow(op.getRow()));
    auto width = size_t(SharedTile::accessWidth(type, layoutOf(tile)));
    auto indices = layoutOf(tile).getElements(tile.getShape());
    storeSharedIf(t, t.isFirstHolder(tile), [&] {
      SmallVector<Value> elements = t.elements(adaptor.getTile());
      for (size_t at = 0; at < indices.size(); at += width) {
        Value pointer =
            buffer.pointer(moved(first, indices[at], type.getElementBytes()));
        storeShared(t, pointer, ArrayRef<Value>(elements).slice(at, width));
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateSharedPatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerRead, LowerPick, LowerTally, LowerWrite>(
      types, patterns.getContext());
  populateMatrixLoadPatterns(types, patterns);
}
