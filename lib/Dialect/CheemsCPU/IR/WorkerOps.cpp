// The worker that runs an iteration.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

void WorkerOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Reading thread state keeps it from moving out of its loop.
  effects.emplace_back(MemoryEffects::Read::get());
}

LogicalResult WorkerOp::verify() {
  if (!(*this)->getParentOfType<scf::ForallOp>()) {
    return emitOpError("C1: must be inside of an scf.forall");
  }
  return success();
}
