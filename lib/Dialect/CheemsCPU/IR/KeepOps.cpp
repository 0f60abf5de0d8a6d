// Verification of keep_threshold and keep_update.
#include "EntryScales.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LogicalResult KeepThresholdOp::verify() {
  if (failed(verifySameShape(*this, "C1", shapeOf(getMask()),
                             shapeOf(getPosition()),
                             "shapes of mask and position")) ||
      failed(verifySameShape(*this, "C2", shapeOf(getThreshold()),
                             shapeOf(getLast()),
                             "shapes of threshold and last"))) {
    return failure();
  }
  if (!compatible(shapeOf(getMask())[0], shapeOf(getThreshold())[1])) {
    return emitOpError("C2: threshold has one column per head of mask");
  }
  if (int64_t keep = getKeepAttr().getInt(); keep < 1) {
    return emitOpError("C3: keeps at least one key, got ") << keep;
  }
  if (!getMovesTo()) {
    return success();
  }
  if (!compatible(shapeOf(getThreshold())[0], 1)) {
    return emitOpError("C4: place is given only for one row, got ")
           << getThreshold().getType();
  }
  return verifySameShape(*this, "C4", shapeOf(getMovesTo()),
                         shapeOf(getThreshold()),
                         "shapes of moves_to and threshold");
}

LogicalResult KeepUpdateOp::verify() {
  if (getKeys().getType() != getValues().getType()) {
    return emitOpError("C1: keys and values have the same type");
  }
  ArrayRef<int64_t> entries = shapeOf(getKeys()).drop_back();
  if (failed(verifySameShape(*this, "C2", shapeOf(getMask()), entries,
                             "shapes of mask and [M, C]")) ||
      failed(verifySameShape(*this, "C2", shapeOf(getPosition()), entries,
                             "shapes of position and [M, C]"))) {
    return failure();
  }
  if (!compatible(shapeOf(getThreshold())[0], entries[0]) ||
      !compatible(shapeOf(getLast())[0], entries[0])) {
    return emitOpError("C3: threshold and last have one entry per head");
  }
  if (int64_t keep = getKeepAttr().getInt(); keep < 1) {
    return emitOpError("C4: keeps at least one key, got ") << keep;
  }
  if (getMovesTo() && !compatible(shapeOf(getMovesTo())[0], entries[0])) {
    return emitOpError("C6: moves_to has one entry per head");
  }
  return verifyEntryScales(*this, "C5");
}
