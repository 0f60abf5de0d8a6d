// Transposes squares of vectors: blocks off the diagonal, half as large in each
// round, are exchanged.
#include "Transpose.h"

using namespace mlir;

void cheems::transposeSquare(OpBuilder &b, Location loc,
                             SmallVectorImpl<Value> &square) {
  int64_t lanes = static_cast<int64_t>(square.size());
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> low, high; // of the pair put one after the other
    for (int64_t c = 0; c < lanes; ++c) {
      bool second = c & distance;
      low.push_back(second ? lanes + c - distance : c);
      high.push_back(second ? lanes + c : c + distance);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & distance) {
        continue;
      }
      Value first = square[i], second = square[i + distance];
      square[i] = vector::ShuffleOp::create(b, loc, first, second, low);
      square[i + distance] =
          vector::ShuffleOp::create(b, loc, first, second, high);
    }
  }
}
