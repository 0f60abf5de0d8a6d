// cheems_tile.convert_layout and sum_partials: elements change threads, through
// scratch in shared memory.
#include "Patterns.h"
#include "SharedTile.h"
#include <numeric>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Columns that stay together: what an accumulator's row has in a warp.
constexpr int64_t kPiece = 8;
/// Bytes of all banks.
constexpr int64_t kBanks = 128;

namespace {
/// A tile of two dimensions, or one of one dimension as a row, in scratch. The
/// pieces of a row are in another order in each row, so that neighbouring rows
/// of a column are in different banks.
class Scratch {
public:
  /// It begins at a byte that threads compute, as `offset` says.
  Scratch(ThreadBuilder &t, RankedTensorType tile, Value offset)
      : t(t), columns(tile.getShape().back()), offset(offset) {
    Type type = tile.getElementType();
    // Conditions are bytes.
    isCondition = type.isInteger(1);
    element = isCondition ? Type(t.b.getI8Type()) : type;
    bytes = element.getIntOrFloatBitWidth() / 8;
    int64_t all = kBanks / (kPiece * bytes), inRow = columns / kPiece;
    while (columns % kPiece == 0 && orders < all && inRow % (2 * orders) == 0) {
      orders *= 2;
    }
    // So many rows lie in different banks by themselves.
    sameRows = kBanks / std::gcd(columns * bytes, kBanks);
  }

  void write(RankedTensorType tile, ArrayRef<Value> elements) {
    forEach(tile, 0, [&](Value pointer, int64_t at, int64_t width) {
      SmallVector<Value> stored;
      for (int64_t next = 0; next < width; ++next) {
        stored.push_back(widened(elements[size_t(at + next)]));
      }
      if (isCondition) {
        LLVM::StoreOp::create(t.b, t.loc, stored[0], pointer, 1);
      } else {
        storeShared(t, pointer, stored);
      }
    });
  }

  /// Reads tile number `slab` of those that lie one after the other.
  SmallVector<Value> read(RankedTensorType tile, int64_t slab = 0) {
    SmallVector<Value> elements;
    int64_t begin = slab * tile.getNumElements() * bytes;
    forEach(tile, begin, [&](Value pointer, int64_t, int64_t width) {
      if (isCondition) {
        elements.push_back(arith::TruncIOp::create(
            t.b, t.loc, t.b.getI1Type(),
            LLVM::LoadOp::create(t.b, t.loc, element, pointer, 1)));
      } else {
        llvm::append_range(elements, loadShared(t, pointer, element, width));
      }
    });
    return elements;
  }

private:
  Value widened(Value value) {
    return value.getType() == element
               ? value
               : arith::ExtUIOp::create(t.b, t.loc, element, value).getResult();
  }

  /// The address of what is at (row, column) from the thread's first element.
  Value address(Value firstRow, Value firstColumn, int64_t row,
                int64_t column) {
    int64_t apart = row * columns, together = column;
    Value at = firstColumn;
    if (orders > 1) {
      // Whole rounds of the orders change nothing.
      together = column / (kPiece * orders) * kPiece * orders;
      Value turned = t.add(firstRow, row % (sameRows * orders));
      Value order = t.bitAnd(
          t.shiftRight(turned, llvm::Log2_64(uint64_t(sameRows))), orders - 1);
      at =
          t.bitXor(t.add(firstColumn, column - together), t.mul(order, kPiece));
    }
    Value number = t.add(t.mul(firstRow, columns), at);
    Value pointer = t.shared(t.add(offset, t.mul(number, bytes)));
    return t.offset(pointer, (apart + together) * bytes);
  }

  /// Accesses: the address, the first element, and how many.
  void forEach(RankedTensorType tile, int64_t begin,
               function_ref<void(Value, int64_t, int64_t)> access) {
    TileLayoutAttrInterface layout = layoutOf(tile);
    int64_t width =
        isCondition ? 1 : std::min(layout.getVectorWidth(), 16 / bytes);
    while (columns % width != 0) {
      width /= 2;
    }
    SmallVector<Value> place = t.place(tile);
    bool isRow = tile.getRank() == 1;
    Value row = isRow ? t.i32(0) : place[0];
    auto indices = layout.getElements(tile.getShape());
    for (int64_t at = 0; at < int64_t(indices.size()); at += width) {
      const auto &element = indices[size_t(at)];
      Value pointer =
          address(row, place.back(), isRow ? 0 : element[0], element.back());
      access(t.offset(pointer, begin), at, width);
    }
  }

  ThreadBuilder &t;
  int64_t columns, bytes;
  int64_t orders = 1;   ///< in how many orders the pieces of a row may be
  int64_t sameRows = 1; ///< neighbouring rows with one order
  bool isCondition;     ///< a byte each
  Type element;
  Value offset;
};

struct LowerConvertLayout : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType from = op.getTile().getType(),
                     to = op.getResult().getType();
    SmallVector<Value> elements = t.elements(adaptor.getTile());
    if (op.getScratchBytes() == 0) {
      return inThreads(op, elements, t, rewriter);
    }
    Scratch scratch(t, from, t.i32(int64_t(*op.getScratch())));
    t.barrier();
    storeSharedIf(t, t.isFirstHolder(from),
                  [&] { scratch.write(from, elements); });
    t.barrier();
    rewriter.replaceOp(op, t.vector(scratch.read(to)));
    return success();
  }

private:
  /// Each thread has all it needs, in another order: the same one in all
  /// threads.
  static LogicalResult inThreads(ConvertLayoutOp op, ArrayRef<Value> elements,
                                 ThreadBuilder &t,
                                 ConversionPatternRewriter &rewriter) {
    RankedTensorType from = op.getTile().getType(),
                     to = op.getResult().getType();
    SmallVector<size_t> order;
    auto sources = coordinatesOf(from, 0);
    for (const auto &place : coordinatesOf(to, 0)) {
      order.push_back(size_t(llvm::find(sources, place) - sources.begin()));
    }
    int64_t threads = layoutOf(from).getWarpCount() * kWarpThreads;
    for (int64_t thread = 1; thread < threads; ++thread) {
      auto source = coordinatesOf(from, thread);
      auto target = coordinatesOf(to, thread);
      for (size_t at = 0; at < order.size(); ++at) {
        if (source[order[at]] != target[at]) {
          return op.emitOpError("between layouts whose threads hold the same "
                                "elements in orders that differ by thread has "
                                "no code");
        }
      }
    }
    rewriter.replaceOp(op, t.vector(llvm::map_to_vector(order, [&](size_t at) {
      return elements[at];
    })));
    return success();
  }
};

struct LowerSumPartials : OpConversionPattern<SumPartialsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SumPartialsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType from = op.getPartials().getType(),
                     to = op.getResult().getType();
    auto fragment = cast<FragmentAttr>(from.getEncoding());
    int64_t slab = from.getNumElements() * from.getElementTypeBitWidth() / 8;
    int64_t begin = int64_t(*op.getScratch());
    // Warps of one k are neighbours, and write a slab.
    Value part = t.shiftRight(
        t.thread(), llvm::Log2_64(uint64_t(kWarpThreads * fragment.getWarpsM() *
                                           fragment.getWarpsN())));
    Scratch written(t, from, t.add(t.mul(part, slab), begin));
    t.barrier();
    written.write(from, t.elements(adaptor.getPartials()));
    t.barrier();
    Scratch all(t, to, t.i32(begin));
    SmallVector<Value> sums = all.read(to);
    for (int64_t k = 1; k < fragment.getWarpsK(); ++k) {
      for (auto [sum, next] : llvm::zip_equal(sums, all.read(to, k))) {
        sum = sum.getType().isInteger(32)
                  ? t.add(sum, next)
                  : arith::AddFOp::create(t.b, t.loc, sum, next).getResult();
      }
    }
    rewriter.replaceOp(op, t.vector(sums));
    return success();
  }
};
} // namespace

void tile::populateExchangePatterns(const TypeConverter &types,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerConvertLayout, LowerSumPartials>(types,
                                                     patterns.getContext());
}
