// Positions, rotary tables, and the rotation of heads.
#include "Attention/AttentionInputs.h"
#include "Builder/Float64.h"
#include "Builder/RoundedOutput.h"
#include "Builder/SegmentRow.h"
#include "Patterns.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// A block takes a piece of a segment's rows.
struct PositionsToTile : GroupToKernels<GroupKind::Positions> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<PositionsOp>(group);
    if (!op || !strategyOf<RowTileAttr>(op)) {
      return rewriter.notifyMatchFailure(group, "it has no rows of one length");
    }
    inlineGroup(rewriter, group);
    bool oneRow = op.getOneRow();
    auto s = strategyOf<RowTileAttr>(op);
    SmallVector<Type> arguments = {argumentFor(op.getSegments().getType(), 1),
                                   argumentFor(op.getPosition().getType(), 1),
                                   argumentFor(op.getLength().getType(), 1)};
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                     s.getThreads(), s.getWidth());
      auto type = t.sliceType(
          t.tileType({s.getRows(), s.getColumns()}, t.b.getI32Type(), layout),
          0);
      Value first = t.mul(t.block(GridDimension::X), s.getColumns());
      SegmentRow segment =
          loadSegment(t, memory[0], t.block(GridDimension::Y), oneRow);
      t.when(t.isLess(first, segment.length), [&] {
        Place place{{t.add(segment.start, first)},
                    {0},
                    {t.add(segment.start, segment.length)}};
        t.store(t.indicesFrom(t.add(segment.position, first), type, 0),
                memory[1], place);
        Value length = arith::IndexCastOp::create(t.b, t.b.getI32Type(),
                                                  segment.ropeLength);
        t.store(t.splat(type, length), memory[2], place);
      });
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "positions", arguments, s.warps(), body);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto made =
        launch(b, kernel,
               {oneRow ? arith::ConstantIndexOp::create(b, 1).getResult()
                       : tilesOf(b, op.getPosition(), 0, s.getColumns()),
                tilesOf(b, op.getSegments(), 0, 1)},
               op.getSegments(), {op.getPosition(), op.getLength()});
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};
} // namespace

/// log2 of the base of each row, in f64, as a slice of `type`; the op
/// `rotary_table` says what it is.
/// \param length memref [T].
static Value log2OfBase(TileBuilder &t, RotaryTableOp op, RankedTensorType type,
                        Value length, Value row) {
  int64_t size = 2 * cast<ShapedType>(op.getCosine().getType()).getDimSize(1);
  auto perRow = t.sliceType(type, 1);
  double theta = std::log2(op.getTheta()->convertToDouble());
  if (!op.getDynamic()) {
    return t.fill(perRow, theta);
  }
  double factor = op.getFactor().convertToDouble();
  Value rows =
      t.load(t.withElement(perRow, t.b.getI32Type()), length, {{row}, {0}});
  Value stretch = t.fma(arith::SIToFPOp::create(t.b, perRow, rows),
                        t.fill(perRow, factor / double(op.getTrained())),
                        t.fill(perRow, 1 - factor));
  // Up to the trained length it is 1 at most.
  stretch = t.maximum(stretch, t.fill(perRow, 1));
  return t.fma(log2F64(t, stretch),
               t.fill(perRow, double(size) / double(size - 2)),
               t.fill(perRow, theta));
}

/// A number of a list for each column, as a slice of `type`. A kernel has no
/// memory for lists, so the numbers are constants that the column chooses.
/// \param column as i32.
static Value numberOfColumn(TileBuilder &t, RankedTensorType type, Value column,
                            ArrayRef<double> list, int64_t first = 0) {
  if (llvm::all_equal(list)) {
    return t.fill(type, list.front());
  }
  auto middle = int64_t(list.size() / 2);
  Value isBefore =
      t.isLess(column, t.splatIndex(type, t.index(first + middle)));
  return t.select(
      isBefore, numberOfColumn(t, type, column, list.take_front(middle), first),
      numberOfColumn(t, type, column, list.drop_front(middle), first + middle));
}

/// The power of 2 that each angle is for each position, in f64.
static Value exponents(TileBuilder &t, RotaryTableOp op, RankedTensorType f64,
                       Value length, Value row) {
  int64_t half = cast<ShapedType>(op.getCosine().getType()).getDimSize(1);
  auto i32 = t.withElement(f64, t.b.getI32Type());
  Value base = log2OfBase(t, op, f64, length, row);
  Value column = arith::SIToFPOp::create(
      t.b, f64, IndicesOp::create(t.b, i32, uint64_t(1)));
  return t.mul(t.mul(column, t.fill(f64, -1.0 / double(half))),
               t.broadcast(base, f64));
}

/// A block's rows of a table.
/// \param memory positions, lengths.
static void buildTable(TileBuilder &t, RotaryTableOp op, RowTileAttr s,
                       Value block, ValueRange memory, Value cosines,
                       Value sines) {
  int64_t half = cast<ShapedType>(op.getCosine().getType()).getDimSize(1);
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  auto f64 =
      t.tileType({s.getRows(), s.getColumns()}, t.b.getF64Type(), layout);
  auto i32 = t.withElement(f64, t.b.getI32Type());
  auto f32 = t.withElement(f64, t.b.getF32Type());
  Value row = t.mul(block, s.getRows());
  auto list = op.getFrequencies();
  Value exponent = list ? Value() : exponents(t, op, f64, memory[1], row);
  Value position = t.load(t.sliceType(i32, 1), memory[0], {{row}, {0}});
  position = arith::SIToFPOp::create(t.b, t.sliceType(f64, 1), position);
  Value angle = t.broadcast(position, f64), rate;
  if (list) {
    Value column = IndicesOp::create(t.b, t.sliceType(i32, 0), uint64_t(0));
    rate =
        t.broadcast(numberOfColumn(t, t.sliceType(f64, 0), column, *list), f64);
  } else {
    rate = exp2F64(t, exponent);
  }
  angle = t.mul(angle, rate);
  auto [sine, cosine] = sineAndCosineF64(t, angle);
  if (double magnitude = op.getMagnitude().convertToDouble(); magnitude != 1) {
    sine = t.mul(sine, t.fill(f64, magnitude));
    cosine = t.mul(cosine, t.fill(f64, magnitude));
  }
  Place place{{row, t.index(0)}, {0, 1}};
  int64_t aligned = alignmentOf(half, f32.getElementType());
  t.store(arith::TruncFOp::create(t.b, f32, cosine), cosines, place, aligned);
  t.store(arith::TruncFOp::create(t.b, f32, sine), sines, place, aligned);
}

namespace {
/// Grid: blocks of rows, tables.
struct RotaryTablesToTile : GroupToKernels<GroupKind::RotaryTables> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    SmallVector<RotaryTableOp> tables;
    SmallVector<RowTileAttr> rows;
    SmallVector<Value> outputs;
    for (Operation *root : group.getRoots()) {
      auto table = cast<RotaryTableOp>(root);
      tables.push_back(table);
      rows.push_back(strategyOf<RowTileAttr>(table));
      outputs.append({table.getCosine(), table.getSine()});
    }
    RotaryTableOp op = tables.front();
    ValueRange inputs = op->getOperands().take_front(2);
    if (!llvm::all_of(tables, [&](RotaryTableOp table) {
          return strategyOf<RowTileAttr>(table) &&
                 table->getOperands().take_front(2) == inputs;
        })) {
      return rewriter.notifyMatchFailure(group, "its tables have other rows");
    }
    inlineGroup(rewriter, group);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPoint(tables.back()); // memory of all is there
    SmallVector<Type> arguments;
    for (Value operand :
         llvm::concat<Value>(SmallVector<Value>(inputs), outputs)) {
      arguments.push_back(argumentFor(operand.getType(), 1));
    }
    auto body = [&](TileBuilder &t, ValueRange memory) {
      Value block = t.block(GridDimension::X);
      auto build = [&](size_t i) {
        buildTable(t, tables[i], rows[i], block, memory, memory[2 + 2 * i],
                   memory[3 + 2 * i]);
      };
      if (tables.size() == 1) {
        return build(0);
      }
      Value number = t.block(GridDimension::Y);
      for (size_t i = 0; i < tables.size(); ++i) {
        t.when(t.isEqual(number, t.index(int64_t(i))), [&] { build(i); });
      }
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "rotary_table",
                                           arguments, rows[0].warps(), body);
    // Rows that a table's blocks have no more are past its extent.
    int64_t fewest = rows[0].getRows();
    for (RowTileAttr s : rows) {
      fewest = std::min(fewest, s.getRows());
    }
    auto made =
        launch(b, kernel,
               {tilesOf(b, outputs[0], 0, fewest),
                arith::ConstantIndexOp::create(b, int64_t(tables.size()))},
               inputs, outputs);
    for (auto [i, table] : llvm::enumerate(tables)) {
      rewriter.replaceOp(table, made.getResults().slice(2 * i, 2));
    }
    return success();
  }
};

/// A block rotates a head of some rows, after the norm of heads and
/// before the rounding of all heads, if there are such. What does not turn is
/// copied.
struct RotaryToTile : GroupToKernels<GroupKind::Rotary> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<RotaryOp>(group);
    if (!op || !strategyOf<RowTileAttr>(op)) {
      return rewriter.notifyMatchFailure(group, "it has no rows of one length");
    }
    int64_t size = cast<ShapedType>(op.getX().getType()).getDimSize(2),
            turned = op.getTurned();
    HeadsBefore before = HeadsBefore::rotatedBy(op);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RoundedOutput rounded = RoundedOutput::after(op.getResult(0));
    inlineGroup(rewriter, group);
    b.setInsertionPoint(op);
    Value out = rounded.memory(b, op.getY());
    LaunchOperands operands;
    before.addTo(operands);
    operands.write(out);
    auto s = strategyOf<RowTileAttr>(op);
    auto body = [&](TileBuilder &t, ValueRange memory) {
      auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                     s.getThreads(), s.getWidth());
      auto tile =
          t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
      HeadRows heads = before.in(operands, memory);
      HeadPlace place{t.mul(t.block(GridDimension::X), s.getRows()),
                      t.block(GridDimension::Y), t.extent(heads.memory, 0)};
      auto halves = HalvesOfHeads(t, heads, place, turned, tile).load(0);
      int64_t half = turned / 2;
      int64_t aligned =
          alignmentOf(std::gcd(half, size), tile.getElementType());
      Value y = operands.in(memory, out);
      storeOutput(t, halves.low, y, place.at(t, 0, half), aligned);
      storeOutput(t, halves.high, y, place.at(t, half, turned), aligned);
      if (turned < size) {
        aligned = alignmentOf(std::gcd(turned, size), tile.getElementType());
        Place rest = place.at(t, turned, size);
        storeOutput(t, t.load(tile, heads.memory, rest, aligned), y, rest,
                    aligned);
      }
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "rotary", operands.types(), s.warps(), body);
    auto made = launch(
        b, kernel,
        {tilesOf(b, op.getY(), 0, s.getRows()), tilesOf(b, op.getY(), 1, 1)},
        operands.inputs, operands.outputs);
    rewriter.replaceOp(
        op, rounded.replace(b, rewriter, made.getResult(0), op.getY()));
    return success();
  }
};
} // namespace

void cheems::tile::populateRotaryToTile(RewritePatternSet &patterns,
                                        KernelTable &kernels) {
  patterns.add<PositionsToTile, RotaryTablesToTile, RotaryToTile>(
      patterns.getContext(), kernels);
}
