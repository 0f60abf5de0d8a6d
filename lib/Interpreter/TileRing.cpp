// Rings of stages, and bulk_copy, which fills them.
#include "Handlers.h"
#include "TileAccess.h"
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

/// Stages are filled as early as the ring lets its filler: so what a step still
/// takes of a stage that is free is not what it was.
static void ring(tile::RingOp op, Frame &f) {
  int64_t steps = f.integer(op.getSteps()), stages = int64_t(op.getStages());
  SmallVector<RuntimeValue> carried;
  for (Value init : op.getInits()) {
    carried.push_back(f.value(init));
  }
  int64_t filled = 0;
  for (int64_t step = 0; step < steps && !f.failed(); ++step) {
    // The stages of this step and of the one before are not free.
    int64_t ahead = std::min(steps, std::max(stages, step + stages - 1));
    for (; filled < ahead && !f.failed(); ++filled) {
      (void)f.run(op.getFill().front(), {filled, filled % stages});
    }
    SmallVector<RuntimeValue> arguments{step, step % stages};
    llvm::append_range(arguments, carried);
    carried = f.run(op.getUse().front(), arguments);
  }
  if (f.failed()) {
    return;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried)) {
    f.set(result, value);
  }
}

/// Fills steps of a ring below `ahead`.
static void fillSteps(tile::FillRingOp op, int64_t ahead, Frame &f) {
  int64_t &filled = f.tileBlock->rings[op].filled;
  ahead = std::min(ahead, f.integer(op.getSteps()));
  for (; filled < ahead && !f.failed(); ++filled) {
    (void)f.run(op.getFill().front(), {filled, filled % op.getStages()});
  }
}

/// Acts as `ring`: stages are filled as early as they are free.
static void fillRing(tile::FillRingOp op, Frame &f) {
  f.tileBlock->rings[op] = {};
  f.set(op.getRing(), int64_t(0)); // the op says which one it is
  fillSteps(op, op.getStages(), f);
}

static void waitForStage(tile::WaitForStageOp op, Frame &f) {
  auto ring = op.getRing().getDefiningOp<tile::FillRingOp>();
  TileBlock::Steps &steps = f.tileBlock->rings[ring];
  int64_t step = f.integer(op.getStep());
  if (step > steps.awaited || step >= steps.filled) {
    f.fail() << "waits for step " << step << ", where " << steps.awaited
             << " are waited for and " << steps.filled << " are filled";
    return;
  }
  steps.awaited = std::max(steps.awaited, step + 1);
}

static void freeStage(tile::FreeStageOp op, Frame &f) {
  auto ring = op.getRing().getDefiningOp<tile::FillRingOp>();
  int64_t step = f.integer(op.getStep());
  if (step >= f.tileBlock->rings[ring].awaited) {
    f.fail() << "frees step " << step << ", which nobody has waited for";
    return;
  }
  fillSteps(ring, step + 1 + ring.getStages(), f);
}

/// The copy is done at once, as its uses come after it. It writes zeros where
/// the box is outside. What nothing has written may be copied, too, as NaN:
/// results may not depend on it.
static void bulkCopy(tile::BulkCopyOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  int64_t rows = op.getMap().getType().getRows(), columns = buffer.getColumns(),
          boxes = buffer.getRows() / rows, number = f.integer(op.getStage());
  if (!firstOf(buffer, number < 0 ? number : number / boxes, f)) {
    return;
  }
  Memory &source = f.memory(op.getMap());
  ArrayRef<int64_t> shape = source.contents().shape;
  int64_t row = f.integer(op.getRow()), column = f.integer(op.getColumn());
  if (row < 0 || column < 0) {
    f.fail() << "begins at [" << row << ", " << column << "]" << inBlock(f);
    return;
  }
  int64_t bytes = buffer.getElementBytes();
  constexpr int64_t together = 16; // bytes
  if (shape[0] > 1 && shape[1] * bytes % together != 0) {
    f.fail() << "copies of rows of " << shape[1] * bytes
             << " bytes, no multiple of " << together << inBlock(f);
    return;
  }
  Memory &into = f.memory(op.getBuffer());
  int64_t first = number * rows * columns;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      bool isInside = row + i < shape[0] && column + j < shape[1];
      int64_t place = (row + i) * shape[1] + column + j;
      double element = 0;
      if (isInside) {
        bool isWritten = !isUninitialised(source.contents().data[place]);
        element = isWritten ? readElement(source, place, f)
                            : std::numeric_limits<double>::quiet_NaN();
      }
      into.write(first + i * columns + j, element, f.tileBlock->number);
    }
  }
}

void addTileRing(Handlers &handlers) {
  handlers.add<tile::RingOp>(ring);
  handlers.add<tile::FillRingOp>(fillRing);
  handlers.add<tile::WaitForStageOp>(waitForStage);
  handlers.add<tile::FreeStageOp>(freeStage);
  handlers.addTerminator<tile::RingYieldOp>();
  handlers.add<tile::BulkCopyOp>(bulkCopy);
}

} // namespace cheems::interpreter
