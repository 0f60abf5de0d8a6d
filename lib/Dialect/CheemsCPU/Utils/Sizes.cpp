// Sizes that ops carry as attributes.
#include "cheems/Dialect/CheemsCPU/Utils/Sizes.h"

using namespace mlir;

FailureOr<int64_t> cheems::takeSize(Operation *op, StringRef name,
                                    int64_t otherwise) {
  int64_t size = otherwise;
  if (Attribute given = op->getDiscardableAttr(name)) {
    auto number = dyn_cast<IntegerAttr>(given);
    if (!number || !number.getType().isSignlessInteger(64)) {
      return op->emitOpError() << name << " is not an i64: " << given;
    }
    size = number.getInt();
    op->removeDiscardableAttr(name);
  }
  if (size < 1) {
    return op->emitOpError()
           << "needs " << name << " of at least 1, not " << size;
  }
  return size;
}
