// Integers and indices, as wide as their types.
#include "Handlers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace cheems::interpreter {
using namespace mlir;

/// An index has 64 bits.
static unsigned widthOf(Type type) {
  return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

/// What stands for the low bits of a number: sign extended, i1 as 0 or 1.
static int64_t wrapped(uint64_t bits, Type type) {
  unsigned width = widthOf(type);
  return width == 1 ? int64_t(bits & 1) : llvm::SignExtend64(bits, width);
}

namespace {
/// A number in both readings.
struct Bits {
  int64_t asSigned;
  uint64_t asUnsigned;
  unsigned width;
};
} // namespace

static Bits bitsOf(Frame &f, Value value) {
  unsigned width = widthOf(value.getType());
  int64_t number = f.integer(value);
  return {width == 1 ? -number : number,
          static_cast<uint64_t>(number) &
              llvm::maskTrailingOnes<uint64_t>(width),
          width};
}

/// A result as wide as the operands.
template <typename OpTy>
static void addBinary(Handlers &handlers, uint64_t (*function)(Bits, Bits)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    uint64_t bits = function(bitsOf(f, op.getLhs()), bitsOf(f, op.getRhs()));
    f.set(op.getResult(), wrapped(bits, op.getType()));
  });
}

/// Division by zero, and of the least number by -1, is an error.
template <typename OpTy>
static void addDivision(Handlers &handlers, uint64_t (*function)(Bits, Bits)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    Bits left = bitsOf(f, op.getLhs()), right = bitsOf(f, op.getRhs());
    if (right.asUnsigned == 0 ||
        (right.asSigned == -1 && left.asSigned == llvm::minIntN(left.width))) {
      f.fail() << "divides " << left.asSigned << " by " << right.asSigned;
      return;
    }
    f.set(op.getResult(), wrapped(function(left, right), op.getType()));
  });
}

/// A shift by as much as the width, or more, is an error.
template <typename OpTy>
static void addShift(Handlers &handlers, uint64_t (*function)(Bits, Bits)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    Bits left = bitsOf(f, op.getLhs()), right = bitsOf(f, op.getRhs());
    if (right.asUnsigned >= left.width) {
      f.fail() << "shifts by " << right.asUnsigned << " of " << left.width
               << " bits";
      return;
    }
    f.set(op.getResult(), wrapped(function(left, right), op.getType()));
  });
}

/// Between widths: of the operand's sign or none.
template <typename OpTy>
static void addCast(Handlers &handlers, bool isSigned) {
  handlers.add<OpTy>([isSigned](OpTy op, Frame &f) {
    Bits from = bitsOf(f, op.getIn());
    f.set(op.getResult(),
          wrapped(isSigned ? static_cast<uint64_t>(from.asSigned)
                           : from.asUnsigned,
                  op.getType()));
  });
}

static bool compare(arith::CmpIPredicate predicate, Bits a, Bits b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a.asUnsigned == b.asUnsigned;
  case P::ne:
    return a.asUnsigned != b.asUnsigned;
  case P::slt:
    return a.asSigned < b.asSigned;
  case P::sle:
    return a.asSigned <= b.asSigned;
  case P::sgt:
    return a.asSigned > b.asSigned;
  case P::sge:
    return a.asSigned >= b.asSigned;
  case P::ult:
    return a.asUnsigned < b.asUnsigned;
  case P::ule:
    return a.asUnsigned <= b.asUnsigned;
  case P::ugt:
    return a.asUnsigned > b.asUnsigned;
  case P::uge:
    return a.asUnsigned >= b.asUnsigned;
  }
  llvm_unreachable("every predicate is handled");
}

/// Returns the bits of an f32, to which the operand is rounded here, or the f32
/// that has the bits.
static void bitcast(arith::BitcastOp op, Frame &f) {
  Type from = op.getIn().getType(), to = op.getType();
  if (from.isF32() && to.isInteger(32)) {
    auto bits = llvm::bit_cast<uint32_t>(float(f.real(op.getIn())));
    f.set(op.getResult(), wrapped(bits, to));
  } else if (from.isInteger(32) && to.isF32()) {
    auto bits = static_cast<uint32_t>(f.integer(op.getIn()));
    f.set(op.getResult(), double(llvm::bit_cast<float>(bits)));
  } else {
    f.fail() << "cannot be interpreted but between f32 and i32";
  }
}

static void addDivisions(Handlers &handlers) {
  addDivision<arith::DivSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return a.asSigned / b.asSigned;
  });
  addDivision<arith::DivUIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned / b.asUnsigned; });
  addDivision<arith::RemSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return a.asSigned % b.asSigned;
  });
  addDivision<arith::RemUIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned % b.asUnsigned; });
  addDivision<arith::CeilDivSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return llvm::divideCeilSigned(a.asSigned, b.asSigned);
  });
  addDivision<arith::FloorDivSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return llvm::divideFloorSigned(a.asSigned, b.asSigned);
  });
  addDivision<arith::CeilDivUIOp>(handlers, [](Bits a, Bits b) {
    return a.asUnsigned / b.asUnsigned +
           uint64_t(a.asUnsigned % b.asUnsigned != 0);
  });
  addShift<arith::ShLIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned << b.asUnsigned; });
  addShift<arith::ShRUIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned >> b.asUnsigned; });
  addShift<arith::ShRSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return a.asSigned >> b.asUnsigned;
  });
}

void addIntegers(Handlers &handlers) {
  addDivisions(handlers);
  addBinary<arith::AddIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned + b.asUnsigned; });
  addBinary<arith::SubIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned - b.asUnsigned; });
  addBinary<arith::MulIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned * b.asUnsigned; });
  addBinary<arith::AndIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned & b.asUnsigned; });
  addBinary<arith::OrIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned | b.asUnsigned; });
  addBinary<arith::XOrIOp>(
      handlers, [](Bits a, Bits b) { return a.asUnsigned ^ b.asUnsigned; });
  addBinary<arith::MaxUIOp>(handlers, [](Bits a, Bits b) {
    return std::max(a.asUnsigned, b.asUnsigned);
  });
  addBinary<arith::MinUIOp>(handlers, [](Bits a, Bits b) {
    return std::min(a.asUnsigned, b.asUnsigned);
  });
  addBinary<arith::MaxSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return std::max(a.asSigned, b.asSigned);
  });
  addBinary<arith::MinSIOp>(handlers, [](Bits a, Bits b) -> uint64_t {
    return std::min(a.asSigned, b.asSigned);
  });
  addCast<arith::ExtSIOp>(handlers, true);
  addCast<arith::ExtUIOp>(handlers, false);
  addCast<arith::TruncIOp>(handlers, true);
  addCast<arith::IndexCastOp>(handlers, true);
  addCast<arith::IndexCastUIOp>(handlers, false);
  handlers.add<arith::BitcastOp>(bitcast);
  handlers.add<arith::CmpIOp>([](arith::CmpIOp op, Frame &f) {
    f.set(op.getResult(),
          int64_t(compare(op.getPredicate(), bitsOf(f, op.getLhs()),
                          bitsOf(f, op.getRhs()))));
  });
  handlers.add<math::CountLeadingZerosOp>(
      [](math::CountLeadingZerosOp op, Frame &f) {
        Bits bits = bitsOf(f, op.getOperand());
        f.set(op.getResult(),
              int64_t(llvm::countl_zero(bits.asUnsigned)) - (64 - bits.width));
      });
  handlers.add<arith::SIToFPOp>([](arith::SIToFPOp op, Frame &f) {
    f.setReal(op.getResult(), double(bitsOf(f, op.getIn()).asSigned));
  });
  handlers.add<arith::UIToFPOp>([](arith::UIToFPOp op, Frame &f) {
    f.setReal(op.getResult(), double(bitsOf(f, op.getIn()).asUnsigned));
  });
}

} // namespace cheems::interpreter
