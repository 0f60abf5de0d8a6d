// Quantizes rows to 8 bits: a row's greatest magnitude becomes 127.
#include "LinearQuantized.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kLanes = 16;
/// Added to a number below 2^22 it leaves the nearest integer, ties to even, in
/// the lowest bits of the sum.
constexpr float kRounder = 0x1.8p23F;
constexpr int32_t kRounderBits = 0x4b400000;
} // namespace

static int64_t groupBytesOf(const QuantizedForm &form) {
  int64_t bytes = form.groupSize * (form.words ? 2 : 1);
  return form.tiles || !form.nibbles
             ? static_cast<int64_t>(llvm::alignTo(bytes, kLineBytes))
             : bytes;
}

/// Quantized values, then the starts and the scale. If the distance of rows
/// were a multiple of 4096 bytes, they would share the lines of one set of the
/// first-level cache.
static int64_t strideOf(const QuantizedForm &form) {
  int64_t codes = llvm::alignTo(form.groups * groupBytesOf(form), kLineBytes),
          words = 4 * (form.groups + 1);
  int64_t lines = llvm::divideCeil(codes + words, kLineBytes);
  return (lines | 1) * kLineBytes;
}

QuantizedPack::QuantizedPack(LinearKernel &kernel, const QuantizedForm &form)
    : RowPack(kernel, kernel.b.getI8Type(), strideOf(form)),
      groupBytes(groupBytesOf(form)), form(form),
      startsAt(llvm::alignTo(form.groups * groupBytes, kLineBytes)),
      scaleAt(startsAt + 4 * form.groups) {}

/// Four bytes as one i32.
static Value loadWord(LinearKernel &k, Value packed, Value row, Value column) {
  OpBuilder &b = k.b;
  Value bytes =
      vector::LoadOp::create(b, k.loc, VectorType::get({4}, b.getI8Type()),
                             packed, ValueRange{row, column});
  Value word = vector::BitCastOp::create(
      b, k.loc, VectorType::get({1}, b.getI32Type()), bytes);
  return vector::ExtractOp::create(b, k.loc, word, 0);
}

Value QuantizedPack::spread(Value packed, Value row, Value column,
                            int64_t lanes) {
  return vector::BroadcastOp::create(b, loc,
                                     VectorType::get({lanes}, b.getI32Type()),
                                     loadWord(k, packed, row, column));
}

Value QuantizedPack::start(Value packed, Value row, Value group,
                           int64_t lanes) {
  Value after = arith::MulIOp::create(b, loc, group, k.index(4));
  return spread(packed, row, k.add(after, startsAt), lanes);
}

Value QuantizedPack::scale(Value packed, Value row) {
  return arith::BitcastOp::create(
      b, loc, k.column,
      spread(packed, row, k.index(scaleAt), LinearKernel::kColumns));
}

void QuantizedPack::storeWord(Value word, Value target, Value row,
                              Value column) {
  Value vector = vector::BroadcastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), word);
  Value bytes = vector::BitCastOp::create(
      b, loc, VectorType::get({4}, b.getI8Type()), vector);
  vector::StoreOp::create(b, loc, bytes, target, ValueRange{row, column});
}

/// 16 columns of x of which the first `there` are there; others are zeros.
Value QuantizedPack::load(Value x, Value row, Value column, int64_t there) {
  if (there >= kLanes) {
    return vector::LoadOp::create(b, loc, k.column, x, ValueRange{row, column});
  }
  Value zeros = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
  Value mask = vector::ConstantMaskOp::create(
      b, loc, VectorType::get({kLanes}, b.getI1Type()), ArrayRef{there});
  return vector::MaskedLoadOp::create(b, loc, k.column, x,
                                      ValueRange{row, column}, mask, zeros);
}

/// The row's greatest magnitude. If there is a NaN, it is that, because its
/// bits are the greatest as an integer.
Value QuantizedPack::greatest(Value x, Value row) {
  auto words = VectorType::get({kLanes}, b.getI32Type());
  auto splat = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(value)));
  };
  Value unsign = splat(0x7fffffff);
  auto more = [&](Value most, Value column, int64_t there) -> Value {
    Value bits =
        arith::BitcastOp::create(b, loc, words, load(x, row, column, there));
    Value size = arith::AndIOp::create(b, loc, bits, unsign);
    return arith::MaxSIOp::create(b, loc, most, size);
  };
  int64_t whole = k.size / kLanes * kLanes;
  Value most = splat(0);
  if (whole) {
    most = scf::ForOp::create(
               b, loc, k.index(0), k.index(whole), k.index(kLanes), most,
               [&](OpBuilder &, Location, Value column, ValueRange before) {
                 Value after = more(before[0], column, kLanes);
                 scf::YieldOp::create(b, loc, after);
               })
               .getResult(0);
  }
  if (whole < k.size) {
    most = more(most, k.index(whole), k.size - whole);
  }
  Value bits =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXSI, most);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

/// Rounds a group and the zeros after it; the sum of its quantized values.
Value QuantizedPack::packGroup(Value x, Value row, Value target, Value into,
                               Value inverse, Value group) {
  auto words = VectorType::get({kLanes}, b.getI32Type());
  Value rounder = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(kRounder)));
  Value bias = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(kRounderBits)));
  Value first = arith::MulIOp::create(b, loc, group, k.index(form.groupSize)),
        place = arith::MulIOp::create(b, loc, group, k.index(groupBytes));
  int64_t width = form.words ? 2 : 1;
  auto store = [&](Value codes, Value column) {
    // Within the group.
    Value at = arith::AddIOp::create(
        b, loc, place, arith::MulIOp::create(b, loc, column, k.index(width)));
    auto narrow =
        VectorType::get({kLanes}, form.words ? b.getI16Type() : b.getI8Type());
    Value stored = arith::TruncIOp::create(b, loc, narrow, codes);
    if (form.words) {
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < kLanes; i += 4) {
        order.append({i, i + 2, i + 1, i + 3});
      }
      stored = vector::ShuffleOp::create(b, loc, stored, stored, order);
      stored = vector::BitCastOp::create(
          b, loc, VectorType::get({2 * kLanes}, b.getI8Type()), stored);
    }
    vector::StoreOp::create(b, loc, stored, target, ValueRange{into, at});
  };
  auto step = [&](Value sum, Value column, int64_t there) -> Value {
    Value value =
        load(x, row, arith::AddIOp::create(b, loc, first, column), there);
    Value scaled = arith::MulFOp::create(b, loc, value, inverse);
    Value rounded = arith::AddFOp::create(b, loc, scaled, rounder);
    Value codes = arith::SubIOp::create(
        b, loc, arith::BitcastOp::create(b, loc, words, rounded), bias);
    store(codes, column);
    return arith::AddIOp::create(b, loc, sum, codes);
  };
  int64_t whole = form.groupSize / kLanes * kLanes;
  Value none = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(0)));
  Value sum = none;
  if (whole) {
    sum = scf::ForOp::create(
              b, loc, k.index(0), k.index(whole), k.index(kLanes), sum,
              [&](OpBuilder &, Location, Value column, ValueRange before) {
                scf::YieldOp::create(b, loc, step(before[0], column, kLanes));
              })
              .getResult(0);
  }
  for (int64_t column = whole; column * width < groupBytes; column += kLanes) {
    if (column < form.groupSize) {
      sum = step(sum, k.index(column), form.groupSize - column);
    } else {
      store(none, k.index(column));
    }
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sum);
}

void QuantizedPack::packRow(Value x, Value row, Value target, Value into) {
  Value most = greatest(x, row);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  };
  Value limit = constant(LinearOp::kGreatestCode), zero = constant(0);
  Value small = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, most,
                                      constant(LinearOp::kLeastMagnitude));
  auto unlessSmall = [&](Value a, Value b_) -> Value {
    return arith::SelectOp::create(b, loc, small, zero,
                                   arith::DivFOp::create(b, loc, a, b_));
  };
  Value inverse =
      vector::BroadcastOp::create(b, loc, k.column, unlessSmall(limit, most));
  storeWord(arith::BitcastOp::create(b, loc, b.getI32Type(),
                                     unlessSmall(most, limit)),
            target, into, k.index(scaleAt));
  auto group = [&](Value group) {
    Value sum = packGroup(x, row, target, into, inverse, group);
    Value start = arith::MulIOp::create(
        b, loc, sum, arith::ConstantIntOp::create(b, loc, -form.zero, 32));
    Value after = arith::MulIOp::create(b, loc, group, k.index(4));
    storeWord(start, target, into, k.add(after, startsAt));
  };
  if (form.groups == 1) {
    return group(k.index(0));
  }
  k.each(k.index(0), k.index(form.groups), 1, group);
}
