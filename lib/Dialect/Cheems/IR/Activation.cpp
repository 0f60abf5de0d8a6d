// Activation functions as arithmetic.
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include <cmath>

using namespace mlir;
using namespace cheems;

/// gelu_tanh has these: -2 sqrt(2 / pi), and the factor of x^2.
static constexpr double kLinear = -M_2_SQRTPI * M_SQRT2, kCubic = 0.044715;

Value cheems::activate(OpBuilder &b, Location loc, Activation activation,
                       Value x) {
  auto constant = [&](double value) -> Value {
    TypedAttr scalar = b.getF32FloatAttr(value);
    if (auto type = dyn_cast<ShapedType>(x.getType())) {
      scalar = DenseElementsAttr::get(type, Attribute(scalar));
    }
    return arith::ConstantOp::create(b, loc, scalar);
  };
  switch (activation) {
  case Activation::SiLU: {
    Value decay = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
    return arith::DivFOp::create(
        b, loc, x, arith::AddFOp::create(b, loc, decay, constant(1)));
  }
  case Activation::GELU: {
    Value scaled = arith::MulFOp::create(b, loc, x, constant(M_SQRT1_2));
    Value cdf = arith::AddFOp::create(
        b, loc, math::ErfOp::create(b, loc, scaled), constant(1));
    return arith::MulFOp::create(
        b, loc, arith::MulFOp::create(b, loc, x, constant(0.5)), cdf);
  }
  case Activation::ReLU:
    return arith::MaximumFOp::create(b, loc, x, constant(0));
  case Activation::GELUTanh: {
    // (1 + tanh u) / 2 = 1 / (1 + e^-2u): this form has no difference of near
    // numbers, and nothing overflows that should not.
    Value square = arith::MulFOp::create(b, loc, x, x);
    Value growth = arith::AddFOp::create(
        b, loc, arith::MulFOp::create(b, loc, square, constant(kCubic)),
        constant(1));
    Value power = arith::MulFOp::create(
        b, loc, arith::MulFOp::create(b, loc, x, constant(kLinear)), growth);
    Value decay = math::ExpOp::create(b, loc, power);
    return arith::DivFOp::create(
        b, loc, x, arith::AddFOp::create(b, loc, decay, constant(1)));
  }
  case Activation::ReLU2: {
    Value positive = arith::MaximumFOp::create(b, loc, x, constant(0));
    return arith::MulFOp::create(b, loc, positive, positive);
  }
  }
  llvm_unreachable("every activation is handled");
}
