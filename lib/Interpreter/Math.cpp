// The math dialect, of numbers.
#include "mlir/Dialect/Math/IR/Math.h"
#include "Handlers.h"
#include <cmath>

namespace cheems::interpreter {
using namespace mlir;

template <typename OpTy>
static void addUnary(Handlers &handlers, double (*function)(double)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    f.setReal(op.getResult(), function(f.real(op->getOperand(0))));
  });
}

template <typename OpTy>
static void addBinary(Handlers &handlers, double (*function)(double, double)) {
  handlers.add<OpTy>([function](OpTy op, Frame &f) {
    f.setReal(op.getResult(),
              function(f.real(op.getLhs()), f.real(op.getRhs())));
  });
}

void addMath(Handlers &handlers) {
  addUnary<math::AbsFOp>(handlers, [](double x) { return std::fabs(x); });
  addUnary<math::CeilOp>(handlers, [](double x) { return std::ceil(x); });
  addUnary<math::CosOp>(handlers, [](double x) { return std::cos(x); });
  addUnary<math::ErfOp>(handlers, [](double x) { return std::erf(x); });
  addUnary<math::ExpOp>(handlers, [](double x) { return std::exp(x); });
  addUnary<math::Exp2Op>(handlers, [](double x) { return std::exp2(x); });
  addUnary<math::ExpM1Op>(handlers, [](double x) { return std::expm1(x); });
  addUnary<math::FloorOp>(handlers, [](double x) { return std::floor(x); });
  addUnary<math::LogOp>(handlers, [](double x) { return std::log(x); });
  addUnary<math::Log1pOp>(handlers, [](double x) { return std::log1p(x); });
  addUnary<math::Log2Op>(handlers, [](double x) { return std::log2(x); });
  addUnary<math::RoundEvenOp>(handlers,
                              [](double x) { return std::nearbyint(x); });
  addUnary<math::RsqrtOp>(handlers,
                          [](double x) { return 1.0 / std::sqrt(x); });
  addUnary<math::SinOp>(handlers, [](double x) { return std::sin(x); });
  addUnary<math::SqrtOp>(handlers, [](double x) { return std::sqrt(x); });
  addUnary<math::TanhOp>(handlers, [](double x) { return std::tanh(x); });
  addBinary<math::CopySignOp>(
      handlers, [](double x, double y) { return std::copysign(x, y); });
  addBinary<math::PowFOp>(handlers,
                          [](double x, double y) { return std::pow(x, y); });
  handlers.add<math::FmaOp>([](math::FmaOp op, Frame &f) {
    f.setReal(op.getResult(), std::fma(f.real(op.getA()), f.real(op.getB()),
                                       f.real(op.getC())));
  });
}

} // namespace cheems::interpreter
