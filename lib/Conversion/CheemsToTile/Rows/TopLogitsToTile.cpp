// The best logits of rows: blocks find those of pieces, and one block per row
// finds the best of these.
#include "Patterns.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Columns are numbers of f32, because maxima are: so many are exact.
constexpr int64_t kMostVocabulary = 1 << 24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

static int64_t piecesOf(TopLogitsOp op, TopLogitsStrategyAttr strategy) {
  return llvm::divideCeil(op.getVocabulary(),
                          strategy.getPieces().getColumns());
}

std::optional<std::string>
cheems::tile::whyNoKernel(TopLogitsOp op, TopLogitsStrategyAttr strategy) {
  if (op.getVocabulary() > kMostVocabulary) {
    return "has rows of more than 2^24 logits";
  }
  if (piecesOf(op, strategy) * op.getCount() > kMostCandidates) {
    return "wants too many of each row's logits";
  }
  return std::nullopt;
}

namespace {
/// Logits of some rows, and the negatives of their columns, so that a maximum
/// is the lowest column.
struct NumberedLogits {
  /// What is below all negatives: no column.
  static constexpr double kNone = -2.0 * kMostVocabulary;

  Value values, columns;

  RankedTensorType type() const {
    return cast<RankedTensorType>(values.getType());
  }

  /// Where `isThere` is not, nothing can be found.
  void drop(TileBuilder &t, Value isThere) {
    values = t.select(isThere, values, t.fill(type(), -kInfinity));
    columns = t.select(isThere, columns, t.fill(type(), kNone));
  }

  /// Finds the best ones in order. `store` gets a logit and a negative per row.
  void find(TileBuilder &t, int64_t count,
            function_ref<void(Value number, Value logit, Value column)> store) {
    t.loop(t.index(0), t.index(count), 1, {values, columns},
           [&](Value number, ValueRange left) -> SmallVector<Value> {
             NumberedLogits now{left[0], left[1]};
             Value best = t.reduce(Combine::Maximum, now.values, 1);
             Value isBest = equal(t, now.values, t.broadcast(best, type()));
             Value column = t.reduce(
                 Combine::Maximum,
                 t.select(isBest, now.columns, t.fill(type(), kNone)), 1);
             store(number, best, column);
             // A number is never NaN where a column is.
             Value isOther = arith::CmpFOp::create(
                 t.b, arith::CmpFPredicate::ONE, now.columns,
                 t.broadcast(column, type()));
             now.drop(t, isOther);
             return {now.values, now.columns};
           });
  }

  static Value equal(TileBuilder &t, Value a, Value c) {
    return arith::CmpFOp::create(t.b, arith::CmpFPredicate::OEQ, a, c);
  }
};

/// A sum of exponentials of logits, and what it is a sum of: those of the
/// differences to `base`, a number per row.
struct SumOfExponentials {
  Value base, sum;

  /// \param greatest of each row, at least of those whose exponentials count.
  static Value baseOf(TileBuilder &t, Value greatest) {
    // Below it is -infinity alone, whose difference to itself is NaN.
    auto type = cast<RankedTensorType>(greatest.getType());
    return t.maximum(greatest,
                     t.fill(type, std::numeric_limits<float>::lowest()));
  }
  static Value exponentials(TileBuilder &t, Value logits, Value base) {
    auto type = cast<RankedTensorType>(logits.getType());
    return t.exp2(t.mul(t.sub(logits, t.broadcast(base, type)),
                        t.fill(type, llvm::numbers::log2e)));
  }
};
} // namespace

/// Returns which columns from `first` on are less than `limit`.
static Value areBelow(TileBuilder &t, Value indices, int64_t limit) {
  return t.isLess(
      indices, t.fillInteger(cast<RankedTensorType>(indices.getType()), limit));
}

/// The tile of rows of a block.
static RankedTensorType tileOf(TileBuilder &t, RowTileAttr s) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  return t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
}

/// Grid: blocks of rows, pieces.
/// \param memory logits [R, V]; values and columns [R, pieces * K]; greatest
///   and sums [R, pieces].
static void buildPieces(TileBuilder &t, RowTileAttr s, TopLogitsOp op,
                        ValueRange memory) {
  RankedTensorType type = tileOf(t, s);
  int64_t size = op.getVocabulary(), count = op.getCount();
  Value row = t.mul(t.block(GridDimension::X), s.getRows());
  Value piece = t.block(GridDimension::Y);
  Value first = t.mul(piece, s.getColumns());
  Value logits = t.load(type, memory[0], {{row, first}, {0, 1}},
                        alignmentOf(size, type.getElementType()));
  Value indices = t.indicesFrom(first, type, 1);
  Value numbers = arith::SIToFPOp::create(t.b, type, indices);
  NumberedLogits all{logits, arith::NegFOp::create(t.b, numbers)};
  all.drop(t, areBelow(t, indices, size));

  Value greatest = t.reduce(Combine::Maximum, all.values, 1);
  Value base = SumOfExponentials::baseOf(t, greatest);
  Value sum = t.reduce(Combine::Add,
                       SumOfExponentials::exponentials(t, all.values, base), 1);
  t.store(greatest, memory[3], {{row, piece}, {0}});
  t.store(sum, memory[4], {{row, piece}, {0}});
  Value place = t.mul(piece, count);
  all.find(t, count, [&](Value number, Value logit, Value column) {
    Place at{{row, t.add(place, number)}, {0}};
    t.store(logit, memory[1], at);
    t.store(column, memory[2], at);
  });
}

/// Grid: blocks of rows.
/// \param memory what `buildPieces` stores; values and tokens [R, K],
///   log_sum_exp [R].
static void buildMerge(TileBuilder &t, RowTileAttr s, TopLogitsOp op,
                       int64_t pieces, ValueRange memory) {
  RankedTensorType type = tileOf(t, s);
  int64_t count = op.getCount(), candidates = pieces * count;
  Value row = t.mul(t.block(GridDimension::X), s.getRows()), zero = t.index(0);
  Place from{{row, zero}, {0, 1}};

  auto perPiece = RowTileAttr::get(
      s.getContext(), s.getRows(), s.getThreads(), s.getWidth(),
      int64_t(llvm::alignTo(uint64_t(pieces),
                            uint64_t(s.getThreads() * s.getWidth()))),
      s.getTimes());
  RankedTensorType pieceType = tileOf(t, perPiece);
  int64_t aligned = alignmentOf(pieces, type.getElementType());
  Value greatest = t.load(pieceType, memory[2], from, aligned);
  Value isPiece = areBelow(t, t.indicesFrom(zero, pieceType, 1), pieces);
  greatest = t.select(isPiece, greatest, t.fill(pieceType, -kInfinity));
  Value base =
      SumOfExponentials::baseOf(t, t.reduce(Combine::Maximum, greatest, 1));
  // Each sum is one of differences to its piece's base.
  Value shares = SumOfExponentials::exponentials(t, greatest, base);
  Value sum =
      t.reduce(Combine::Add,
               t.mul(t.load(pieceType, memory[3], from, aligned), shares), 1);
  t.store(t.add(base, math::LogOp::create(t.b, sum)), memory[6], {{row}, {0}});

  aligned = alignmentOf(candidates, type.getElementType());
  NumberedLogits all{t.load(type, memory[0], from, aligned),
                     t.load(type, memory[1], from, aligned)};
  all.drop(t, areBelow(t, t.indicesFrom(zero, type, 1), candidates));
  all.find(t, count, [&](Value number, Value logit, Value column) {
    Place at{{row, number}, {0}};
    t.store(logit, memory[4], at);
    auto perRow = cast<RankedTensorType>(column.getType());
    t.store(arith::FPToSIOp::create(t.b,
                                    t.withElement(perRow, t.b.getI32Type()),
                                    arith::NegFOp::create(t.b, column)),
            memory[5], at);
  });
}

namespace {
struct TopLogitsToTile : GroupToKernels<GroupKind::TopLogits> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<TopLogitsOp>(group);
    auto strategy =
        op ? strategyOf<TopLogitsStrategyAttr>(op) : TopLogitsStrategyAttr();
    if (!strategy || whyNoKernel(op, strategy)) {
      return rewriter.notifyMatchFailure(group,
                                         "it is of a shape that is left");
    }
    inlineGroup(rewriter, group);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPoint(op);
    RowTileAttr s = strategy.getPieces();
    int64_t pieces = piecesOf(op, strategy),
            candidates = pieces * op.getCount();
    auto partial = [&](int64_t columns) -> Value {
      SmallVector<OpFoldResult> extents = {
          b.createOrFold<tensor::DimOp>(op.getLogits(), 0),
          b.getIndexAttr(columns)};
      return tensor::EmptyOp::create(b, extents, b.getF32Type());
    };
    SmallVector<Value> found = {partial(candidates), partial(candidates),
                                partial(pieces), partial(pieces)};
    FlatSymbolRefAttr kernel = make(op, "top_logits", {op.getLogits()}, found,
                                    s, [&](TileBuilder &t, ValueRange memory) {
                                      buildPieces(t, s, op, memory);
                                    });
    auto first = launch(b, kernel,
                        {tilesOf(b, op.getLogits(), 0, s.getRows()),
                         arith::ConstantIndexOp::create(b, pieces)},
                        op.getLogits(), found);
    RowTileAttr all = strategy.getMerged();
    SmallVector<Value> inputs(first.getResults()), outputs(op.getDpsInits());
    kernel = make(op, "merge_logits", inputs, outputs, all,
                  [&](TileBuilder &t, ValueRange memory) {
                    buildMerge(t, all, op, pieces, memory);
                  });
    auto second =
        launch(b, kernel, {tilesOf(b, op.getLogits(), 0, all.getRows())},
               inputs, outputs);
    rewriter.replaceOp(op, second.getResults());
    return success();
  }

private:
  FlatSymbolRefAttr make(TopLogitsOp op, StringRef name, ArrayRef<Value> inputs,
                         ArrayRef<Value> outputs, RowTileAttr s,
                         KernelTable::Body body) const {
    SmallVector<Type> arguments;
    for (ArrayRef<Value> operands : {inputs, outputs}) {
      for (Value operand : operands) {
        arguments.push_back(argumentFor(operand.getType(), 1));
      }
    }
    return kernels.get(op.getLoc(), name, arguments, s.warps(), body);
  }
};
} // namespace

void cheems::tile::populateTopLogitsToTile(RewritePatternSet &patterns,
                                           KernelTable &kernels) {
  patterns.add<TopLogitsToTile>(patterns.getContext(), kernels);
}
