// cheems_tile.async_copy, commit, wait and barrier. Pieces of `aligned` bytes
// are dealt to threads so that neighbours copy neighbouring pieces of a row.
#include "GlobalTile.h"
#include "Patterns.h"
#include "SharedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The copies of one thread.
struct Copy {
  ThreadBuilder &t;
  AsyncCopyOp op;
  const GlobalOperands &operands;
  SharedTile &target;
  BufferType buffer;

  int64_t aligned() { return int64_t(op.getAligned()); }

  /// The piece in the row and column (of elements) of which a thread's part
  /// begins, and constants beyond it.
  void piece(GlobalTile &source, Value row, Value column, int64_t rows,
             int64_t columns) {
    SmallVector<int64_t> at = {rows, columns};
    GlobalTile::Place from = source.place(at);
    int64_t bytes = buffer.getElementBytes();
    Value to = target.pointer(
        {row, t.mul(column, bytes), rows, columns * bytes, Value()});
    Value exists = source.exists(at);
    t.copyAsync(to, t.offset(from.pointer, from.bytes), aligned(), exists);
  }

  /// Pieces whose row and column have to be divided out, one after the other.
  void scattered(int64_t threads, int64_t pieces, int64_t perRow) {
    int64_t elements = aligned() / buffer.getElementBytes();
    for (int64_t done = 0; done < pieces; done += threads) {
      Value number = t.add(t.thread(), done);
      Value row = arith::DivUIOp::create(t.b, t.loc, number, t.i32(perRow));
      Value piece = arith::RemUIOp::create(t.b, t.loc, number, t.i32(perRow));
      Value column = t.mul(piece, elements);
      Value remains;
      if (done + threads > pieces) {
        remains = t.less(number, t.i32(pieces));
      }
      storeSharedIf(t, remains, [&] {
        GlobalTile source(t, operands, {row, column});
        this->piece(source, row, column, 0, 0);
      });
    }
  }

  void run(int64_t threads) {
    int64_t elements = aligned() / buffer.getElementBytes();
    int64_t perRow = buffer.getRowBytes() / aligned();
    int64_t pieces = buffer.getRows() * perRow;
    if (!llvm::isPowerOf2_64(uint64_t(perRow))) {
      return scattered(threads, pieces, perRow);
    }
    // Threads stand in a grid over rows and pieces; each takes every so-manieth
    // row and piece.
    int64_t across = std::min(threads, perRow);
    int64_t down = threads / across;
    Value number = t.thread();
    Value row = t.shiftRight(number, llvm::Log2_64(uint64_t(across)));
    Value column = t.mul(t.bitAnd(number, across - 1), elements);
    GlobalTile source(t, operands, {row, column});
    int64_t whole = buffer.getRows() / down * down;
    for (int64_t rows = 0; rows < whole; rows += down) {
      for (int64_t piece = 0; piece < perRow; piece += across) {
        this->piece(source, row, column, rows, piece * elements);
      }
    }
    if (whole == buffer.getRows()) {
      return;
    }
    storeSharedIf(t, t.less(t.add(row, whole), t.i32(buffer.getRows())), [&] {
      GlobalTile last(t, operands, {row, column});
      for (int64_t piece = 0; piece < perRow; piece += across) {
        this->piece(last, row, column, whole, piece * elements);
      }
    });
  }
};

struct LowerAsyncCopy : OpConversionPattern<AsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType buffer = op.getBuffer().getType();
    GlobalOperands operands = globalOperands(
        op, cast<MemRefType>(op.getSource().getType()), adaptor.getSource(),
        buffer.getShape().drop_front(), adaptor);
    SharedTile target(t, buffer, adaptor.getBuffer().front(),
                      adaptor.getStage().front());
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    int64_t threads = tileThreadsOf(function);
    Copy{t, op, operands, target, buffer}.run(threads);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCommit : OpConversionPattern<CommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct LowerWait : OpConversionPattern<WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(
        op, uint32_t(op.getPending()));
    return success();
  }
};

struct LowerBarrier : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};
} // namespace

void tile::populateAsyncCopyPatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerAsyncCopy, LowerCommit, LowerWait, LowerBarrier>(
      types, patterns.getContext());
}
