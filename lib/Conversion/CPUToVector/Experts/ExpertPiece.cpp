// A piece of a row's experts: their products with the row, their weights, then
// the sum of the weighted rows.
#include "ExpertMixing.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include <limits>

using namespace mlir;
using namespace cheems;

Value Mixing::lowest(VectorType type) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          type, b.getF32FloatAttr(-std::numeric_limits<float>::infinity())));
}

Value Mixing::expert(Value t, Value h, Value i) {
  Value id =
      memref::LoadOp::create(b, loc, op.getExpert(), ValueRange{t, h, i});
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
}

SmallVector<Value> Mixing::experts(Value t, Value h, Value first, int64_t n) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < n; ++i) {
    rows.push_back(expert(t, h, add(first, i)));
  }
  return rows;
}

Value Mixing::hits(ValueRange tokens, ValueRange rows, ValueRange next) {
  auto n = static_cast<int64_t>(rows.size());
  SmallVector<Value> parts;
  for (int64_t first = 0; first < n; first += sums) {
    int64_t some = std::min(sums, n - first);
    SmallVector<Value> products = columns(
        SmallVector<Value>(some, zeros()),
        [&](Value d, int64_t vectors, Value mask, ValueRange args) {
          SmallVector<Value> sum(args);
          if (!next.empty()) {
            fetch(op.getDown(), next.slice(first, some), d, vectors * kLanes);
          }
          SmallVector<Value> x;
          for (int64_t i = 0; i < some; ++i) {
            if (i == 0 || tokens.size() > 1) {
              x = columnsOfX(tokens[tokens.size() > 1 ? first + i : 0], d,
                             vectors, mask);
            }
            for (auto [left, right] :
                 llvm::zip_equal(x, columnsOfRow(op.getDown(), rows[first + i],
                                                 d, vectors, mask))) {
              sum[i] = vector::FMAOp::create(b, loc, left, right, sum[i]);
            }
          }
          return sum;
        });
    llvm::append_range(parts, products);
  }
  return addLanes(std::move(parts));
}

Value Mixing::scaled(Value values, bool up, ValueRange rows) {
  Value stored = up ? op.getUpScales() : op.getDownScales();
  if (!stored) {
    return values;
  }
  Value scales = arith::ConstantOp::create(
      b, loc, b.getOneAttr(cast<VectorType>(values.getType())));
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value scale = memref::LoadOp::create(b, loc, stored, row);
    scales = vector::InsertOp::create(b, loc, scale, scales,
                                      ArrayRef{static_cast<int64_t>(i)});
  }
  return arith::MulFOp::create(b, loc, values, scales);
}

Value Mixing::scores(Value t, Value h, Value i, int64_t width) {
  auto type = VectorType::get({width}, b.getF32Type());
  Value left = arith::SubIOp::create(b, loc, index(count), i);
  return vector::MaskedLoadOp::create(b, loc, type, op.getScore(),
                                      ValueRange{t, h, i}, inside(width, left),
                                      lowest(type));
}

Value Mixing::power(Value score, Value highest) {
  auto type = cast<VectorType>(score.getType());
  return math::ExpOp::create(
      b, loc, arith::SubFOp::create(b, loc, score, spread(type, highest)));
}

Mixing::Softmax Mixing::softmax(Value t, Value h) {
  if (op.getPlacement() != ScorePlacement::Softmax) {
    return {};
  }
  Value most = loop(index(0), index(count), kLanes, lowest(lanes),
                    [&](Value i, ValueRange most) -> SmallVector<Value> {
                      return {arith::MaximumFOp::create(
                          b, loc, most[0], scores(t, h, i, kLanes))};
                    })
                   .front();
  Value highest = vector::ReductionOp::create(
      b, loc, vector::CombiningKind::MAXIMUMF, most);
  Value sum =
      loop(index(0), index(count), kLanes, zeros(),
           [&](Value i, ValueRange sum) -> SmallVector<Value> {
             return {add(sum[0], power(scores(t, h, i, kLanes), highest))};
           })
          .front();
  return {highest, vector::ExtractOp::create(b, loc, addLanes({sum}),
                                             ArrayRef<int64_t>{0})};
}

Value Mixing::weights(Value t, Value h, Value first, Value hits,
                      const Softmax &softmax) {
  auto type = cast<VectorType>(hits.getType());
  Value score = scores(t, h, first, type.getDimSize(0));
  if (!softmax.total) {
    return activate(b, loc, op.getActivation(),
                    arith::MulFOp::create(b, loc, hits, score));
  }
  Value share = arith::DivFOp::create(b, loc, power(score, softmax.highest),
                                      spread(type, softmax.total));
  return arith::MulFOp::create(
      b, loc, activate(b, loc, op.getActivation(), hits), share);
}

void Mixing::piece(Value t, Value h, Value first, int64_t n,
                   const Softmax &softmax, Value after, Write write) {
  SmallVector<Value> rows = experts(t, h, first, n), next;
  if (after && strategy.getFetch()) {
    next = experts(after, h, first, n);
  }
  fetchScales(next);
  Value hit = scaled(hits(t, rows, next), /*up=*/false, rows);
  Value weight = scaled(weights(t, h, first, hit, softmax), /*up=*/true, rows);
  SmallVector<Value> shares;
  for (int64_t i = 0; i < n; ++i) {
    shares.push_back(spread(lanes, vector::ExtractOp::create(
                                       b, loc, weight, ArrayRef<int64_t>{i})));
  }
  columns({},
          [&](Value d, int64_t vectors, Value mask,
              ValueRange) -> SmallVector<Value> {
            if (!next.empty()) {
              fetch(op.getUp(), next, d, vectors * kLanes);
            }
            SmallVector<Value> sums(vectors, zeros());
            for (auto [row, share] : llvm::zip_equal(rows, shares)) {
              for (auto [sum, part] : llvm::zip_equal(
                       sums, columnsOfRow(op.getUp(), row, d, vectors, mask))) {
                sum = vector::FMAOp::create(b, loc, share, part, sum);
              }
            }
            for (auto [v, sum] : llvm::enumerate(inOrder(sums))) {
              write(sum, add(d, static_cast<int64_t>(v) * kLanes), mask);
            }
            return {};
          });
}
