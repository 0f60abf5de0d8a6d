// State-space duality of one sequence: ssd, ssd_chunk.
#include "Handlers.h"
#include "SSDInputs.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

namespace cheems::interpreter {
using namespace mlir;

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

void addSSD(Handlers &handlers) {
  addRecurrence<cpu::SSDOp>(handlers);
  addRecurrence<cpu::SSDChunkOp>(handlers);
}

} // namespace cheems::interpreter
