// The kit of code for one thread: 32-bit numbers, the thread's place in a
// layout, elements of vectors, words of memory.
#ifndef CHEEMS_LIB_CONVERSION_TILETONVVM_THREADBUILDER_H
#define CHEEMS_LIB_CONVERSION_TILETONVVM_THREADBUILDER_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace cheems::tile {

/// The vector of the elements that a thread holds.
VectorType vectorOf(RankedTensorType tile);

struct ThreadBuilder {
  OpBuilder &b;
  Location loc;

  ThreadBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  // Numbers of 32 bits, none of which is negative or overflows.
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getI32IntegerAttr(int32_t(value)));
  }
  Value add(Value a, Value c) { return make<arith::AddIOp>(a, c); }
  Value mul(Value a, Value c) { return make<arith::MulIOp>(a, c); }
  Value bitAnd(Value a, Value c) { return make<arith::AndIOp>(a, c); }
  Value bitXor(Value a, Value c) { return make<arith::XOrIOp>(a, c); }
  Value add(Value a, int64_t c) { return c == 0 ? a : add(a, i32(c)); }
  Value mul(Value a, int64_t c);
  Value bitAnd(Value a, int64_t c) { return bitAnd(a, i32(c)); }
  /// a / 2^bits.
  Value shiftRight(Value a, int64_t bits) {
    return bits == 0 ? a : make<arith::ShRUIOp>(a, i32(bits));
  }
  /// a < c, without a sign.
  Value less(Value a, Value c) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, a, c);
  }
  Value isZero(Value a) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                         i32(0));
  }
  /// Takes conditions, of which one or both may be none (true).
  Value both(Value a, Value c);
  /// To 64 bits.
  Value wide(Value a) {
    return b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), a);
  }

  // The thread.
  Value thread() { return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()); }
  Value lane() { return bitAnd(thread(), kWarpThreads - 1); }
  /// The coordinates of the thread's first element.
  SmallVector<Value> place(RankedTensorType tile) {
    return placeOf(tile, thread());
  }
  /// The same of another thread.
  SmallVector<Value> placeOf(RankedTensorType tile, Value thread);
  /// Whether this is the first of the threads that hold the same elements.
  /// None if no others do.
  Value isFirstHolder(RankedTensorType tile);

  // Vectors.
  SmallVector<Value> elements(Value vector) {
    auto op = vector::ToElementsOp::create(b, loc, vector);
    return op.getElements();
  }
  Value vector(ArrayRef<Value> elements) {
    auto type =
        VectorType::get({int64_t(elements.size())}, elements.front().getType());
    return vector::FromElementsOp::create(b, loc, type, elements);
  }
  Value zero(Type type) {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  }
  /// An intrinsic of LLVM with one result.
  Value intrinsic(StringRef name, Type result, ValueRange operands);

  // Words of 32 bits, or of fewer if there are no more neighbours: how elements
  // are moved. What has 32 bits or more is a word by itself.
  /// The type of the words that hold `bytes` bytes of neighbouring elements.
  Type wordType(Type element, int64_t bytes);
  SmallVector<Value> toWords(ArrayRef<Value> elements);
  SmallVector<Value> fromWords(ArrayRef<Value> words, Type element);

  // Pointers.
  Value offset(Value pointer, Value bytes);
  Value offset(Value pointer, int64_t bytes);
  /// The same by `count` times as many bytes, in one instruction of 64 bits.
  Value offset(Value pointer, Value count, int64_t bytes);
  /// Into the block's shared memory.
  Value shared(Value bytes);
  /// Begins a copy of 4, 8 or 16 bytes from global to shared memory; of zeros,
  /// without a read, where not `exists`. Null: it does.
  void copyAsync(Value to, Value from, int64_t bytes, Value exists);

  void barrier() { NVVM::Barrier0Op::create(b, loc); }

private:
  Value expand(AffineExpr expression, Value thread);
  template <typename OpTy> Value make(Value a, Value c) {
    return b.createOrFold<OpTy>(loc, a, c);
  }
};

} // namespace cheems::tile

#endif
