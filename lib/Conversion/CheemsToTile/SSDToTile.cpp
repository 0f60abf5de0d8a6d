// State-space duality: one launch for segments of one row. Prompts have four:
// decays, what each chunk adds to the state, the state before each chunk, and
// outputs.
#include "AttentionInputs.h"
#include "Patterns.h"
#include "RoundedOutput.h"
#include "SSDKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// b or c before its rotation. A norm before that is a launch of its own.
static HeadsBefore rotatedGate(Value gate) {
  HeadsBefore before = HeadsBefore::of(gate);
  if (before.norm) {
    return {gate, {}, {}};
  }
  return before;
}

/// The op that makes `a` of what a checkpoint stores, as its logarithm; null
/// without one.
static linalg::GenericOp opBefore(Value a) {
  auto op = a.getDefiningOp<linalg::GenericOp>();
  return op && isFunctionOfVector(op) ? op : linalg::GenericOp();
}

namespace {
/// The launches of one op.
class SSDLaunches {
public:
  SSDLaunches(ImplicitLocOpBuilder &b, SegmentedSSDOp op, KernelTable &kernels,
              const Strategy &strategy, Value y)
      : b(b), op(op), kernels(kernels), strategy(strategy), shape(op),
        beforeA(opBefore(op.getA())),
        a(beforeA ? beforeA.getInputs()[0] : op.getA()), y(y) {}

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
    memory.x = operands.in(m, op.getX());
    memory.step = operands.in(m, op.getStep());
    memory.a = operands.in(m, a);
    memory.beforeA = beforeA;
    memory.b.memory = operands.in(m, op.getB());
    memory.c.memory = operands.in(m, op.getC());
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
    HeadsBefore gateB = rotatedGate(op.getB()), gateC = rotatedGate(op.getC());
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
    RowStrategy s = strategy.ssdOfOneRow(shape.states, shape.size);
    auto body = [&](TileBuilder &t, ValueRange m) {
      SSDMemory memory = memoryOf(operands, m);
      memory.b = gateB.in(operands, m);
      memory.c = gateC.in(operands, m);
      buildSSDOfOneRow(t, s, shape, memory);
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "ssd_of_one_row",
                                           operands.types(), s.warps(), body);
    return SmallVector<Value>(launch(b, kernel,
                                     {count(tiles(shape.size, s.columns)),
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
    bool rounds = op.getAllowBf16();
    SSDStrategy s =
        rounds ? strategy.ssd() : strategy.ssdF32(shape.states, shape.size);
    allocate(s, rounds ? Type(b.getBF16Type()) : Type(b.getF32Type()));
    sumDecays(s);
    addRows(s, rounds);
    Value pool = carry(s);
    return {outputs(s, rounds), pool};
  }

  /// Numbers of chunks: see SSDChunk.
  void allocate(const SSDStrategy &s, Type element) {
    Type f32 = b.getF32Type();
    OpFoldResult rows = tensor::getMixedSize(b, b.getLoc(), op.getX(), 0);
    OpFoldResult chunks =
        arith::AddIOp::create(b, tilesOf(b, op.getX(), 0, s.rows), segments())
            .getResult();
    OpFoldResult heads = b.getIndexAttr(shape.heads);
    SmallVector<OpFoldResult> states = {chunks, heads,
                                        b.getIndexAttr(shape.states),
                                        b.getIndexAttr(shape.size)};
    passed.decays = tensor::EmptyOp::create(
        b, {b.getIndexAttr(kDecayPlanes), heads, rows}, f32);
    passed.wholes = tensor::EmptyOp::create(b, {chunks, heads}, f32);
    passed.added = tensor::EmptyOp::create(b, states, f32);
    passed.carried = tensor::EmptyOp::create(b, states, element);
  }

  /// How many chunks the longest segment may have.
  Value chunks(const SSDStrategy &s) {
    return tilesOf(b, op.getX(), 0, s.rows);
  }

  void sumDecays(const SSDStrategy &s) {
    LaunchOperands operands;
    operands.read(op.getStep());
    operands.read(a);
    operands.read(op.getSegments());
    operands.write(passed.decays);
    operands.write(passed.wholes);
    ValueRange made = launchOf(
        "ssd_decays", operands, 1,
        {chunks(s), count(tiles(shape.heads, kWarpThreads)), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &to) {
          buildSSDDecays(t, s, shape, memory, to);
        });
    passed.decays = made[0];
    passed.wholes = made[1];
  }

  void addRows(const SSDStrategy &s, bool rounds) {
    LaunchOperands operands;
    operands.read(op.getX());
    operands.read(op.getStep());
    operands.read(op.getB());
    operands.read(passed.decays);
    operands.read(op.getSegments());
    operands.write(passed.added);
    int64_t pieces =
        tiles(shape.states, s.states) * tiles(shape.size, s.columns);
    passed.added = launchOf(
        "ssd_added", operands, s.warps,
        {chunks(s), count(shape.heads * pieces), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          (rounds ? buildSSDAdded : buildSSDAddedF32)(t, s, shape, memory,
                                                      from);
        })[0];
  }

  /// Returns the pool.
  Value carry(const SSDStrategy &s) {
    LaunchOperands operands;
    operands.read(op.getStep());
    operands.read(passed.wholes);
    operands.read(passed.added);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    operands.write(passed.carried);
    operands.write(op.getPool());
    RowStrategy rows = strategy.ssdCarried(shape.states, shape.size);
    int64_t pieces =
        tiles(shape.states, rows.rows) * tiles(shape.size, rows.columns);
    ValueRange made = launchOf(
        "ssd_carried", operands, rows.warps(),
        {count(pieces), count(shape.heads), segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          buildSSDCarried(t, rows, s.rows, shape, memory, from);
        });
    passed.carried = made[0];
    return made[1];
  }

  Value outputs(const SSDStrategy &s, bool rounds) {
    LaunchOperands operands;
    operands.read(op.getX());
    operands.read(op.getStep());
    operands.read(op.getB());
    operands.read(op.getC());
    readSkip(operands);
    operands.read(passed.decays);
    operands.read(passed.carried);
    operands.read(op.getSegments());
    operands.write(y);
    return launchOf(
        "ssd_outputs", operands, s.warps,
        {chunks(s), count(shape.heads * tiles(shape.size, s.columns)),
         segments()},
        [&](TileBuilder &t, const SSDMemory &memory, const SSDPassed &from) {
          (rounds ? buildSSDOutputs : buildSSDOutputsF32)(t, s, shape, memory,
                                                          from);
        })[0];
  }

  ImplicitLocOpBuilder &b;
  SegmentedSSDOp op;
  KernelTable &kernels;
  const Strategy &strategy;
  SSDShape shape;
  linalg::GenericOp beforeA;
  Value a; ///< as it is stored
  Value y;
  SSDPassed passed; ///< as it is now
};

struct SSDToTile : ToKernel<SegmentedSSDOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(SegmentedSSDOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RoundedOutput rounded = RoundedOutput::behind(op.getResult(0));
    SmallVector<Value> results =
        SSDLaunches(b, op, kernels, strategy, rounded.memory(b, op.getY()))
            .make();
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void cheems::tile::populateSSDToTile(RewritePatternSet &patterns,
                                     KernelContext kit) {
  patterns.add<SSDToTile>(patterns.getContext(), kit);
}
