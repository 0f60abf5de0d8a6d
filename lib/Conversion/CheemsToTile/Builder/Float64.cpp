// Reductions of the argument, and series.
#include "Float64.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

namespace {
// These are constants of IEEE 754 binary64.
constexpr int64_t kMantissaBits = 52, kBias = 1023;
constexpr int64_t kMantissa = (int64_t(1) << kMantissaBits) - 1;

/// Constants and casts of tiles with one shape and layout.
struct Float64 {
  TileBuilder &t;
  RankedTensorType type, bits;

  Float64(TileBuilder &t, Value like)
      : t(t), type(cast<RankedTensorType>(like.getType())),
        bits(t.withElement(type, t.b.getI64Type())) {}

  Value number(double value) { return t.fill(type, value); }
  Value integer(int64_t value) { return t.fillInteger(bits, value); }
  Value toBits(Value x) { return arith::BitcastOp::create(t.b, bits, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(t.b, type, x); }
  Value toInteger(Value x) { return arith::FPToSIOp::create(t.b, bits, x); }
  Value toNumber(Value x) { return arith::SIToFPOp::create(t.b, type, x); }

  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = number(c.back());
    for (double next : llvm::reverse(c.drop_back())) {
      sum = t.fma(sum, x, number(next));
    }
    return sum;
  }
};
} // namespace

/// 1 / from!, sign / (from + step)!, ... The sign of each further term is that
/// of the one before times `sign`.
static SmallVector<double> factorials(int from, int step, int terms,
                                      double sign) {
  SmallVector<double> c;
  double term = 1;
  for (int n = 2; n <= from; ++n) {
    term /= n;
  }
  for (int i = 0, n = from; i < terms; ++i) {
    c.push_back(term);
    term *= sign;
    for (int next = 0; next < step; ++next) {
      term /= ++n;
    }
  }
  return c;
}

/// 2^x = 2^n e^(f ln 2) with |f| <= 1/2.
Value cheems::tile::exp2F64(TileBuilder &t, Value x) {
  constexpr int kTerms = 14; // the next one is below 2^-57
  Float64 f(t, x);
  Value whole = t.roundEven(x);
  Value rest = t.mul(t.sub(x, whole), f.number(llvm::numbers::ln2));
  Value power = f.polynomial(rest, factorials(0, 1, kTerms, 1));
  Value exponent = t.add(f.toInteger(whole), f.integer(kBias));
  Value scale = f.fromBits(
      arith::ShLIOp::create(t.b, exponent, f.integer(kMantissaBits)));
  return t.mul(power, scale);
}

/// log2(2^n m) = n + 2 / ln 2 atanh((m - 1) / (m + 1)) with m near 1.
Value cheems::tile::log2F64(TileBuilder &t, Value x) {
  constexpr int kTerms = 12; // |s| <= 0.1716: the next one is below 2^-60
  Float64 f(t, x);
  Value bits = f.toBits(x);
  Value exponent = t.sub(
      arith::ShRSIOp::create(t.b, bits, f.integer(kMantissaBits)).getResult(),
      f.integer(kBias));
  Value mantissa = f.fromBits(
      arith::OrIOp::create(
          t.b, arith::AndIOp::create(t.b, bits, f.integer(kMantissa)),
          f.integer(kBias << kMantissaBits))
          .getResult());
  Value isHigh = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OGT, mantissa,
                                       f.number(llvm::numbers::sqrt2));
  mantissa = t.select(isHigh, t.mul(mantissa, f.number(0.5)), mantissa);
  Value whole = f.toNumber(exponent);
  whole = t.select(isHigh, t.add(whole, f.number(1)), whole);
  Value s = arith::DivFOp::create(t.b, t.sub(mantissa, f.number(1)),
                                  t.add(mantissa, f.number(1)));
  SmallVector<double> series;
  for (int i = 0; i < kTerms; ++i) {
    series.push_back(2 * llvm::numbers::log2e / (2 * i + 1));
  }
  return t.fma(s, f.polynomial(t.mul(s, s), series), whole);
}

/// angle = n pi/2 + r with |r| <= pi/4. The product n pi/2 is subtracted in
/// two parts: the first difference is exact, because both of its sides are
/// multiples of 2^-52 and it is less than 1 (Cody and Waite).
SineAndCosine cheems::tile::sineAndCosineF64(TileBuilder &t, Value angle) {
  constexpr double kHalfPi = llvm::numbers::pi / 2;
  constexpr double kHalfPiRest = 6.123233995736766e-17; // pi/2 - kHalfPi
  constexpr int kTerms = 8; // the next ones are below 2^-52
  Float64 f(t, angle);
  Value whole = t.roundEven(t.mul(angle, f.number(2 * llvm::numbers::inv_pi)));
  Value rest = t.fma(whole, f.number(-kHalfPi), angle);
  rest = t.fma(whole, f.number(-kHalfPiRest), rest);
  Value square = t.mul(rest, rest);
  Value sine = t.mul(rest, f.polynomial(square, factorials(1, 2, kTerms, -1)));
  Value cosine = f.polynomial(square, factorials(0, 2, kTerms, -1));

  // The quadrant says which of the two it is, and its sign.
  Value quadrant = f.toInteger(whole);
  auto hasBit = [&](Value number, int64_t bit) -> Value {
    return arith::CmpIOp::create(
        t.b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(t.b, number, f.integer(bit)), f.integer(0));
  };
  auto negatedIf = [&](Value condition, Value x) {
    return t.select(condition, arith::NegFOp::create(t.b, x), x);
  };
  Value isOdd = hasBit(quadrant, 1);
  return {negatedIf(hasBit(quadrant, 2), t.select(isOdd, cosine, sine)),
          negatedIf(hasBit(t.add(quadrant, f.integer(1)), 2),
                    t.select(isOdd, sine, cosine))};
}
