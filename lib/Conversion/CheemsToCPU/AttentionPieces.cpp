// Pieces of a sequence's entries: numbers of a block count's binary exponent.
#include "cheems/Conversion/CheemsToCPU/AttentionPieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Pieces between one size and the next, as a power of two.
constexpr int64_t kSteps = 4;
} // namespace

int64_t cheems::piecesOf(int64_t blocks) {
  int64_t shift =
      blocks ? std::max<int64_t>(0, llvm::Log2_64(blocks) - kSteps) : 0;
  return (shift << kSteps) + llvm::divideCeil(blocks, int64_t(1) << shift);
}

Value AttentionPieces::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// The binary logarithm of the size of the piece that has the block, and of one
/// that ends before it.
Value AttentionPieces::shiftOf(Value block) {
  Type word = b.getI64Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, word, value);
  };
  Value zeros = math::CountLeadingZerosOp::create(
      b, loc, arith::IndexCastOp::create(b, loc, word, block));
  Value shift = arith::SubIOp::create(b, loc, constant(63 - kSteps), zeros);
  shift = arith::MaxSIOp::create(b, loc, shift, constant(0));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), shift);
}

Value AttentionPieces::piecesOf(Value blocks) {
  Value shift = shiftOf(blocks), one = index(1);
  Value size = arith::ShLIOp::create(b, loc, one, shift);
  Value before = arith::ShLIOp::create(b, loc, shift, index(kSteps));
  Value whole = arith::SubIOp::create(
      b, loc, arith::AddIOp::create(b, loc, blocks, size), one);
  return arith::AddIOp::create(b, loc, before,
                               arith::ShRUIOp::create(b, loc, whole, shift));
}

Value AttentionPieces::pieceOf(Value block) {
  Value shift = shiftOf(block);
  return arith::AddIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, shift, index(kSteps)),
      arith::ShRUIOp::create(b, loc, block, shift));
}

Value AttentionPieces::firstBlock(Value piece) {
  Value sizes = arith::ShRUIOp::create(b, loc, piece, index(kSteps));
  Value one = index(1);
  Value shift = arith::SubIOp::create(
      b, loc, arith::MaxUIOp::create(b, loc, sizes, one), one);
  Value before = arith::ShLIOp::create(b, loc, shift, index(kSteps));
  return arith::ShLIOp::create(
      b, loc, arith::SubIOp::create(b, loc, piece, before), shift);
}

Value AttentionPieces::beginsLater(Value block) {
  Value shift = shiftOf(block);
  Value first = arith::ShLIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, block, shift), shift);
  Value begins =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, first, block);
  Value later =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, block, index(0));
  return arith::AndIOp::create(b, loc, begins, later);
}

Value AttentionPieces::share(Value part, Value parts, Value blocks) {
  Value at = arith::DivUIOp::create(
      b, loc, arith::MulIOp::create(b, loc, blocks, part), parts);
  Value piece = pieceOf(at),
        next = arith::AddIOp::create(b, loc, piece, index(1));
  Value ends = arith::AddIOp::create(
      b, loc, firstBlock(piece),
      arith::MinUIOp::create(b, loc, firstBlock(next), blocks));
  Value pastHalf =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                            arith::ShLIOp::create(b, loc, at, index(1)), ends);
  Value nearest = arith::SelectOp::create(b, loc, pastHalf, next, piece);
  return arith::MinUIOp::create(b, loc, nearest, piecesOf(blocks));
}
