// Splits of a sequence's entries: numbers of a block count's binary exponent.
#include "cheems/Conversion/CheemsToCPU/AttentionSplits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;

namespace {
/// Splits between one size and the next, as a power of two.
constexpr int64_t kSteps = 4;
} // namespace

int64_t cheems::splitsOf(int64_t blocks) {
  int64_t shift =
      blocks ? std::max<int64_t>(0, llvm::Log2_64(blocks) - kSteps) : 0;
  return (shift << kSteps) + llvm::divideCeil(blocks, int64_t(1) << shift);
}

/// The binary logarithm of the size of the split that has the block, and of one
/// that ends before it.
Value AttentionSplits::shiftOf(Value block) {
  Type word = b.getI64Type();
  Value zeros = math::CountLeadingZerosOp::create(
      b, loc, arith::IndexCastOp::create(b, loc, word, block));
  Value shift = sub(integer(word, 63 - kSteps), zeros);
  shift = arith::MaxSIOp::create(b, loc, shift, integer(word, 0));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), shift);
}

Value AttentionSplits::splitsOf(Value blocks) {
  Value shift = shiftOf(blocks), one = index(1);
  Value size = shiftLeft(one, shift);
  Value before = shiftLeft(shift, index(kSteps));
  Value whole = sub(add(blocks, size), one);
  return add(before, shiftRight(whole, shift));
}

Value AttentionSplits::splitOf(Value block) {
  Value shift = shiftOf(block);
  return add(shiftLeft(shift, index(kSteps)), shiftRight(block, shift));
}

Value AttentionSplits::firstBlock(Value split) {
  Value sizes = shiftRight(split, index(kSteps));
  Value one = index(1);
  Value shift = sub(arith::MaxUIOp::create(b, loc, sizes, one), one);
  Value before = shiftLeft(shift, index(kSteps));
  return shiftLeft(sub(split, before), shift);
}

Value AttentionSplits::beginsLater(Value block) {
  Value shift = shiftOf(block);
  Value first = shiftLeft(shiftRight(block, shift), shift);
  Value begins =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, first, block);
  Value later =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, block, index(0));
  return arith::AndIOp::create(b, loc, begins, later);
}

Value AttentionSplits::share(Value part, Value parts, Value blocks,
                             Value passed) {
  Value left = passed ? sub(blocks, passed) : blocks;
  Value at = arith::DivUIOp::create(b, loc, mul(left, part), parts);
  if (passed) {
    at = add(at, passed);
  }
  Value split = splitOf(at), next = add(split, 1);
  Value ends = add(firstBlock(split),
                   arith::MinUIOp::create(b, loc, firstBlock(next), blocks));
  Value pastHalf = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         shiftLeft(at, index(1)), ends);
  Value nearest = select(pastHalf, next, split);
  if (passed) {
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, index(0));
    nearest = select(isFirst, split, nearest);
  }
  return arith::MinUIOp::create(b, loc, nearest, splitsOf(blocks));
}
