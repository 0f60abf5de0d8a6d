// arith on floats, constants, and what goes between floats and integers.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "Elements.h"
#include "Handlers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

template <typename OpTy>
static void addUnary(Handlers &handlers, double (*function)(double)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    f.setReal(op->getResult(0), function(f.real(op->getOperand(0))));
  });
}

template <typename OpTy>
static void addBinary(Handlers &handlers, double (*function)(double, double)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    f.setReal(op->getResult(0),
              function(f.real(op->getOperand(0)), f.real(op->getOperand(1))));
  });
}

/// Both zeros are told apart, and NaN wins: as `arith` says of maximumf.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return a < b || a > b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  }
  llvm_unreachable("every predicate is handled");
}

static void constant(arith::ConstantOp op, Frame &f) {
  Type element = getElementTypeOrSelf(op.getType());
  auto whole = [&](const APInt &value) {
    return value.getBitWidth() == 1 ? int64_t(value.getBoolValue())
                                    : value.getSExtValue();
  };
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() > 64) {
    f.fail() << "cannot be interpreted: " << element << " is too wide";
    return;
  }
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    f.set(op.getResult(), number.getValueAsDouble());
  } else if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    f.set(op.getResult(), whole(integer.getValue()));
  } else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
             dense && element.isIntOrIndexOrFloat()) {
    Tensor values(dense.getType().getShape());
    if (isa<FloatType>(element)) {
      for (auto [i, value] : llvm::enumerate(dense.getValues<APFloat>())) {
        values.data[i] = value.convertToDouble();
      }
    } else {
      for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>())) {
        values.data[i] = static_cast<double>(whole(value));
      }
    }
    f.set(op.getResult(), std::move(values));
  } else {
    f.fail() << "cannot be interpreted";
  }
}

/// Adds the handler that converts a number to an integer of the result's width,
/// which has to hold it.
template <typename OpTy> static void addToInteger(Handlers &handlers) {
  handlers.add<OpTy>([](OpTy op, Frame &f) {
    double whole = std::trunc(f.real(op.getIn()));
    unsigned width = op.getType().getIntOrFloatBitWidth();
    bool isSigned = std::is_same_v<OpTy, arith::FPToSIOp>;
    double end = std::ldexp(1.0, isSigned ? width - 1 : width);
    if (!(whole >= (isSigned ? -end : 0.0) && whole < end)) {
      f.fail() << "cannot make an integer of " << f.real(op.getIn());
      return;
    }
    f.set(op.getResult(),
          isSigned ? static_cast<int64_t>(whole)
                   : llvm::SignExtend64(static_cast<uint64_t>(whole), width));
  });
}

void addArith(Handlers &handlers) {
  handlers.add<arith::ConstantOp>(constant);
  addUnary<arith::NegFOp>(handlers, [](double x) { return -x; });
  addUnary<arith::ExtFOp>(handlers, [](double x) { return x; });
  addUnary<arith::TruncFOp>(handlers, [](double x) { return x; });
  addBinary<arith::AddFOp>(handlers, [](double a, double b) { return a + b; });
  addBinary<arith::SubFOp>(handlers, [](double a, double b) { return a - b; });
  addBinary<arith::MulFOp>(handlers, [](double a, double b) { return a * b; });
  addBinary<arith::DivFOp>(handlers, [](double a, double b) { return a / b; });
  addBinary<arith::RemFOp>(handlers,
                           [](double a, double b) { return std::fmod(a, b); });
  addBinary<arith::MaximumFOp>(handlers, maximum);
  addBinary<arith::MinimumFOp>(
      handlers, [](double a, double b) { return -maximum(-a, -b); });
  addBinary<arith::MaxNumFOp>(
      handlers, [](double a, double b) { return std::fmax(a, b); });
  addBinary<arith::MinNumFOp>(
      handlers, [](double a, double b) { return std::fmin(a, b); });
  handlers.add<arith::CmpFOp>([](arith::CmpFOp op, Frame &f) {
    f.set(op.getResult(),
          int64_t(compare(op.getPredicate(), f.real(op.getLhs()),
                          f.real(op.getRhs()))));
  });
  handlers.add<arith::SelectOp>([](arith::SelectOp op, Frame &f) {
    f.set(op.getResult(),
          f.value(f.integer(op.getCondition()) != 0 ? op.getTrueValue()
                                                    : op.getFalseValue()));
  });
  addToInteger<arith::FPToSIOp>(handlers);
  addToInteger<arith::FPToUIOp>(handlers);
}

} // namespace cheems::interpreter
