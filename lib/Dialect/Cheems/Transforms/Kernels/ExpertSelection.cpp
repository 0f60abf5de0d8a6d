// What selection is made of; comparisons of integers throughout.
#include "ExpertSelection.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(),
                  kMost = std::numeric_limits<int32_t>::max();
/// The order of -infinity.
constexpr int32_t kLowest = kLeast + 0x7fffff;
/// Halvings of the range in which a threshold lies. What they leave is small
/// against the distance of scores; a wide range costs candidates, not bits.
constexpr int64_t kHalvings = 12;
} // namespace

Value Selection::count(VectorType type, Value first) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    numbers.push_back(b.getIntegerAttr(type.getElementType(), i));
  }
  Value lanes =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
  return arith::AddIOp::create(b, loc, spread(type, first), lanes);
}

Selection::List Selection::list(int64_t length) {
  auto room = [&](Type type) -> Value {
    return memref::AllocOp::create(b, loc,
                                   MemRefType::get({length + kLanes}, type));
  };
  return {room(b.getF32Type()), room(b.getI32Type())};
}

Value Selection::orderOf(Value score) {
  Type type = b.getI32Type();
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(score.getType()));
  if (auto vector = dyn_cast<VectorType>(score.getType())) {
    type = VectorType::get(vector.getShape(), type);
  }
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, score, zero);
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, score, score);
  Value bits =
      arith::BitcastOp::create(b, loc, type, select(isZero, zero, score));
  Value flip = arith::AndIOp::create(
      b, loc, arith::ShRSIOp::create(b, loc, bits, integer(type, 31)),
      integer(type, kMost));
  // Above the least integer, which stands for what is not there.
  return select(isNaN, integer(type, int64_t(kLeast) + 1),
                arith::XOrIOp::create(b, loc, bits, flip));
}

Value Selection::scoreOf(Value order) {
  Type i32 = b.getI32Type();
  order = arith::MaxSIOp::create(b, loc, order, integer(i32, kLowest));
  Value flip = arith::AndIOp::create(
      b, loc, arith::ShRSIOp::create(b, loc, order, integer(i32, 31)),
      integer(i32, kMost));
  return arith::BitcastOp::create(b, loc, b.getF32Type(),
                                  arith::XOrIOp::create(b, loc, order, flip));
}

Value Selection::population(Value mask) {
  int64_t lanes = cast<VectorType>(mask.getType()).getDimSize(0);
  Type bits = b.getIntegerType(lanes);
  Value word =
      vector::BitCastOp::create(b, loc, VectorType::get({1}, bits), mask);
  word = vector::ExtractOp::create(b, loc, word, ArrayRef<int64_t>{0});
  Value set = math::CtPopOp::create(b, loc, word);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), set);
}

SmallVector<Value> Selection::thresholds(ArrayRef<SmallVector<Value>> problems,
                                         int64_t real, int64_t kept) {
  Type i32 = b.getI32Type();
  SmallVector<SmallVector<Value>> all(problems);
  SmallVector<Value> state; // what enough lanes reach, what too few do
  for (SmallVector<Value> &vectors : all) {
    Value low, high;
    int64_t left = real;
    for (Value &vector : vectors) {
      auto type = cast<VectorType>(vector.getType());
      int64_t width = type.getDimSize(0);
      Value present = vector;
      if (left < width) {
        Value mask = vector::ConstantMaskOp::create(
            b, loc, VectorType::get({width}, b.getI1Type()),
            ArrayRef<int64_t>{std::max<int64_t>(left, 0)});
        present = select(mask, vector, integer(type, kMost));
        vector = select(mask, vector, integer(type, kLeast));
      }
      left -= width;
      Value least = vector::ReductionOp::create(
          b, loc, vector::CombiningKind::MINSI, present);
      Value most = vector::ReductionOp::create(
          b, loc, vector::CombiningKind::MAXSI, vector);
      low =
          low ? arith::MinSIOp::create(b, loc, low, least).getResult() : least;
      high =
          high ? arith::MaxSIOp::create(b, loc, high, most).getResult() : most;
    }
    state.push_back(low);
    // No order is the greatest integer.
    state.push_back(arith::AddIOp::create(b, loc, high, integer(i32, 1)));
  }
  auto reach = [&](ArrayRef<Value> vectors, Value order) {
    Value sum;
    for (Value vector : vectors) {
      Value some = population(arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::sge, vector,
          spread(cast<VectorType>(vector.getType()), order)));
      sum = sum ? arith::AddIOp::create(b, loc, sum, some).getResult() : some;
    }
    return sum;
  };
  state = loop(index(0), index(kHalvings), 1, state,
               [&](Value, ValueRange args) -> SmallVector<Value> {
                 SmallVector<Value> next;
                 for (auto [i, vectors] : llvm::enumerate(all)) {
                   Value low = args[2 * i], high = args[2 * i + 1];
                   // The mean of both, rounded down, without overflow.
                   Value middle = arith::AddIOp::create(
                       b, loc, arith::AndIOp::create(b, loc, low, high),
                       arith::ShRSIOp::create(
                           b, loc, arith::XOrIOp::create(b, loc, low, high),
                           integer(i32, 1)));
                   Value enough = arith::CmpIOp::create(
                       b, loc, arith::CmpIPredicate::uge,
                       reach(vectors, middle), index(kept));
                   next.push_back(select(enough, middle, low));
                   next.push_back(select(enough, high, middle));
                 }
                 return next;
               });
  SmallVector<Value> result;
  for (size_t i = 0; i < all.size(); ++i) {
    result.push_back(state[2 * i]);
  }
  return result;
}

Value Selection::reaching(Value scores, Value least) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, scores,
                               least);
}

Value Selection::compress(Value vector, Value mask) {
  // As integers: without the instruction LLVM 22 expands no other vectors.
  auto type = VectorType::get({kLanes}, b.getI32Type());
  Value bits = vector::BitCastOp::create(b, loc, type, vector);
  Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  bits = LLVM::CallIntrinsicOp::create(
             b, loc, type, b.getStringAttr("llvm.experimental.vector.compress"),
             ValueRange{bits, mask, nothing})
             .getResult(0);
  return vector::BitCastOp::create(b, loc, vector.getType(), bits);
}

Value Selection::append(const List &list, Value length, Value scores,
                        Value numbers, Value mask) {
  Value some = population(mask);
  auto write = [&] {
    vector::StoreOp::create(b, loc, compress(scores, mask), list.score, length);
    vector::StoreOp::create(b, loc, compress(numbers, mask), list.number,
                            length);
  };
  if (compresses) {
    write();
  } else {
    Value any =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, some, index(0));
    scf::IfOp::create(b, loc, any, [&](OpBuilder &, Location) {
      write();
      scf::YieldOp::create(b, loc);
    });
  }
  return arith::AddIOp::create(b, loc, length, some);
}

void Selection::rank(const List &list, Value length, Value ranks,
                     function_ref<void(Value, Value, Value)> write) {
  auto f32s = VectorType::get({kLanes}, b.getF32Type());
  auto i32s = VectorType::get({kLanes}, b.getI32Type());
  auto i64s = VectorType::get({kLanes}, b.getI64Type());
  Value zero = index(0);
  // The order above the complement of the number: greater is better, and no two
  // are equal.
  loop(zero, length, kLanes, {},
       [&](Value i, ValueRange) -> SmallVector<Value> {
         Value scores = vector::LoadOp::create(b, loc, f32s, list.score, i);
         Value numbers = vector::LoadOp::create(b, loc, i32s, list.number, i);
         Value high = arith::ShLIOp::create(
             b, loc, arith::ExtSIOp::create(b, loc, i64s, orderOf(scores)),
             integer(i64s, 32));
         Value low = arith::ExtUIOp::create(
             b, loc, i64s,
             arith::XOrIOp::create(b, loc, numbers, integer(i32s, -1)));
         Value left = arith::SubIOp::create(b, loc, length, i);
         Value rank =
             select(inside(left), arith::OrIOp::create(b, loc, high, low),
                    integer(i64s, std::numeric_limits<int64_t>::min()));
         vector::StoreOp::create(b, loc, rank, ranks, i);
         return {};
       });
  loop(zero, length, kLanes, {},
       [&](Value i, ValueRange) -> SmallVector<Value> {
         Value own = vector::LoadOp::create(b, loc, i64s, ranks, i);
         Value better =
             loop(zero, length, 1, integer(i64s, 0),
                  [&](Value j, ValueRange above) -> SmallVector<Value> {
                    Value other =
                        spread(i64s, memref::LoadOp::create(b, loc, ranks, j));
                    Value more = arith::CmpIOp::create(
                        b, loc, arith::CmpIPredicate::sgt, other, own);
                    // true is -1
                    return {arith::SubIOp::create(
                        b, loc, above[0],
                        arith::ExtSIOp::create(b, loc, i64s, more))};
                  })
                 .front();
         write(better, vector::LoadOp::create(b, loc, f32s, list.score, i),
               vector::LoadOp::create(b, loc, i32s, list.number, i));
         return {};
       });
}
