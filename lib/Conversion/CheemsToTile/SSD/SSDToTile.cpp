// State-space duality: one launch for segments of one row. Prompts have three
// on tensor cores: decays, the state before each span of chunks, and outputs.
// In f32 they have four, the second of which is what each chunk adds to the
// state. Tensor cores multiply bf16, or pairs of such numbers.
#include "Builder/RoundedOutput.h"
#include "Patterns.h"
#include "SSDInputs.h"
#include "SSDKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The launches of one op.
class SSDLaunches {
public:
  SSDLaunches(ImplicitLocOpBuilder &b, SegmentedSSDOp op, KernelTable &kernels,
              const SSDBefore &before, Value y)
      : b(b), op(op), kernels(kernels),
        strategy(strategyOf<SSDStrategyAttr>(op)), shape(op),
        heads(SSDInputs::of(b, op)), before(before),
        a(before.a ? this->before.a.getInputs()[0] : op.getA()), y(y) {}

  /// y and the pool.
  SmallVector<Value> make() { return op.getOneRow() ? ofOneRow() : ofChunks(); }

private:
  Value count(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  static int64_t tiles(int64_t extent, int64_t tile) {
    return int64_t(llvm::divideCeil(extent, tile));
  }
  Value segments() { return tilesOf(b, op.getSegments(), 0, 1); }

  /// The kernel's memory of what its launch has, null for the rest.
  SSDMemory memoryOf(const LaunchOperands &operands, ValueRange m) {
    SSDMemory memory;
    memory.segments = operands.in(m, op.getSegments());
    memory.layer = operands.in(m, op.getLayer());
    memory.x = operands.in(m, heads.x);
    memory.step = operands.in(m, op.getStep());
    memory.a = operands.in(m, a);
    memory.beforeA = before.a;
    memory.b.memory = operands.in(m, heads.b);
    memory.c.memory = operands.in(m, heads.c);
    if (op.getSkip()) {
      memory.skip = operands.in(m, op.getSkip());
    }
    memory.pool = operands.in(m, op.getPool());
    memory.y = operands.in(m, y);
    return memory;
  }
  SSDPassed passedOf(const LaunchOperands &operands, ValueRange m) {
    return {operands.in(m, passed.decays), operands.in(m, passed.wholes),
            operands.in(m, passed.added), operands.in(m, passed.carried)};
  }

  /// A launch on memory of one kind or the other.
  ValueRange launchOf(
      StringRef name, const LaunchOperands &operands, int64_t warps,
      ArrayRef<Value> grid,
      function_ref<void(TileBuilder &, const SSDMemory &, const SSDPassed &)>
          build) {
    auto body = [&](TileBuilder &t, ValueRange m) {
      build(t, memoryOf(operands, m), passedOf(operands, m));
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), name, operands.types(), warps, body);
    return launch(b, kernel, grid, operands.inputs, operands.outputs)
        .getResults();
  }

  SmallVector<Value> ofOneRow() {
    HeadsBefore &gateB = before.b, &gateC = before.c;
    LaunchOperands operands;
    operands.read(op.getX());
    operands.read(op.getStep());
    operands.read(a);
    gateB.addTo(operands);
    gateC.addTo(operands);
    readSkip(operands);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    operands.write(y);
    operands.write(op.getPool());
    RowTileAttr s = strategy.getOneRow();
    auto body = [&](TileBuilder &t, ValueRange m) {
      SSDMemory memory = memoryOf(operands, m);
      memory.b = gateB.in(operands, m);
      memory.c = gateC.in(operands, m);
      buildSSDOfOneRow(t, s, shape, memory);
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "ssd_of_one_row",
                                           operands.types(), s.warps(), body);
    return SmallVector<Value>(launch(b, kernel,
                                     {count(tiles(shape.size, s.getColumns())),
                                      count(shape.heads), segments()},
                                     operands.inputs, operands.outputs)
                                  .getResults());
  }

  void readSkip(LaunchOperands &operands) {
    if (op.getSkip()) {
      operands.read(op.getSkip());
    }
  }

  SmallVector<Value> ofChunks() {
    if (SSDSpansAttr spans = strategy.getSpans()) {
      return ofSpans(spans);
    }
    SSDTileAttr s = strategy.getChunks();
    allocate(s.getRows(), chunks(s.getRows()));
    passed.added = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), passed.carried),
        b.getF32Type());
    sumDecays(s.getRows());
    addRows(s);
    Value pool = carry(s);
    return {outputs(s), pool};
  }

  SmallVector<Value> ofSpans(SSDSpansAttr s) {
    // There may be at most so many: see rowsOfSpan, by which a plan cannot
    // divide.
    Value spans = arith::MaxUIOp::create(
        b, chunks(s.getRows() * s.getMost()),
        arith::MinUIOp::create(b, chunks(s.getRows()), count(s.getSpans())));
    allocate(s.getRows(), spans);
    sumDecays(s.getRows());
    Value pool = takeThrough(s);
    return {outputs(s, spans), pool};
  }

  /// Numbers of chunks and spans: see SSDChunk.
  /// \param states how many the longest segment may have stored.
  void allocate(int64_t chunkRows, Value states) {
    Type f32 = b.getF32Type();
    OpFoldResult all = b.getIndexAttr(shape.heads);
    auto ofAll = [&](Value ofLongest) -> OpFoldResult {
      return arith::AddIOp::create(b, ofLongest, segments()).getResult();
    };
    passed.decays = tensor::EmptyOp::create(
        b,
        {b.getIndexAttr(kDecayPlanes), all,
         tensor::getMixedSize(b, b.getLoc(), heads.x, 0)},
        f32);
    passed.wholes =
        tensor::EmptyOp::create(b, {ofAll(chunks(chunkRows)), all}, f32);
    passed.carried = tensor::EmptyOp::create(b,
                                             {ofAll(states), all,
                                              b.getIndexAttr(shape.states),
                                              b.getIndexAttr(shape.size)},
                                             f32);
  }

  /// How many chunks the longest segment may have.
  Value chunks(int64_t rows) { return tilesOf(b, heads.x, 0, rows); }

  void sumDecays(int64_t chunkRows) {
    LaunchOperands operands;
    operands.read(op.getStep());
    operands.read(a);
    operands.read(op.getSegments());
    operands.write(passed.decays);
    operands.write(passed.wholes);
    ValueRange made = launchOf(
        "ssd_decays", operands, 1,
        {chunks(chunkRows), count(tiles(shape.heads, kWarpThreads)),
         segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &to) {
          buildSSDDecays(t, chunkRows, shape, memory, to);
        });
    passed.decays = made[0];
    passed.wholes = made[1];
  }

  /// Returns the pool.
  Value takeThrough(SSDSpansAttr s) {
    LaunchOperands operands;
    operands.read(heads.x);
    operands.read(heads.b);
    operands.read(passed.decays);
    operands.read(passed.wholes);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    operands.write(passed.carried);
    operands.write(op.getPool());
    int64_t pieces = tiles(shape.states, s.getPieceStates()) *
                     tiles(shape.size, s.getPieceColumns());
    ValueRange made = launchOf(
        "ssd_states", operands, SSDSpansAttr::warps,
        {count(pieces), count(shape.heads), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &to) {
          buildSSDStates(t, s, shape, memory, to);
        });
    passed.carried = made[0];
    return made[1];
  }

  Value outputs(SSDSpansAttr s, Value spans) {
    LaunchOperands operands = operandsOfOutputs();
    operands.read(passed.wholes);
    return launchOf(
        "ssd_outputs", operands, SSDSpansAttr::warps,
        {spans, count(shape.heads * tiles(shape.size, s.getColumns())),
         segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          buildSSDOutputs(t, s, shape, memory, from);
        })[0];
  }

  LaunchOperands operandsOfOutputs() {
    LaunchOperands operands;
    operands.read(heads.x);
    operands.read(heads.b);
    operands.read(heads.c);
    readSkip(operands);
    operands.read(passed.decays);
    operands.read(passed.carried);
    operands.read(op.getSegments());
    operands.write(y);
    return operands;
  }

  void addRows(SSDTileAttr s) {
    LaunchOperands operands;
    operands.read(heads.x);
    operands.read(op.getStep());
    operands.read(heads.b);
    operands.read(passed.decays);
    operands.read(op.getSegments());
    operands.write(passed.added);
    int64_t pieces =
        tiles(shape.states, s.getStates()) * tiles(shape.size, s.getColumns());
    passed.added = launchOf(
        "ssd_added", operands, s.getWarps(),
        {chunks(s.getRows()), count(shape.heads * pieces), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          buildSSDAddedF32(t, s, shape, memory, from);
        })[0];
  }

  /// Returns the pool.
  Value carry(SSDTileAttr s) {
    LaunchOperands operands;
    operands.read(op.getStep());
    operands.read(passed.wholes);
    operands.read(passed.added);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    operands.write(passed.carried);
    operands.write(op.getPool());
    RowTileAttr rows = strategy.getCarried();
    int64_t pieces = tiles(shape.states, rows.getRows()) *
                     tiles(shape.size, rows.getColumns());
    ValueRange made = launchOf(
        "ssd_carried", operands, rows.warps(),
        {count(pieces), count(shape.heads), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          buildSSDCarriedF32(t, rows, s.getRows(), shape, memory, from);
        });
    passed.carried = made[0];
    return made[1];
  }

  Value outputs(SSDTileAttr s) {
    LaunchOperands operands = operandsOfOutputs();
    operands.read(op.getStep());
    return launchOf(
        "ssd_outputs", operands, s.getWarps(),
        {chunks(s.getRows()),
         count(shape.heads * tiles(shape.size, s.getColumns())), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          buildSSDOutputsF32(t, s, shape, memory, from);
        })[0];
  }

  ImplicitLocOpBuilder &b;
  SegmentedSSDOp op;
  KernelTable &kernels;
  SSDStrategyAttr strategy;
  SSDShape shape;
  SSDInputs heads;
  SSDBefore before;
  Value a; ///< as it is stored
  Value y;
  SSDPassed passed; ///< as it is now
};

struct SSDToTile : GroupToKernels<GroupKind::SSD> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<SegmentedSSDOp>(group);
    if (!op || lacksRounding(op)) {
      return rewriter.notifyMatchFailure(group, "it has inputs of f32");
    }
    RoundedOutput rounded = RoundedOutput::after(op.getResult(0));
    SSDBefore before = SSDBefore::of(op); // in the group
    inlineGroup(rewriter, group);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPoint(op);
    SmallVector<Value> results =
        SSDLaunches(b, op, kernels, before, rounded.memory(b, op.getY()))
            .make();
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void cheems::tile::populateSSDToTile(RewritePatternSet &patterns,
                                     KernelTable &kernels) {
  patterns.add<SSDToTile>(patterns.getContext(), kernels);
}
