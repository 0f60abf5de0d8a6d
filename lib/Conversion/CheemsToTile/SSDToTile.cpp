// State-space duality: one launch for segments of one row.
#include "AttentionInputs.h"
#include "Patterns.h"
#include "RoundedOutput.h"
#include "SSDKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

std::optional<StringRef> cheems::tile::whyNoKernel(SegmentedSSDOp op) {
  if (!op.getOneRow()) {
    return "is of prompts";
  }
  return std::nullopt;
}

/// b or c before its rotation. A norm before that is a launch of its own.
static HeadsBefore rotatedGate(Value gate) {
  HeadsBefore before = HeadsBefore::of(gate);
  if (before.norm) {
    return {gate, {}, {}};
  }
  return before;
}

namespace {
/// The launches of one op.
class SSDLaunches {
public:
  SSDLaunches(ImplicitLocOpBuilder &b, SegmentedSSDOp op, KernelTable &kernels,
              const Strategy &strategy, Value y)
      : b(b), op(op), kernels(kernels), strategy(strategy), shape(op), y(y) {}

  /// y and the pool.
  SmallVector<Value> make() { return ofOneRow(); }

private:
  Value count(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }

  SmallVector<Value> ofOneRow() {
    HeadsBefore gateB = rotatedGate(op.getB()), gateC = rotatedGate(op.getC());
    LaunchOperands operands;
    operands.read(op.getX());
    operands.read(op.getStep());
    operands.read(op.getA());
    gateB.addTo(operands);
    gateC.addTo(operands);
    if (op.getSkip()) {
      operands.read(op.getSkip());
    }
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    operands.write(y);
    operands.write(op.getPool());
    RowStrategy s = strategy.ssdOfOneRow(shape.states, shape.size);
    auto body = [&](TileBuilder &t, ValueRange m) {
      SSDMemory memory;
      memory.segments = operands.in(m, op.getSegments());
      memory.layer = operands.in(m, op.getLayer());
      memory.x = operands.in(m, op.getX());
      memory.step = operands.in(m, op.getStep());
      memory.a = operands.in(m, op.getA());
      memory.b = gateB.in(operands, m);
      memory.c = gateC.in(operands, m);
      if (op.getSkip()) {
        memory.skip = operands.in(m, op.getSkip());
      }
      memory.pool = operands.in(m, op.getPool());
      memory.y = operands.in(m, y);
      buildSSDOfOneRow(t, s, shape, memory);
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "ssd_of_one_row",
                                           operands.types(), s.warps(), body);
    Value pieces = count(int64_t(llvm::divideCeil(shape.size, s.columns)));
    auto made =
        launch(b, kernel,
               {pieces, count(shape.heads), tilesOf(b, op.getSegments(), 0, 1)},
               operands.inputs, operands.outputs);
    return SmallVector<Value>(made.getResults());
  }

  ImplicitLocOpBuilder &b;
  SegmentedSSDOp op;
  KernelTable &kernels;
  const Strategy &strategy;
  SSDShape shape;
  Value y;
};

struct SSDToTile : ToKernel<SegmentedSSDOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(SegmentedSSDOp op,
                                PatternRewriter &rewriter) const override {
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
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
