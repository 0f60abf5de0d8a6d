// The attention kernel's softmax: of a tile's scores the weights, and its
// members' maxima and sums brought up to date.
#include "Attention.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace cheems;

/// Keeps those entries of a group that are `inside`, and writes `fill` for the
/// others.
Value AttentionKernel::masked(Value buffer, Value head, Value from,
                              Value inside, TypedAttr fill) {
  auto type = VectorType::get(
      {kGroup}, cast<MemRefType>(buffer.getType()).getElementType());
  Value pass = spread(type, arith::ConstantOp::create(b, loc, fill));
  return vector::MaskedLoadOp::create(b, loc, type, buffer,
                                      ValueRange{head, from}, inside, pass);
}

/// Which of a group's entries the row sees, given those `inside` its range.
Value AttentionKernel::visible(Value row, Value maskHead, Value mask,
                               Value from, Value inside) {
  VectorType group = vectorOf(kGroup);
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, loc, x, y);
  };
  if (op.getKind() == MaskKind::Threshold) {
    Value bound =
        spread(group, f32(leastF32(*op.getHideBelow()).convertToFloat()));
    return both(inside, arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                              mask, bound));
  }
  if (!op.getThreshold()) {
    return inside;
  }
  Value position =
      masked(op.getPosition(), maskHead, from, inside, b.getI32IntegerAttr(0));
  Value bound =
      spread(group, memref::LoadOp::create(b, loc, op.getThreshold(),
                                           ValueRange{row, maskHead}));
  Value last = spread(
      cast<VectorType>(position.getType()),
      memref::LoadOp::create(b, loc, op.getLast(), ValueRange{row, maskHead}));
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, mask, bound);
  Value tie =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, bound);
  Value early =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, position, last);
  return both(inside, arith::OrIOp::create(b, loc, above, both(tie, early)));
}

/// The greater of two, in one instruction. It is c if the two are equal or
/// unordered. A NaN may be lost here. But its exponential is NaN and reaches
/// the sum: see weigh().
Value AttentionKernel::greatest(Value a, Value c) {
  Value greater =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, a, c);
  return select(greater, a, c);
}

/// Halves combined until one is left.
template <typename Combine>
Value AttentionKernel::reduce(Value group, Combine combine) {
  for (int64_t half = kGroup / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, group, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{half},
          ArrayRef<int64_t>{1});
    };
    group = combine(part(0), part(half));
  }
  return vector::ExtractOp::create(b, loc, group, ArrayRef<int64_t>{0});
}

/// Scales and masks the scores of member i, -infinity where it sees nothing,
/// and finds the highest.
void AttentionKernel::findHighest(const Tile &of, Value i) {
  VectorType group = vectorOf(kGroup);
  Value row = of.ofRows ? add(of.row, i) : of.row,
        head = of.ofRows ? of.head : add(of.head, i),
        maskHead = arith::DivUIOp::create(b, loc, head, index(headsPerMask)),
        seen = seenBy(row, of.base, of.entries),
        passed = passedBy(row, of.base, of.entries);
  Value factor = spread(group, f32(op.getScale().convertToDouble()));
  Value none = spread(group, lowest);
  Value best = loop(
      zero, of.most, kGroup, none,
      [&](Value x, ValueRange args) -> SmallVector<Value> {
        auto before = [&](Value end) -> Value {
          return vector::CreateMaskOp::create(
              b, loc, VectorType::get({kGroup}, b.getI1Type()),
              arith::SubIOp::create(b, loc, end, x).getResult());
        };
        Value inside = before(seen);
        if (passed) { // there are at most as many as are seen
          inside = arith::XOrIOp::create(b, loc, inside, before(passed));
        }
        Value from = add(of.base, x), mask;
        if (op.getMask() && op.getKind() != MaskKind::Scale) {
          mask = masked(op.getMask(), maskHead, from, inside,
                        b.getF32FloatAttr(0));
        }
        Value s =
            vector::LoadOp::create(b, loc, group, weights, ValueRange{i, x});
        if (op.getKeyScales()) {
          s = arith::MulFOp::create(b, loc, s,
                                    masked(op.getKeyScales(), of.keyHead, from,
                                           inside, b.getF32FloatAttr(0)));
        }
        s = op.getKind() == MaskKind::Bias
                ? vector::FMAOp::create(b, loc, s, factor, mask).getResult()
                : arith::MulFOp::create(b, loc, s, factor).getResult();
        s = select(visible(row, maskHead, mask, from, inside), s, none);
        vector::StoreOp::create(b, loc, s, weights, ValueRange{i, x});
        return {greatest(args[0], s)};
      })[0];
  Value most = reduce(best, [&](Value x, Value y) { return greatest(x, y); });
  memref::StoreOp::create(b, loc, most, highest, i);
  memref::StoreOp::create(
      b, loc,
      memref::LoadOp::create(b, loc, op.getMaximum(), ValueRange{row, head}),
      before, i);
}

/// Factors near one that make exp(score - origin) a power of two times
/// exp(score): a weight's rounding does not depend on the maximum so far.
Value AttentionKernel::unitsOf(Value origin) {
  auto type = cast<VectorType>(origin.getType());
  auto constant = [&](double value) { return spread(type, f32(value)); };
  constexpr double shift = 0x1.8p23; // rounds what it is added to
  Value power = vector::FMAOp::create(
      b, loc, origin, constant(0x1.71547652b82fep+0), constant(shift));
  power = arith::SubFOp::create(b, loc, power, constant(shift));
  Value rest = vector::FMAOp::create(b, loc, power,
                                     constant(-0x1.62e42fefa39efp-1), origin);
  // Origins that f32 holds only to whole ones leave a small rest to round.
  for (auto [bound, predicate] : {std::pair{1.0, arith::CmpFPredicate::OGT},
                                  {-1.0, arith::CmpFPredicate::OLT}}) {
    Value beyond =
        arith::CmpFOp::create(b, loc, predicate, rest, constant(bound));
    rest = select(beyond, constant(bound), rest);
  }
  return math::ExpOp::create(b, loc, rest);
}

/// Finds for all members at once what their scores are taken relative to, and
/// by what their sums shrink. Returns whether one sees anything but NaN.
Value AttentionKernel::findShrinks(const Tile &of) {
  VectorType type = vectorOf(of.count);
  auto get = [&](Value numbers) -> Value {
    return vector::LoadOp::create(b, loc, type, numbers, zero);
  };
  Value now = get(highest), old = get(before), none = spread(type, lowest);
  Value maximum = greatest(old, now);
  // While nothing is seen the maximum is -infinity; 0 in its place keeps every
  // difference a number.
  Value origin = select(
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, none),
      spread(type, zeros), maximum);
  Value shrink =
      math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, old, origin));
  // Written so that a NaN counts as seen and spreads.
  Value any =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, now, none);
  shrink = select(any, shrink, spread(type, f32(kBlind)));
  vector::StoreOp::create(b, loc, select(any, maximum, old), highest, zero);
  vector::StoreOp::create(b, loc, origin, origins, zero);
  vector::StoreOp::create(b, loc, shrink, shrinks, zero);
  if (rounded) {
    vector::StoreOp::create(b, loc, unitsOf(origin), units, zero);
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
}

/// The scores of member i become weights. Returns whether it sees NaN, but
/// nothing that findHighest() found.
Value AttentionKernel::weigh(const Tile &of, Value i) {
  VectorType group = vectorOf(kGroup);
  Value row = of.ofRows ? add(of.row, i) : of.row,
        head = of.ofRows ? of.head : add(of.head, i);
  Value origin = spread(group, memref::LoadOp::create(b, loc, origins, i));
  Value unit;
  if (rounded) {
    unit = spread(group, memref::LoadOp::create(b, loc, units, i));
  }
  // Each entry has a factor that its weight is multiplied by.
  SmallVector<std::pair<Value, Value>> factors;
  if (op.getKind() == MaskKind::Scale) {
    factors.emplace_back(op.getMask(), arith::DivUIOp::create(
                                           b, loc, head, index(headsPerMask)));
  }
  if (op.getValueScales()) {
    factors.emplace_back(op.getValueScales(), of.keyHead);
  }
  Value seen = factors.empty() ? Value() : seenBy(row, of.base, of.entries);
  Value total =
      loop(zero, of.most, kGroup, spread(group, zeros),
           [&](Value x, ValueRange args) -> SmallVector<Value> {
             Value s = vector::LoadOp::create(b, loc, group, weights,
                                              ValueRange{i, x});
             Value e = math::ExpOp::create(
                 b, loc, arith::SubFOp::create(b, loc, s, origin));
             Value sum = arith::AddFOp::create(b, loc, args[0], e);
             for (auto [numbers, at] : factors) {
               Value inside = vector::CreateMaskOp::create(
                   b, loc, VectorType::get({kGroup}, b.getI1Type()),
                   arith::SubIOp::create(b, loc, seen, x).getResult());
               e = arith::MulFOp::create(b, loc, e,
                                         masked(numbers, at, add(of.base, x),
                                                inside, b.getF32FloatAttr(0)));
             }
             if (rounded) {
               e = arith::MulFOp::create(b, loc, e, unit);
               e = arith::TruncFOp::create(
                   b, loc, VectorType::get({kGroup}, b.getBF16Type()), e);
             }
             vector::StoreOp::create(b, loc, e, rounded ? rounded : weights,
                                     ValueRange{i, x});
             return {sum};
           })[0];
  total = reduce(total, [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  });
  SmallVector<Value> at{row, head};
  Value shrink = memref::LoadOp::create(b, loc, shrinks, i),
        maximum = memref::LoadOp::create(b, loc, highest, i),
        old = memref::LoadOp::create(b, loc, op.getSum(), at);
  // If there is nothing but NaN, no maximum was found, but the sum has the NaN.
  // Looking for it there costs no step of a loop.
  Value blind = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, shrink,
                                      f32(kBlind)),
        lost = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, total,
                                     total);
  lost = arith::AndIOp::create(b, loc, blind, lost);
  shrink = select(lost, total, shrink);
  memref::StoreOp::create(b, loc, shrink, shrinks, i);
  Value any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, shrink,
                                    f32(kBlind));
  memref::StoreOp::create(
      b, loc, select(any, math::FmaOp::create(b, loc, old, shrink, total), old),
      op.getSum(), at);
  memref::StoreOp::create(b, loc, select(lost, total, maximum), op.getMaximum(),
                          at);
  return lost;
}

/// Turns a tile's scores into weights, up to its last entry. Returns whether it
/// sees anything.
Value AttentionKernel::softmax(const Tile &of) {
  Value count = of.present ? of.present : index(of.count);
  each(zero, count, 1, [&](Value i) { findHighest(of, i); });
  Value any = findShrinks(of);
  return loop(zero, count, 1, any,
              [&](Value i, ValueRange args) -> SmallVector<Value> {
                Value lost = weigh(of, i),
                      either = arith::OrIOp::create(b, loc, args[0], lost);
                return {either};
              })[0];
}
