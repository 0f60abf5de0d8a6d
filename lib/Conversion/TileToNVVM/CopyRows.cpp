// cheems_tile.copy_rows. Pieces of `aligned` bytes are dealt to threads as
// those of async_copy; a thread reads the number of each of its rows once.
#include "GlobalTile.h"
#include "Patterns.h"
#include "SharedTile.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One of the two memrefs that rows come from. A first column that is constant
/// is no part of its addresses: copies of other columns share them.
struct RowSource {
  SmallVector<Value> offsets;
  GlobalOperands operands;

  RowSource(ThreadBuilder &t, CopyRowsOp op, Value memory, ValueRange parts,
            ValueRange given, ArrayRef<ValueRange> converted)
      : offsets(given),
        operands{cast<MemRefType>(memory.getType()),
                 parts,
                 op.getBuffer().getType().getShape().drop_front(),
                 op.getDims(),
                 offsets,
                 {},
                 {},
                 {}} {
    for (ValueRange offset : converted) {
      operands.offsets32.push_back(offset.front());
    }
    if (getConstantIntValue(offsets.back())) {
      operands.offsets32.back() = t.i32(0);
    }
  }

  /// The rows from row 0 on, and from a column of the tile on.
  GlobalTile from(ThreadBuilder &t, Value column) {
    return {t, operands, {t.i32(0), column}};
  }
};

/// Both of them, from where a thread's pieces of row 0 are on.
class ChosenRows {
public:
  ChosenRows(ThreadBuilder &t, int64_t split, GlobalTile source,
             GlobalTile other)
      : t(t), split(split), source(std::move(source)), other(std::move(other)),
        first(this->source.place({0, 0}).pointer),
        after(this->other.place({0, 0}).pointer) {
    std::optional<int64_t> bytes = this->source.bytesAlong(0);
    if (bytes && bytes == this->other.bytesAlong(0)) {
      // The second matrix begins where it would if its rows continued those of
      // the first one. No loop changes either beginning, so one select and one
      // multiplication find a row.
      rowBytes = *bytes;
      after = t.offset(after, wide(-split * rowBytes));
    }
  }

  Value pointer(Value number) {
    Value isFirst = t.less(number, t.i32(split));
    auto either = [&](Value a, Value c) -> Value {
      return arith::SelectOp::create(t.b, t.loc, isFirst, a, c);
    };
    return rowBytes != 0 ? t.offset(either(first, after), number, rowBytes)
                         : either(source.along(first, 0, number),
                                  other.along(after, 0, t.add(number, -split)));
  }

private:
  Value wide(int64_t number) {
    return arith::ConstantOp::create(t.b, t.loc, t.b.getI64IntegerAttr(number));
  }

  ThreadBuilder &t;
  int64_t split;
  GlobalTile source, other;
  Value first, after;
  int64_t rowBytes = 0; ///< of a row of each; 0: they differ, or may
};

/// The copies of one thread.
struct RowCopies {
  ThreadBuilder &t;
  CopyRowsOp op;
  RowSource source, other;
  SharedTile numbers, target;
  Value rowsExtent, columnsExtent, firstColumn;

  BufferType buffer() { return op.getBuffer().getType(); }
  int64_t aligned() { return int64_t(op.getAligned()); }

  /// Whether all rows or columns of the tile exist, whatever the arguments are.
  bool hasAllRows() {
    auto extent = getConstantIntValue(op.getExtents()[0]);
    return extent && buffer().getRows() <= *extent;
  }
  bool hasAllColumns() {
    auto extent = getConstantIntValue(op.getExtents()[1]);
    auto offset = getConstantIntValue(op.getOffsets().back());
    return extent && offset && *offset + buffer().getColumns() <= *extent;
  }

  /// Pieces of row `row` + `rows`, from `column` on, `step` elements apart.
  void copyRow(ChosenRows &chosen, Value row, int64_t rows, Value column,
               int64_t step) {
    constexpr int64_t numberBytes = sizeof(int32_t);
    Type i32 = t.b.getI32Type();
    Value number = loadShared(t,
                              numbers.pointer({Value(), t.mul(row, numberBytes),
                                               0, rows * numberBytes, Value()}),
                              i32, 1)
                       .front();
    Value from = chosen.pointer(number);
    Value rowExists =
        hasAllRows() ? Value() : t.less(t.add(row, rows), rowsExtent);
    int64_t bytes = buffer().getElementBytes();
    int64_t first = getConstantIntValue(op.getOffsets().back()).value_or(0);
    for (int64_t at = 0; at < buffer().getColumns(); at += step) {
      Value exists = rowExists;
      if (!hasAllColumns()) {
        Value place = t.add(t.add(firstColumn, column), at);
        exists = t.both(exists, t.less(place, columnsExtent));
      }
      Value to = target.pointer(
          {row, t.mul(column, bytes), rows, at * bytes, Value()});
      t.copyAsync(to, t.offset(from, (first + at) * bytes), aligned(), exists);
    }
  }

  /// Threads stand in a grid over rows and pieces: as many to a row as divide
  /// its pieces evenly.
  void run(int64_t threads) {
    int64_t elements = aligned() / buffer().getElementBytes();
    int64_t perRow = buffer().getRowBytes() / aligned();
    auto across = std::min<int64_t>(threads, perRow & -perRow);
    int64_t down = threads / across;
    Value number = t.thread();
    Value row = t.shiftRight(number, llvm::Log2_64(uint64_t(across)));
    Value column = t.mul(t.bitAnd(number, across - 1), elements);
    ChosenRows chosen(t, int64_t(op.getSplit()), source.from(t, column),
                      other.from(t, column));
    for (int64_t rows = 0; rows < buffer().getRows(); rows += down) {
      Value exists;
      if (rows + down > buffer().getRows()) {
        exists = t.less(t.add(row, rows), t.i32(buffer().getRows()));
      }
      storeSharedIf(t, exists, [&] {
        copyRow(chosen, row, rows, column, across * elements);
      });
    }
  }
};

struct LowerCopyRows : OpConversionPattern<CopyRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RowCopies copies{t,
                     op,
                     {t, op, op.getSource(), adaptor.getSource(),
                      op.getOffsets(), adaptor.getOffsets()},
                     {t, op, op.getOther(), adaptor.getOther(),
                      op.getOtherOffsets(), adaptor.getOtherOffsets()},
                     {t, op.getNumbers().getType(),
                      adaptor.getNumbers().front(),
                      adaptor.getNumbersStage().front()},
                     {t, op.getBuffer().getType(), adaptor.getBuffer().front(),
                      adaptor.getStage().front()},
                     adaptor.getExtents()[0].front(),
                     adaptor.getExtents()[1].front(),
                     adaptor.getOffsets().back().front()};
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    int64_t threads = tileThreadsOf(function);
    copies.run(threads);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateCopyRowsPatterns(const TypeConverter &types,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerCopyRows>(types, patterns.getContext());
}
