// A matmul as cheems_cpu.linear, once its weight is in panels.
#include "PackMatmul.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// What a matmul's sums start from: nothing, or an operand added to them.
struct Start {
  Value with;        ///< [T, N] or [N], or null
  Value destination; ///< overwritten, or null: the start is read, so the result
                     ///< needs a tensor of its own
};

Start startOf(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>();
      fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat())) {
    return {Value(), fill.getOutputs()[0]};
  }
  auto broadcast = init.getDefiningOp<linalg::BroadcastOp>();
  if (broadcast && broadcast.getDimensions() == ArrayRef<int64_t>{0}) {
    return {broadcast.getInput(), broadcast.getInit()};
  }
  return {init, Value()};
}

} // namespace

void cheems::packMatmul(linalg::MatmulOp op, Value weight, IntegerAttr bits,
                        ValueRange scales, IRRewriter &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value init = op.getOutputs()[0];
  Start start = startOf(init);
  Value destination = start.destination;
  if (!destination) {
    destination = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
        rewriter.getF32Type());
  }
  auto linear = LinearOp::create(
      rewriter, loc, TypeRange{init.getType()}, op.getInputs()[0], weight, bits,
      scales, start.with ? ValueRange{start.with} : ValueRange{}, destination,
      [&](OpBuilder &b, ValueRange arguments) -> Value {
        return start.with
                   ? arith::AddFOp::create(b, loc, arguments[0], arguments[1])
                         .getResult()
                   : arguments[0];
      });
  rewriter.replaceOp(op, linear);
}
