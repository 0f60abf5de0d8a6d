#include "EpilogueUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LogicalResult cheems::cpu::verifyEpilogue(Operation *op, Region &epilogue,
                                          size_t count, const Twine &takes) {
  if (!epilogue.hasOneBlock()) {
    return op->emitOpError("C4: the epilogue is one block");
  }
  Block &block = epilogue.front();
  if (block.getNumArguments() != count ||
      !llvm::all_of(block.getArgumentTypes(),
                    [](Type type) { return type.isF32(); })) {
    return op->emitOpError("C4: the epilogue takes one f32 for ") << takes;
  }
  if (block.empty() || !isa<YieldOp>(block.back())) {
    return op->emitOpError("C5: the epilogue ends with cheems_cpu.yield");
  }
  for (Operation &inner : block.without_terminator()) {
    if (!isOnScalars(&inner)) {
      return op->emitOpError("C5: the epilogue holds elementwise ops and "
                             "constants on scalars only, not ")
             << inner.getName();
    }
  }
  return success();
}
