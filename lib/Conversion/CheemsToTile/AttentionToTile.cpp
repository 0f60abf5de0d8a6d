// Attention: one launch stores the step's entries, further ones attend.
#include "AttentionKernels.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The greatest head that registers and shared memory have room for.
constexpr int64_t kMostHeadSize = 256;

std::optional<StringRef> cheems::tile::whyNoKernel(SegmentedAttentionOp op) {
  Type stored = op.getKeys().getType().getElementType();
  if (op.getKind() != MaskKind::Bias) {
    return "has a mask of a kind other than bias";
  }
  if (op.getKeep()) {
    return "keeps a window of entries";
  }
  if (!stored.isBF16() && !stored.isF32()) {
    return "stores entries of 8 bits";
  }
  if (op.getHeadSize() > kMostHeadSize || op.getHeadSize() % 2 != 0) {
    return "has heads of an odd size, or of more than 256";
  }
  return std::nullopt;
}

namespace {
struct AttentionToTile : ToKernel<SegmentedAttentionOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(SegmentedAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AttentionShape shape(op);
    ValueRange pools = storeEntries(b, op, shape);
    Value y = shape.oneRow && !shape.stored.isF32()
                  ? attendInPieces(b, op, shape, pools)
                  : attend(b, op, shape, pools);
    SmallVector<Value> results = {y};
    llvm::append_range(results, pools);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static Value segmentsOf(ImplicitLocOpBuilder &b, SegmentedAttentionOp op) {
    return tilesOf(b, op.getSegments(), 0, 1);
  }
  /// How many blocks of rows the longest segment may have.
  static Value blocksOfRows(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
                            int64_t rows) {
    return op.getOneRow() ? arith::ConstantIndexOp::create(b, 1).getResult()
                          : tilesOf(b, op.getQuery(), 0, rows);
  }
  static Value count(ImplicitLocOpBuilder &b, int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  static SmallVector<Type> argumentsFor(ValueRange operands) {
    SmallVector<Type> types;
    for (Value operand : operands) {
      types.push_back(isa<ShapedType>(operand.getType())
                          ? Type(argumentFor(operand.getType(), 1))
                          : operand.getType());
    }
    return types;
  }

  ValueRange storeEntries(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
                          const AttentionShape &shape) const {
    SmallVector<Value> inputs = {op.getKey(), op.getValue(), op.getMask(),
                                 op.getSegments(), op.getLayer()};
    SmallVector<Value> pools = {op.getKeys(), op.getValues(), op.getMasks()};
    SmallVector<Value> operands(inputs);
    llvm::append_range(operands, pools);
    RowStrategy s = strategy.entries(shape.size, shape.oneRow);
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "store_entries", argumentsFor(operands),
                    s.warps(), [&](TileBuilder &t, ValueRange m) {
                      AttentionMemory memory{m[3], m[4], m[5], m[6], m[7]};
                      buildStoreEntries(t, s, shape, memory, m[0], m[1], m[2]);
                    });
    return launch(b, kernel,
                  {blocksOfRows(b, op, s.tileRows()),
                   count(b, shape.stateHeads), segmentsOf(b, op)},
                  inputs, pools)
        .getResults();
  }

  /// Blocks of rows.
  Value attend(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
               const AttentionShape &shape, ValueRange pools) const {
    bool isExact = shape.stored.isF32();
    AttentionStrategy s = isExact
                              ? strategy.attentionF32(shape.size, shape.oneRow)
                              : strategy.attention(shape.size);
    SmallVector<Value> inputs = {op.getQuery(), op.getSegments(), op.getLayer(),
                                 pools[0],      pools[1],         pools[2]};
    SmallVector<Value> operands(inputs);
    operands.push_back(op.getY());
    FlatSymbolRefAttr kernel = kernels.get(
        op.getLoc(), isExact ? "attention_f32" : "attention",
        argumentsFor(operands), s.warps(), [&](TileBuilder &t, ValueRange m) {
          AttentionMemory memory{m[1], m[2], m[3], m[4], m[5]};
          (isExact ? buildAttentionF32 : buildAttention)(t, s, shape, memory,
                                                         m[0], m[6]);
        });
    return launch(b, kernel,
                  {blocksOfRows(b, op, s.rows), count(b, shape.queryHeads),
                   segmentsOf(b, op)},
                  inputs, op.getY())
        .getResult(0);
  }

  /// Pieces of one row's entries each.
  Value attendInPieces(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
                       const AttentionShape &shape, ValueRange pools) const {
    AttentionStrategy s = strategy.attentionOfOneRow(shape.size);
    Value segments = segmentsOf(b, op);
    Value pieces = tilesOf(b, op.getKeys(), 3, s.entries);
    SmallVector<OpFoldResult> extents = {
        segments, b.getIndexAttr(shape.queryHeads), pieces};
    Type f32 = b.getF32Type();
    SmallVector<Value> partial = {tensor::EmptyOp::create(b, extents, f32),
                                  tensor::EmptyOp::create(b, extents, f32)};
    extents.push_back(b.getIndexAttr(shape.size));
    partial.push_back(tensor::EmptyOp::create(b, extents, f32));
    SmallVector<Value> inputs = {op.getQuery(), op.getSegments(), op.getLayer(),
                                 pools[0],      pools[1],         pools[2]};
    SmallVector<Value> operands(inputs);
    llvm::append_range(operands, partial);
    FlatSymbolRefAttr kernel = kernels.get(
        op.getLoc(), "attention_of_one_row", argumentsFor(operands), s.warps(),
        [&](TileBuilder &t, ValueRange m) {
          AttentionMemory memory{m[1], m[2], m[3], m[4], m[5]};
          buildAttentionOfOneRow(t, s, shape, memory, m[0], {m[6], m[7], m[8]});
        });
    int64_t blocks = llvm::divideCeil(shape.queriesPerState(), s.rows);
    auto made = launch(b, kernel,
                       {pieces, count(b, shape.stateHeads * blocks), segments},
                       inputs, partial);
    return merge(b, op, shape, s.entries, segments, made.getResults());
  }

  Value merge(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
              const AttentionShape &shape, int64_t entriesPerPiece,
              Value segments, ValueRange partial) const {
    RowStrategy s = strategy.wholeRows(shape.size);
    SmallVector<Value> inputs = {op.getSegments()};
    llvm::append_range(inputs, partial);
    SmallVector<Value> operands(inputs);
    operands.push_back(op.getY());
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "merge_pieces", argumentsFor(operands),
                    s.warps(), [&](TileBuilder &t, ValueRange m) {
                      buildMergePieces(t, s, shape, entriesPerPiece, m[0],
                                       {m[1], m[2], m[3]}, m[4]);
                    });
    return launch(b, kernel, {count(b, shape.queryHeads), segments}, inputs,
                  op.getY())
        .getResult(0);
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelContext kit) {
  patterns.add<AttentionToTile>(patterns.getContext(), kit);
}
