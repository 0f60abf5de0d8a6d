// Verification of retrieve_experts and mix_experts.
#include "OpUtils.h"
#include <limits>

using namespace mlir;
using namespace cheems;

LogicalResult RetrieveExpertsOp::verify() {
  ArrayRef<int64_t> scores = shapeOf(getScores()), found = shapeOf(getScore());
  int64_t rows[] = {scores[0], scores[2], found[2]};
  if (failed(verifySameShape(*this, "C1", found, shapeOf(getExpert()),
                             "shapes of score and expert")) ||
      failed(verifySameShape(*this, "C1", found, rows,
                             "T and H of score and scores"))) {
    return failure();
  }
  int64_t keys = scores[3], k = found[2];
  if (scores[1] != 2 || ShapedType::isDynamic(scores[2]) ||
      ShapedType::isDynamic(keys) || ShapedType::isDynamic(k) ||
      ShapedType::isDynamic(found[1])) {
    return emitOpError(
               "C2: scores is [T, 2, H, K] with static H, K and k, got ")
           << getScores().getType();
  }
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (k < 1 || keys < 1 || keys > most / keys || k > keys * keys) {
    return emitOpError("C3: retrieves between 1 and K * K < 2^31 experts, got ")
           << k << " of " << keys << " keys a half";
  }
  return success();
}

LogicalResult MixExpertsOp::verify() {
  ArrayRef<int64_t> x = shapeOf(getX()), score = shapeOf(getScore()),
                    down = shapeOf(getDown());
  if (failed(verifySameShape(*this, "C1", x, shapeOf(getY()),
                             "shapes of x and y")) ||
      failed(verifySameShape(*this, "C2", score, shapeOf(getExpert()),
                             "shapes of score and expert"))) {
    return failure();
  }
  if (!compatible(x[0], score[0])) {
    return emitOpError("C2: score has one row per row of x, got ")
           << getScore().getType() << " for " << getX().getType();
  }
  // On buffers the two may be parts of one, at offsets of their own.
  if (shapeOf(getUp()) != down ||
      getElementTypeOrSelf(getUp()) != getElementTypeOrSelf(getDown()) ||
      !compatible(down[1], x[1])) {
    return emitOpError(
        "C3: down and up have the same type [E, D], with the D of x");
  }
  for (int64_t extent :
       {x[1], score[1], score[2], down[0], down[1], shapeOf(getY())[1],
        shapeOf(getExpert())[1], shapeOf(getExpert())[2]}) {
    if (ShapedType::isDynamic(extent)) {
      return emitOpError("C4: D, E, H and k are static");
    }
  }
  bool codes = getElementTypeOrSelf(getDown()).isInteger();
  auto suits = [&](Value scales) {
    return codes ? scales && shapeOf(scales)[0] == down[0] : !scales;
  };
  if (!suits(getDownScales()) || !suits(getUpScales())) {
    return emitOpError("C5: tables of i8 have down_scales and up_scales [E], "
                       "and others have none");
  }
  return success();
}
