// column_epilogue.
#include "Epilogue.h"
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Reference/Rotary.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addColumnEpilogue(Handlers &handlers) {
  handlers.add<cpu::ColumnEpilogueOp>(columnEpilogue);
}

} // namespace cheems::interpreter
