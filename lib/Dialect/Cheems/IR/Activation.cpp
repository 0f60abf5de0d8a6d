// Activation functions as arithmetic.
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include <cmath>

using namespace mlir;
using namespace cheems;

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
  }
  llvm_unreachable("every activation is handled");
}
