// Small builders that kernels share.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELBUILDER_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELBUILDER_H

#include "Kernels.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::cheems {

struct KernelBuilder {
  OpBuilder &b;
  Location loc;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value plus(Value a, int64_t c) {
    return c ? arith::AddIOp::create(b, loc, a, index(c)).getResult() : a;
  }
  Value times(Value a, int64_t c) {
    return arith::MulIOp::create(b, loc, a, index(c));
  }
  /// A constant of the type, which may be a vector of integers.
  Value integer(Type type, int64_t value) {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type)) {
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    }
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  /// The first `left` lanes of `width`.
  Value inside(int64_t width, Value left) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()), left);
  }
  /// A loop over [from, to) that carries `state`.
  SmallVector<Value>
  loop(Value from, Value to, int64_t step, ValueRange state,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(
        b, loc, from, to, index(step), state,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(b, loc, body(i, args));
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
};

} // namespace mlir::cheems

#endif
