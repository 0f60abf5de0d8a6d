// segmented_ssd.
#include "Handlers.h"
#include "SSDInputs.h"
#include "SegmentTable.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addSegmentedSSD(Handlers &handlers) {
  handlers.add<SegmentedSSDOp>(segmentedSSD);
}

} // namespace cheems::interpreter
