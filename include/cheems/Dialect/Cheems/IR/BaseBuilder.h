// The builders of constants, sums, loops and branches that all code uses which
// makes IR. An area that needs more derives a kit of its own.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_BASEBUILDER_H
#define CHEEMS_DIALECT_CHEEMS_IR_BASEBUILDER_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace cheems {

inline Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}
inline Value constantF32(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}
/// The slice of a tensor at `offsets`, with unit strides; keeps the rank.
inline Value slice(OpBuilder &b, Location loc, Value tensor,
                   ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                        strides);
}

/// `Kit` has a member `b`, which is or refers to the builder, and location().
// Kits are aggregates, so their base is made where they are.
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
template <typename Kit> class BaseBuilder {
public:
  // Constants.
  OpFoldResult attr(int64_t value) { return builder().getIndexAttr(value); }
  Value index(int64_t value) { return constantIndex(builder(), at(), value); }
  Value f32(double value) { return constantF32(builder(), at(), value); }
  /// The type may be a vector of integers.
  Value integer(Type type, int64_t value) {
    TypedAttr attribute =
        builder().getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type)) {
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    }
    return arith::ConstantOp::create(builder(), at(), attribute);
  }
  /// Zero, or a vector of zeros.
  Value zeroOf(Type type) {
    return arith::ConstantOp::create(builder(), at(),
                                     builder().getZeroAttr(type));
  }

  // Sums, of indices, integers or floating-point numbers.
  Value add(Value a, Value c) {
    return make<arith::AddFOp, arith::AddIOp>(a, c);
  }
  Value sub(Value a, Value c) {
    return make<arith::SubFOp, arith::SubIOp>(a, c);
  }
  Value mul(Value a, Value c) {
    return make<arith::MulFOp, arith::MulIOp>(a, c);
  }
  // These take indices.
  Value add(Value a, int64_t c) { return c == 0 ? a : add(a, index(c)); }
  Value mul(Value a, int64_t c) { return mul(a, index(c)); }
  Value ceilDiv(Value a, int64_t c) {
    return arith::CeilDivUIOp::create(builder(), at(), a, index(c));
  }
  /// `a` rounded up to a multiple of `step`.
  Value roundedUp(Value a, int64_t step) { return mul(ceilDiv(a, step), step); }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder(), at(), condition, yes, no);
  }

  // Loops over [from, to), and branches.
  using Fold = function_ref<SmallVector<Value>(Value, ValueRange)>;
  /// A loop that carries `state`.
  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange state,
                          Fold body) {
    auto op = scf::ForOp::create(
        builder(), at(), from, to, index(step), state,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(builder(), at(), body(i, args));
        });
    return op.getResults();
  }
  /// The same that carries nothing.
  void each(Value from, Value to, int64_t step,
            function_ref<void(Value)> body) {
    loop(from, to, step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      body(i);
      return {};
    });
  }
  void when(Value condition, function_ref<void()> body) {
    scf::IfOp::create(builder(), at(), condition, [&](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(builder(), at());
    });
  }

  // Slices of tensors, with unit strides.
  using Extents = ArrayRef<OpFoldResult>;
  Value slice(Value source, Extents offsets, Extents sizes) {
    return cheems::slice(builder(), at(), source, offsets, sizes);
  }
  /// Reduced to `shape`.
  Value slice(Value source, Extents offsets, Extents sizes,
              ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(
        shape, cast<RankedTensorType>(source.getType()).getElementType());
    return tensor::ExtractSliceOp::create(builder(), at(), type, source,
                                          offsets, sizes, unit(offsets));
  }
  Value insert(Value source, Value into, Extents offsets, Extents sizes) {
    return tensor::InsertSliceOp::create(builder(), at(), source, into, offsets,
                                         sizes, unit(offsets));
  }
  /// Inserts in the terminator of an scf.forall.
  void insertParallel(Value source, Value into, Extents offsets,
                      Extents sizes) {
    tensor::ParallelInsertSliceOp::create(builder(), at(), source, into,
                                          offsets, sizes, unit(offsets));
  }

private:
  Kit &kit() { return static_cast<Kit &>(*this); }
  OpBuilder &builder() { return kit().b; }
  Location at() { return kit().location(); }
  SmallVector<OpFoldResult> unit(Extents offsets) {
    return SmallVector<OpFoldResult>(offsets.size(), attr(1));
  }
  template <typename FloatOp, typename IntegerOp> Value make(Value a, Value c) {
    return isa<FloatType>(getElementTypeOrSelf(a))
               ? FloatOp::create(builder(), at(), a, c).getResult()
               : IntegerOp::create(builder(), at(), a, c).getResult();
  }
};

} // namespace cheems

#endif
