// Verification of the rotary ops.
#include "OpUtils.h"
#include <cmath>

using namespace mlir;
using namespace cheems;

LogicalResult RotaryTableOp::verify() {
  auto cosine = cast<ShapedType>(getCosine().getType());
  int64_t rows = cosine.getDimSize(0);
  if (failed(verifySameShape(*this, "C1", cosine.getShape(),
                             cast<ShapedType>(getSine().getType()).getShape(),
                             "shapes of cosine and sine"))) {
    return failure();
  }
  if (!compatible(cast<ShapedType>(getPosition().getType()).getDimSize(0),
                  rows) ||
      !compatible(cast<ShapedType>(getLength().getType()).getDimSize(0),
                  rows)) {
    return emitOpError(
        "C1: position and length have one entry per row of the tables");
  }
  auto theta = getTheta();
  if (theta.has_value() == getFrequencies().has_value() ||
      (theta && !(theta->convertToDouble() > 0))) {
    return emitOpError("C2: there is either a positive theta or frequencies");
  }
  bool tooSmall =
      !ShapedType::isDynamic(cosine.getDimSize(1)) && cosine.getDimSize(1) < 2;
  if (getDynamic() && (!theta || !(getFactor().convertToDouble() >= 1) ||
                       static_cast<int64_t>(getTrained()) < 1 || tooSmall)) {
    return emitOpError("C3: dynamic needs theta, factor >= 1, trained >= 1 and "
                       "more than 2 numbers that turn");
  }
  if (auto list = getFrequencies()) {
    if (static_cast<int64_t>(list->size()) != cosine.getDimSize(1) ||
        !llvm::all_of(*list,
                      [](double f) { return std::isfinite(f) && f >= 0; })) {
      return emitOpError("C4: each column of cosine has a frequency, finite "
                         "and not negative");
    }
  }
  double magnitude = getMagnitude().convertToDouble();
  if (!(magnitude > 0) || std::isinf(magnitude)) {
    return emitOpError("C5: magnitude is positive and finite");
  }
  return success();
}

LogicalResult RotaryOp::verify() {
  auto x = cast<ShapedType>(getX().getType());
  auto cosine = cast<ShapedType>(getCosine().getType());
  if (failed(verifySameShape(*this, "C1", x.getShape(),
                             cast<ShapedType>(getY().getType()).getShape(),
                             "shapes of x and y"))) {
    return failure();
  }
  int64_t head = x.getDimSize(2);
  if (ShapedType::isDynamic(head) || head % 2 != 0) {
    return emitOpError("C2: the head size is static and even, got ") << x;
  }
  int64_t pairs = cosine.getDimSize(1);
  if (!compatible(cosine.getDimSize(0), x.getDimSize(0)) ||
      ShapedType::isDynamic(pairs) || pairs < 1 || 2 * pairs > head) {
    return emitOpError("C2: cosine is [T, R/2], where R is static and at most "
                       "the head size, got ")
           << cosine << " for " << x;
  }
  return verifySameShape(*this, "C2", cosine.getShape(),
                         cast<ShapedType>(getSine().getType()).getShape(),
                         "shapes of cosine and sine");
}
