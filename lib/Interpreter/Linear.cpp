// Products with panels, and epilogues: linear and column_epilogue. Products of
// codes.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Reference/PackedLinear.h"
#include "cheems/Reference/Rotary.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace cheems::interpreter {
using namespace mlir;
/// What an epilogue makes of its arguments.
static double applied(Region &epilogue, ArrayRef<double> first,
                      ArrayRef<double> second, Frame &f) {
  SmallVector<RuntimeValue> arguments;
  for (ArrayRef<double> part : {first, second}) {
    arguments.append(part.begin(), part.end());
  }
  SmallVector<RuntimeValue> result = f.run(epilogue.front(), arguments);
  return f.failed() ? 0 : result.front().asReal();
}

/// Panels of codes with the bytes that they are of, which are not signed.
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

/// Turns the heads of the first columns, `at` of which are before those of y,
/// by the rows' angles.
static void rotate(cpu::ColumnEpilogueOp op, int64_t at, Tensor &y, Frame &f) {
  reference::RotaryTable table{f.read(op.getCosine()), f.read(op.getSine())};
  int64_t rows = y.shape[0], size = op.getHeadSize(),
          rotated =
              std::clamp<int64_t>(op.getRotatedColumns() - at, 0, y.shape[1]);
  if (at % size != 0 || rotated % size != 0) {
    f.fail() << "begins or ends within a head: of columns " << at << " to "
             << at + rotated << " in heads of " << size;
    return;
  }
  Tensor heads({rows, rotated / size, size});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t column = 0; column < rotated; ++column) {
      heads(t, column / size, column % size) = y(t, column);
    }
  }
  heads = reference::rotary(heads, table);
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t column = 0; column < rotated; ++column) {
      y(t, column) = heads(t, column / size, column % size);
    }
  }
}

static void columnEpilogue(cpu::ColumnEpilogueOp op, Frame &f) {
  Letters n(f);
  n("TN", op.getY());
  n("Th", op.getCosine())("Th", op.getSine());
  Tensor y = f.read(op.getY());
  std::vector<Tensor> with;
  for (Value each : op.getWith()) {
    with.push_back(f.read(each));
  }
  if (f.failed()) {
    return;
  }
  int64_t at = op.getAt() ? f.integer(op.getAt()) : 0;
  if (op.getRotated()) {
    rotate(op, at, y, f);
  }
  if (op.getMapped()) {
    int64_t from = (*op.getMapped())[0], to = (*op.getMapped())[1];
    for (int64_t t = 0; t < y.shape[0]; ++t) {
      for (int64_t column = std::max<int64_t>(from - at, 0);
           column < std::min(to - at, y.shape[1]) && !f.failed(); ++column) {
        auto operands = llvm::map_to_vector(
            with, [&](const Tensor &each) { return each(at + column - from); });
        y(t, column) = applied(op.getEpilogue(), {y(t, column)}, operands, f);
      }
    }
  }
  f.set(op.getResult(0), std::move(y));
}

static void codedProduct(tile::CodedProductOp op, Frame &f) {
  Letters n(f);
  n("TK", op.getX())("T", op.getXScales())("TN", op.getY());
  n("NB", op.getCodes())("NG", op.getScales());
  reference::RoundedRows x{f.read(op.getX()), f.read(op.getXScales())};
  reference::QuantizedWeights w{f.read(op.getCodes()), f.read(op.getScales())};
  if (f.failed()) {
    return;
  }
  if (op.getBits() == 4) {
    w.codes = reference::codesOfNibbles(w.codes, n['K']);
  }
  f.set(op.getResult(0), reference::codedProduct(x, w));
}

void addLinear(Handlers &handlers) {
  handlers.add<tile::CodedProductOp>(codedProduct);
  handlers.add<cpu::LinearOp>(linear);
  handlers.add<cpu::ColumnEpilogueOp>(columnEpilogue);
}

} // namespace cheems::interpreter
