// Interprets linear ops: matmuls with packed weights, and their epilogues.
#include "Epilogue.h"
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Reference/PackedLinear.h"

namespace cheems::interpreter {
using namespace mlir;

/// Quantized panels with the bytes that they are of, which are not signed.
static reference::QuantizedWeights codesOf(Value panels, Value scales,
                                           int64_t columns, int64_t size,
                                           int64_t bits, Frame &f) {
  Tensor bytes = f.read(panels);
  for (double &byte : bytes.data) {
    byte += byte < 0 ? 256 : 0;
  }
  return reference::unpacked(bytes, f.read(scales), columns, size, bits);
}

static void linear(cpu::LinearOp op, Frame &f) {
  Letters n(f);
  n("TK", op.getX())("TN", op.getY());
  for (Value weight : op.getWeights()) {
    n("PkRp", weight);
  }
  for (Value scales : op.getScales()) {
    n("PgR", scales);
  }
  std::vector<Tensor> with;
  for (Value each : op.getWith()) {
    bool vector = cast<ShapedType>(each.getType()).getRank() == 1;
    n(vector ? "N" : "TN", each);
    with.push_back(f.read(each));
  }
  const Tensor &x = f.read(op.getX());
  int64_t columns = n['N'];
  if (!f.failed() && columns > n['P'] * cpu::LinearOp::kColumns) {
    f.fail() << "asks for " << columns << " columns of " << n['P'] << " panels";
  }
  if (f.failed()) {
    return;
  }
  Region &region = op.getEpilogue();
  auto epilogue = [&](ArrayRef<double> sums, ArrayRef<double> operands) {
    return op.hasIdentityEpilogue() || f.failed()
               ? sums[0]
               : applied(region, sums, operands, f);
  };
  Tensor y;
  if (op.isQuantized()) {
    std::vector<reference::QuantizedWeights> weights;
    for (auto [panels, scales] : llvm::zip(op.getWeights(), op.getScales())) {
      weights.push_back(
          codesOf(panels, scales, columns, n['K'], int64_t(*op.getBits()), f));
    }
    y = reference::linear(x, weights, with, columns, epilogue);
  } else {
    std::vector<Tensor> weights;
    for (Value panels : op.getWeights()) {
      weights.push_back(f.read(panels));
    }
    y = reference::linear(x, weights, with, columns, epilogue);
  }
  f.set(op.getResult(0), std::move(y));
}

void addLinear(Handlers &handlers) {
  handlers.add<cpu::LinearOp>(linear);
  handlers.addTerminator<cpu::YieldOp>();
}

} // namespace cheems::interpreter
