// What selection is made of; comparisons of integers throughout.
#include "ExpertSelection.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;

namespace {
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(),
                  kMost = std::numeric_limits<int32_t>::max();
/// The order of -infinity.
constexpr int32_t kLowest = kLeast + 0x7fffff;
/// Halvings of the range in which a threshold lies. What they leave is small
/// against the distance of scores; a wide range costs candidates, not bits.
constexpr int64_t kHalvings = 12;
/// The same for orders in memory. These begin with the range of all integers,
/// and leave steps of 2^-13 of a number. As many numbers are ranked past k as
/// such a step holds.
constexpr int64_t kHalvingsOfAll = 22;
/// Orders that are compared at once: as many as one word has bits.
constexpr int64_t kBlock = 64;
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
  auto listOf = [&](Type type) -> Value {
    return memref::AllocOp::create(b, loc,
                                   MemRefType::get({length + kLanes}, type));
  };
  return {listOf(b.getF32Type()), listOf(b.getI32Type())};
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

Value Selection::meanOf(Value low, Value high) {
  return arith::AddIOp::create(
      b, loc, arith::AndIOp::create(b, loc, low, high),
      arith::ShRSIOp::create(b, loc, arith::XOrIOp::create(b, loc, low, high),
                             integer(b.getI32Type(), 1)));
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
                   Value middle = meanOf(low, high);
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

Value Selection::allocateOrders(int64_t length) {
  int64_t listLength = llvm::alignTo(length, kBlock) + kBlock;
  return memref::AllocOp::create(b, loc,
                                 MemRefType::get({listLength}, b.getI32Type()));
}

Value Selection::threshold(Value orders, int64_t real, int64_t kept) {
  Type i32 = b.getI32Type();
  auto block = VectorType::get({kBlock}, i32);
  vector::StoreOp::create(b, loc, integer(block, kLeast), orders, index(real));
  return loop(index(0), index(kHalvingsOfAll), 1,
              {integer(i32, kLeast), integer(i32, kMost)},
              [&](Value, ValueRange range) -> SmallVector<Value> {
                Value middle = meanOf(range[0], range[1]);
                Value least = spread(block, middle);
                Value count =
                    loop(index(0), index(real), kBlock, index(0),
                         [&](Value i, ValueRange sum) -> SmallVector<Value> {
                           Value some =
                               vector::LoadOp::create(b, loc, block, orders, i);
                           Value reach = arith::CmpIOp::create(
                               b, loc, arith::CmpIPredicate::sge, some, least);
                           return {arith::AddIOp::create(b, loc, sum[0],
                                                         population(reach))};
                         })
                        .front();
                Value enough = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::uge, count, index(kept));
                return {select(enough, middle, range[0]),
                        select(enough, range[1], middle)};
              })
      .front();
}

Value Selection::reaching(Value scores, Value least) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, scores,
                               least);
}

Value Selection::compress(Value vector, Value mask) {
  // The numbers are integers here: without the instruction LLVM 22 expands no
  // other vectors.
  auto type = VectorType::get({kLanes}, b.getI32Type());
  Value bits = vector::BitCastOp::create(b, loc, type, vector);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  bits = LLVM::CallIntrinsicOp::create(
             b, loc, type, b.getStringAttr("llvm.experimental.vector.compress"),
             ValueRange{bits, mask, zeros})
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
