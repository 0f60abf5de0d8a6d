// Candidates in order: Batcher's bitonic sort. All its comparisons go one way,
// because a merge begins by comparing a half with the other half reversed. A
// candidate that is missing would be the least and come last. So it is left
// out, and any number of vectors will do. No step depends on what is compared.
#include "ExpertSelection.h"
#include <limits>

using namespace mlir;
using namespace cheems;

namespace {
/// Keys of a vector; a run of 16 candidates is two.
constexpr int64_t kKeys = 8;
/// A number's bits in a key: there are fewer than 2^31 experts.
constexpr int64_t kNumberBits = 31;
constexpr int64_t kMostNumber = (int64_t(1) << kNumberBits) - 1;
/// What makes the least order the least f64 that is not subnormal.
constexpr int64_t kLeastNormal = int64_t(1) << (52 - kNumberBits);

struct Sort : KernelBuilder {
  Value keys;   // memref<f64>, greatest first in the end
  Value length; // of whole vectors
  VectorType type;

  Value load(Value i) { return vector::LoadOp::create(b, loc, type, keys, i); }
  void store(Value vector, Value i) {
    vector::StoreOp::create(b, loc, vector, keys, i);
  }
  Value sum(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value difference(Value a, Value c) {
    return arith::SubIOp::create(b, loc, a, c);
  }
  Value half(Value a) { return arith::ShRUIOp::create(b, loc, a, index(1)); }
  Value twice(Value a) { return sum(a, a); }
  Value reverse(Value vector) {
    SmallVector<int64_t> lanes;
    for (int64_t i = kKeys; i-- > 0;) {
      lanes.push_back(i);
    }
    return vector::ShuffleOp::create(b, loc, vector, vector, lanes);
  }

  // Compares as the instructions do, without what NaN would need.
  Value greater(Value a, Value c) {
    return select(
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, a, c), a, c);
  }
  Value lesser(Value a, Value c) {
    return select(
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, a, c), a, c);
  }

  /// Compares every lane with the lane that differs from it by `mask`. The
  /// greater goes where the highest bit of the mask is clear.
  Value compareExchange(Value vector, int64_t mask) {
    SmallVector<int64_t> partner, order;
    for (int64_t i = 0; i < kKeys; ++i) {
      partner.push_back(i ^ mask);
      order.push_back((i ^ mask) > i ? i : i + kKeys);
    }
    Value other = vector::ShuffleOp::create(b, loc, vector, vector, partner);
    return vector::ShuffleOp::create(b, loc, greater(vector, other),
                                     lesser(vector, other), order);
  }
  /// Merges a vector in order but for the last merge, whose distances are left
  /// from `from` lanes on.
  Value mergeLanes(Value vector, int64_t from) {
    for (int64_t lanes = from; lanes > 0; lanes /= 2) {
      vector = compareExchange(vector, lanes);
    }
    return vector;
  }
  Value sortVector(Value vector) {
    for (int64_t size = 2; size <= kKeys; size *= 2) {
      vector = mergeLanes(compareExchange(vector, size - 1), size / 4);
    }
    return vector;
  }
  void everyVector(function_ref<Value(Value)> body) {
    each(index(0), length, kKeys, [&](Value i) { store(body(load(i)), i); });
  }

  /// Vectors from `low` on are compared with those from `high` on.
  void exchange(Value low, Value high, bool reversed) {
    Value a = load(low), c = load(high);
    c = reversed ? reverse(c) : c;
    store(greater(a, c), low);
    Value less = lesser(a, c);
    store(reversed ? reverse(less) : less, high);
  }

  /// Calls body(base) for each block of 2 * distance that has a second half.
  void blocks(Value distance, function_ref<void(Value)> body) {
    scf::ForOp::create(b, loc, index(0), difference(length, distance),
                       twice(distance), ValueRange{},
                       [&](OpBuilder &, Location, Value base, ValueRange) {
                         body(base);
                         scf::YieldOp::create(b, loc);
                       });
  }

  /// The runs of `run` each become runs of twice as many, but for what happens
  /// within a vector.
  void merge(Value run) {
    blocks(run, [&](Value base) {
      Value end = sum(base, twice(run));
      // Partners of the first ones may lie past the last key.
      Value over =
          difference(arith::MaxUIOp::create(b, loc, end, length), length);
      Value last = difference(end, index(kKeys));
      each(over, run, kKeys,
           [&](Value i) { exchange(sum(base, i), difference(last, i), true); });
    });
    auto spansVectors = [&](Value distance) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, distance,
                                   index(kKeys));
    };
    repeat(half(run), spansVectors, [&](Value distance) {
      blocks(distance, [&](Value base) {
        Value high = sum(base, distance);
        Value left =
            arith::MinUIOp::create(b, loc, distance, difference(length, high));
        each(index(0), left, kKeys,
             [&](Value i) { exchange(sum(base, i), sum(high, i), false); });
      });
      return half(distance);
    });
  }

  /// While `holds`, `value` becomes what the body makes of it.
  void repeat(Value value, function_ref<Value(Value)> holds,
              function_ref<Value(Value)> body) {
    scf::WhileOp::create(
        b, loc, TypeRange{b.getIndexType()}, ValueRange{value},
        [&](OpBuilder &, Location, ValueRange args) {
          scf::ConditionOp::create(b, loc, holds(args[0]), args);
        },
        [&](OpBuilder &, Location, ValueRange args) {
          scf::YieldOp::create(b, loc, body(args[0]));
        });
  }

  void all() {
    everyVector([&](Value some) { return sortVector(some); });
    auto runsLeft = [&](Value run) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, run,
                                   length);
    };
    repeat(index(kKeys), runsLeft, [&](Value run) {
      merge(run);
      everyVector([&](Value some) { return mergeLanes(some, kKeys / 2); });
      return twice(run);
    });
  }
};
} // namespace

// A key is the order above the complement of the number. So a greater key is
// better, and no two are equal. A key has 63 bits. Positive f64s are ordered as
// their bits are, and every target compares f64s in one instruction, which is
// not so for i64s. The exponents of f64s hold all orders, from the least to
// that of infinity.
void Selection::sort(const List &list, Value length, Value keys) {
  auto f32s = VectorType::get({kLanes}, b.getF32Type());
  auto i32s = VectorType::get({kLanes}, b.getI32Type());
  auto i64s = VectorType::get({kLanes}, b.getI64Type());
  auto f64s = VectorType::get({kLanes}, b.getF64Type());
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(f64s));
  each(index(0), length, kLanes, [&](Value i) {
    Value scores = vector::LoadOp::create(b, loc, f32s, list.score, i);
    Value numbers = vector::LoadOp::create(b, loc, i32s, list.number, i);
    Value high = arith::ShLIOp::create(
        b, loc,
        arith::AddIOp::create(
            b, loc, arith::ExtSIOp::create(b, loc, i64s, orderOf(scores)),
            integer(i64s, kLeastNormal - std::numeric_limits<int32_t>::min())),
        integer(i64s, kNumberBits));
    Value low = arith::ExtUIOp::create(b, loc, i64s, complement(numbers));
    Value key = arith::BitcastOp::create(
        b, loc, f64s, arith::OrIOp::create(b, loc, high, low));
    Value left = arith::SubIOp::create(b, loc, length, i);
    vector::StoreOp::create(b, loc, select(inside(left), key, zeros), keys, i);
  });
  Value whole =
      mul(arith::CeilDivUIOp::create(b, loc, length, index(kLanes)), kLanes);
  Sort{{b, loc}, keys, whole, VectorType::get({kKeys}, b.getF64Type())}.all();
}

Value Selection::complement(Value numbers) {
  Type type = numbers.getType();
  return arith::XOrIOp::create(b, loc, numbers, integer(type, kMostNumber));
}

Value Selection::sorted(Value keys, Value i) {
  auto i32s = VectorType::get({kLanes}, b.getI32Type());
  auto i64s = VectorType::get({kLanes}, b.getI64Type());
  auto f64s = VectorType::get({kLanes}, b.getF64Type());
  Value some = arith::BitcastOp::create(
      b, loc, i64s, vector::LoadOp::create(b, loc, f64s, keys, i));
  Value low =
      arith::AndIOp::create(b, loc, arith::TruncIOp::create(b, loc, i32s, some),
                            integer(i32s, kMostNumber));
  return complement(low);
}
