// f64 sine, cosine, exponential and logarithm after fdlibm: the same kernels,
// with reductions that fused multiply-adds make short and selects instead of
// branches.
#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;

namespace {
/// Arithmetic on values of one shape.
struct Maths {
  ImplicitLocOpBuilder &b;
  Type real, integer;

  Maths(ImplicitLocOpBuilder &b, Type type)
      : b(b), real(type), integer(b.getI64Type()) {
    if (auto vector = dyn_cast<VectorType>(type)) {
      integer = vector.clone(integer);
    }
  }

  Value constant(Type type, TypedAttr value) const {
    if (auto vector = dyn_cast<VectorType>(type)) {
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector, Attribute(value)));
    }
    return arith::ConstantOp::create(b, value);
  }
  Value operator()(double value) const {
    return constant(real, b.getF64FloatAttr(value));
  }
  Value bits(uint64_t value) const {
    return constant(integer, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  }

  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, x, y, z);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) const {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value toBits(Value x) const {
    return arith::BitcastOp::create(b, integer, x);
  }
  Value toReal(Value x) const { return arith::BitcastOp::create(b, real, x); }

  /// c[0] + z * (c[1] + z * (...)).
  Value polynomial(Value z, ArrayRef<double> c) const {
    Value sum = (*this)(c.back());
    for (double coefficient : llvm::reverse(c.drop_back())) {
      sum = fma(z, sum, (*this)(coefficient));
    }
    return sum;
  }

  /// x * scale rounded to the nearest integer, as a real and modulo 2^51 as an
  /// integer: adding 1.5 * 2^52 leaves the integer in the low bits of the sum.
  /// Needs |x * scale| < 2^51.
  std::pair<Value, Value> roundedMatmul(Value x, double scale) const {
    Value shift = (*this)(0x1.8p52);
    Value shifted = fma(x, (*this)(scale), shift);
    return {sub(shifted, shift),
            arith::SubIOp::create(b, toBits(shifted), toBits(shift))};
  }

  /// 2^k for the exponents k of normal numbers.
  Value powerOfTwo(Value k) const {
    Value biased = arith::AddIOp::create(b, k, bits(1023));
    return toReal(arith::ShLIOp::create(b, biased, bits(52)));
  }
};

/// x = n * pi/2 + high + low, with n modulo 4 in the low bits of `quadrant`.
struct Reduced {
  Value high, low, quadrant;
};

Reduced reduce(const Maths &m, Value x) {
  auto [n, quadrant] = m.roundedMatmul(x, 0x1.45f306dc9c883p-1);
  Value minus = arith::NegFOp::create(m.b, n);
  // For |x| < 2^30 the first difference is exact: a multiple of 2^-53 below 1.
  // The next two have one rounding each, and its remainder goes to `low`.
  Value first = m.fma(minus, m(0x1.921fb54442d18p+0), x);
  Value middle = m(0x1.1a62633145c07p-54);
  Value high = m.fma(minus, middle, first);
  Value low = m.fma(minus, middle, m.sub(first, high));
  low = m.fma(minus, m(-0x1.f1976b7ed8fbcp-110), low);
  return {high, low, quadrant};
}

Value sineKernel(const Maths &m, const Reduced &r) {
  Value z = m.mul(r.high, r.high), cube = m.mul(z, r.high);
  Value tail =
      m.polynomial(z, {8.33333333332248946124e-03, -1.98412698298579493134e-04,
                       2.75573137070700676789e-06, -2.50507602534068634195e-08,
                       1.58969099521155010221e-10});
  Value inner = m.sub(m.mul(m(0.5), r.low), m.mul(cube, tail));
  Value rest = m.sub(m.mul(z, inner), r.low);
  return m.sub(r.high,
               m.sub(rest, m.mul(cube, m(-1.66666666666666324348e-01))));
}

Value cosineKernel(const Maths &m, const Reduced &r) {
  Value z = m.mul(r.high, r.high);
  Value tail = m.mul(
      z, m.polynomial(
             z, {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                 2.48015872894767294178e-05, -2.75573143513906633035e-07,
                 2.08757232129817482790e-09, -1.13596475577881948265e-11}));
  Value half = m.mul(m(0.5), z), one = m(1);
  Value most = m.sub(one, half);
  Value lost = m.sub(m.sub(one, most), half);
  return m.add(most, m.add(lost, m.sub(m.mul(z, tail), m.mul(r.high, r.low))));
}

/// sin(x + quarters * pi/2).
Value expandShiftedSine(ImplicitLocOpBuilder &b, Value x, uint64_t quarters) {
  Maths m(b, x.getType());
  Reduced r = reduce(m, x);
  Value quadrant = arith::AddIOp::create(b, r.quadrant, m.bits(quarters));
  Value odd = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, quadrant, m.bits(1)), m.bits(0));
  Value value = m.select(odd, cosineKernel(m, r), sineKernel(m, r));
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, quadrant, m.bits(2)), m.bits(62));
  return m.toReal(arith::XOrIOp::create(b, m.toBits(value), sign));
}
} // namespace

Value cheems::expandSine(ImplicitLocOpBuilder &b, Value x) {
  return expandShiftedSine(b, x, 0);
}

Value cheems::expandCosine(ImplicitLocOpBuilder &b, Value x) {
  return expandShiftedSine(b, x, 1);
}

Value cheems::expandExp(ImplicitLocOpBuilder &b, Value x) {
  Maths m(b, x.getType());
  // Beyond these bounds the result is 0 or infinity anyway, and 2^k would leave
  // the exponents of normal numbers.
  x = arith::MaximumFOp::create(b, arith::MinimumFOp::create(b, x, m(710)),
                                m(-746));
  auto [n, k] = m.roundedMatmul(x, 0x1.71547652b82fep+0);
  Value high = m.fma(n, m(-6.93147180369123816490e-01), x);
  Value low = m.mul(n, m(1.90821492927058770002e-10));
  Value r = m.sub(high, low), z = m.mul(r, r);
  Value tail = m.mul(
      z,
      m.polynomial(z, {1.66666666666666019037e-01, -2.77777777770155933842e-03,
                       6.61375632143793436117e-05, -1.65339022054652515390e-06,
                       4.13813679705723846039e-08}));
  Value c = m.sub(r, tail);
  Value ratio = m.div(m.mul(r, c), m.sub(m(2), c));
  Value y = m.sub(m(1), m.sub(m.sub(low, ratio), high));
  // Two factors: 2^k itself may be too small or too large for a normal number.
  Value half = arith::ShRSIOp::create(b, k, m.bits(1));
  return m.mul(m.mul(y, m.powerOfTwo(half)),
               m.powerOfTwo(arith::SubIOp::create(b, k, half)));
}

Value cheems::expandLog(ImplicitLocOpBuilder &b, Value x) {
  Maths m(b, x.getType());
  constexpr uint64_t one = 0x3ff0000000000000, rootHalf = 0x3fe6a09e00000000;
  Value zero = m(0), infinity = m(std::numeric_limits<double>::infinity());
  Value small = m.compare(arith::CmpFPredicate::OLT, x,
                          m(std::numeric_limits<double>::min()));
  Value normal = m.select(small, m.mul(x, m(0x1p54)), x);
  // x = 2^k * (1 + f), sqrt(1/2) < 1 + f < sqrt(2)
  Value moved =
      arith::AddIOp::create(b, m.toBits(normal), m.bits(one - rootHalf));
  Value exponent = arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, moved, m.bits(52)), m.bits(1023));
  Value fraction = arith::AndIOp::create(b, moved, m.bits(0x000fffffffffffff));
  Value f = m.sub(
      m.toReal(arith::AddIOp::create(b, fraction, m.bits(rootHalf))), m(1));
  Value k = m.sub(arith::SIToFPOp::create(b, m.real, exponent),
                  m.select(small, m(54), zero));
  Value halfSquare = m.mul(m(0.5), m.mul(f, f));
  Value s = m.div(f, m.add(m(2), f)), z = m.mul(s, s);
  Value tail = m.mul(
      z, m.polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                          2.857142874366239149e-01, 2.222219843214978396e-01,
                          1.818357216161805012e-01, 1.531383769920937332e-01,
                          1.479819860511658591e-01}));
  Value sum = m.fma(k, m(1.90821492927058770002e-10),
                    m.mul(s, m.add(halfSquare, tail)));
  Value result =
      m.fma(k, m(6.93147180369123816490e-01), m.add(m.sub(sum, halfSquare), f));
  result = m.select(m.compare(arith::CmpFPredicate::OEQ, x, infinity), infinity,
                    result);
  result = m.select(m.compare(arith::CmpFPredicate::OEQ, x, zero),
                    m(-std::numeric_limits<double>::infinity()), result);
  Value negative = m.compare(arith::CmpFPredicate::ULT, x, zero);
  return m.select(negative, m(std::numeric_limits<double>::quiet_NaN()),
                  result);
}
