// cheems_tile.fetch_rows. A thread copies the pieces of `aligned` bytes that it
// holds of the tile.
#include "GlobalTile.h"
#include "Patterns.h"
#include "SharedTile.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
struct LowerFetchRows : OpConversionPattern<FetchRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    RankedTensorType rows = op.getRows().getType();
    auto layout = cast<SliceAttr>(rows.getEncoding()).getOf();
    auto tile = RankedTensorType::get(buffer.getShape().drop_front(),
                                      buffer.getElementType(), layout);
    SharedTile target(t, buffer, adaptor.getBuffer().front(),
                      adaptor.getStage().front());
    SmallVector<Value> first = t.place(tile);
    int64_t bytes = buffer.getElementBytes(), aligned = op.getAligned();
    auto indices = layout.getElements(tile.getShape());
    auto held = layoutOf(rows).getElements(rows.getShape());
    SmallVector<Value> numbers = t.elements(adaptor.getRows().front());
    for (auto [chosenPlace, number] : llvm::zip_equal(held, numbers)) {
      ChosenPart chosen(t, op, adaptor, tile.getShape(), number);
      GlobalTile memory(t, chosen.operands, {t.i32(0), first[1]});
      for (size_t at = 0; at < indices.size(); at += size_t(aligned / bytes)) {
        if (indices[at][0] != chosenPlace[0]) {
          continue;
        }
        int64_t along[] = {0, indices[at][1]};
        GlobalTile::Place from = memory.place(along);
        Value to = target.pointer({first[0], t.mul(first[1], bytes),
                                   indices[at][0], along[1] * bytes, Value()});
        t.copyAsync(to, t.offset(from.pointer, from.bytes), aligned,
                    memory.exists(along));
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateFetchRowsPatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerFetchRows>(types, patterns.getContext());
}
