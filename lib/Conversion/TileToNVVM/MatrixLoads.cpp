// cheems_tile.read of fragments of 16 bits and of bytes by ldmatrix. An
// instruction loads four matrices of 8 rows of 16 bytes, or two; lanes 8 i to 8
// i + 7 say where the rows of matrix i begin.
#include "Patterns.h"
#include "SharedTile.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Rows of a matrix, and bytes of a row.
constexpr int64_t kMatrix = 8;
constexpr int64_t kRowBytes = 16;
constexpr int64_t kRegisterBytes = 4;

namespace {
/// A coordinate pair of the buffer: rows and columns.
struct Pair {
  int64_t row, column;
  Pair operator-(Pair other) const {
    return {row - other.row, column - other.column};
  }
  bool operator==(Pair other) const {
    return row == other.row && column == other.column;
  }
};

/// The load of a whole tile.
struct MatrixRead {
  ThreadBuilder &t;
  SharedTile &buffer;
  bool transposed;
  int64_t bytes; ///< of an element
  Pair extents;  ///< of the tile
  Value row;     ///< of the warp's first matrix
  Value column;  ///< the same
  SmallVector<Pair> matrices;
  int64_t rowConstant = 0; ///< that is to be added to the row

  /// How many matrices from `first` on one instruction loads: lanes find them
  /// by two steps, neither of which goes back.
  size_t together(size_t first) const {
    if (first + 4 > matrices.size()) {
      return 2;
    }
    Pair one = matrices[first + 1] - matrices[first];
    Pair two = matrices[first + 2] - matrices[first];
    bool forward =
        one.row >= 0 && one.column >= 0 && two.row >= 0 && two.column >= 0;
    return forward && matrices[first + 3] - matrices[first + 2] == one ? 4 : 2;
  }

  /// Returns the offset of matrix i of an instruction: bit 0 of i times `one`,
  /// bit 1 times `two`.
  Value stepped(Value matrix, int64_t one, int64_t two) {
    Value sum = t.mul(t.bitAnd(matrix, 1), one);
    return two == 0 ? sum : t.add(sum, t.mul(t.shiftRight(matrix, 1), two));
  }

  /// Registers of the matrices from `first` on.
  SmallVector<Value> load(size_t first, size_t count) {
    Pair begin = matrices[first];
    Pair one = matrices[first + 1] - begin;
    Pair two = count == 4 ? matrices[first + 2] - begin : Pair{0, 0};
    Value lane = t.lane();
    Value matrix = t.bitAnd(t.shiftRight(lane, 3), int64_t(count) - 1);
    Value down =
        t.add(t.bitAnd(lane, kMatrix - 1), stepped(matrix, one.row, two.row));
    Value across = stepped(matrix, one.column * bytes, two.column * bytes);
    SharedPlace place;
    place.row = t.add(row, down);
    place.columnBytes = t.mul(column, bytes);
    place.rowConstant = rowConstant + begin.row;
    place.columnConstant = begin.column * bytes;
    // Warps' parts of the tile begin at multiples of it, too, if the tile does.
    int64_t span = one.column + two.column + kRowBytes / bytes;
    if (extents.column % span == 0 && begin.column % span == 0) {
      place.columnBits = across;
    } else {
      place.columnBytes = t.add(place.columnBytes, across);
    }
    return issue(buffer.pointer(place), count);
  }

  SmallVector<Value> issue(Value pointer, size_t count) {
    OpBuilder &b = t.b;
    MLIRContext *context = b.getContext();
    Type i32 = b.getI32Type();
    auto result = LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(count, i32));
    Value loaded = NVVM::LdMatrixOp::create(
        b, t.loc, result, pointer, uint32_t(count),
        transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, int(kMatrix), int(kMatrix)),
        NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words;
    for (int64_t at = 0; at < int64_t(count); ++at) {
      words.push_back(LLVM::ExtractValueOp::create(b, t.loc, loaded, at));
    }
    return words;
  }
};

struct LowerMatrixRead : OpConversionPattern<ReadOp> {
  LowerMatrixRead(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getTile().getType();
    BufferType type = op.getBuffer().getType();
    auto fragment = dyn_cast<FragmentAttr>(tile.getEncoding());
    int64_t bytes = tile.getElementTypeBitWidth() / 8;
    if (!fragment || bytes == 0 || op.getParts() ||
        fragment.getKWidth() * bytes != kRegisterBytes ||
        type.getRowBytes() % kRowBytes != 0) {
      return rewriter.notifyMatchFailure(op, "is no fragment of matrices");
    }
    ThreadBuilder t(rewriter, op.getLoc());
    SharedTile buffer(t, type, adaptor.getBuffer(), adaptor.getStage());
    bool transposed = op.getTransposed();
    auto inBuffer = [&](ArrayRef<int64_t> at) {
      return transposed ? Pair{at[1], at[0]} : Pair{at[0], at[1]};
    };
    SmallVector<Value> warp =
        t.placeOf(tile, t.bitAnd(t.thread(), -kWarpThreads));
    MatrixRead read{t,  buffer, transposed, bytes, perWarp(tile, inBuffer),
                    {}, {},     {}};
    read.row = t.add(adaptor.getRow(), warp[transposed ? 1 : 0]);
    read.column = t.add(adaptor.getColumn(), warp[transposed ? 0 : 1]);
    // A matrix is a register.
    auto indices = fragment.getElements(tile.getShape());
    for (size_t at = 0; at < indices.size();
         at += size_t(fragment.getKWidth())) {
      read.matrices.push_back(inBuffer(indices[at]));
    }
    SmallVector<Value> words;
    while (words.size() < read.matrices.size()) {
      size_t first = words.size();
      llvm::append_range(words, read.load(first, read.together(first)));
    }
    rewriter.replaceOp(op, t.vector(t.fromWords(words, tile.getElementType())));
    return success();
  }

private:
  /// What one warp holds, as extents in the buffer.
  static Pair perWarp(RankedTensorType tile,
                      function_ref<Pair(ArrayRef<int64_t>)> inBuffer) {
    auto fragment = cast<FragmentAttr>(tile.getEncoding());
    int64_t rows = fragment.getRole() == FragmentRole::B ? fragment.getWarpsN()
                                                         : fragment.getWarpsM();
    int64_t columns = fragment.getRole() == FragmentRole::C
                          ? fragment.getWarpsN()
                          : fragment.getWarpsK();
    return inBuffer({tile.getDimSize(0) / rows, tile.getDimSize(1) / columns});
  }
};
} // namespace

void tile::populateMatrixLoadPatterns(const TypeConverter &types,
                                      RewritePatternSet &patterns) {
  patterns.add<LowerMatrixRead>(types, patterns.getContext());
}
