// State-space duality: ssd, ssd_chunk, segmented_ssd.
#include "cheems/Reference/SSD.h"
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"

namespace cheems::interpreter {
using namespace mlir;

template <typename OpTy>
static reference::SSDInputs inputsOf(OpTy op, Frame &f) {
  Letters n(f);
  n("THP", op.getX())("TH", op.getStep())("H", op.getA())("TGN", op.getB());
  n("TGN", op.getC())("H", op.getSkip())("THP", op.getY());
  reference::SSDInputs inputs{f.read(op.getX()), f.read(op.getStep()),
                              f.read(op.getA()), f.read(op.getB()),
                              f.read(op.getC()), std::nullopt};
  if (op.getSkip()) {
    inputs.skip = f.read(op.getSkip());
  }
  return inputs;
}

/// A chunk, too: how rows are cut is no part of the meaning, and what a target
/// may round is not rounded.
template <typename OpTy> static void addRecurrence(Handlers &handlers) {
  handlers.add<OpTy>([](OpTy op, Frame &f) {
    reference::SSDInputs inputs = inputsOf(op, f);
    const Tensor &state = f.read(op.getState());
    if (f.failed()) {
      return;
    }
    reference::SSDResult result = reference::ssd(inputs, state);
    f.set(op.getResult(0), std::move(result.y));
    f.set(op.getResult(1), std::move(result.state));
  });
}

static void segmentedSSD(SegmentedSSDOp op, Frame &f) {
  reference::SSDInputs inputs = inputsOf(op, f);
  auto segments = segmentsOf(cast<SegmentedOpInterface>(op.getOperation()),
                             inputs.x.shape[0], f);
  int64_t layer = f.integer(op.getLayer());
  Tensor pool = f.tensor(op.getPool());
  if (f.failed() || !hasSlots(segments, layer, pool, f)) {
    return;
  }
  for (const reference::Segment &s : segments) {
    checkWritten(op.getPool(), {s.slot, layer},
                 s.position == 0 ? 0 : pool.shape[2], f);
  }
  if (f.failed()) {
    return;
  }
  Tensor y = reference::segmentedSSD(inputs, segments, layer, pool);
  f.set(op.getResult(0), std::move(y));
  f.set(op.getResult(1), std::move(pool));
}

void addSSD(Handlers &handlers) {
  addRecurrence<cpu::SSDOp>(handlers);
  addRecurrence<cpu::SSDChunkOp>(handlers);
  handlers.add<SegmentedSSDOp>(segmentedSSD);
}

} // namespace cheems::interpreter
