// The kit of code for one thread.
#include "ThreadBuilder.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

VectorType tile::vectorOf(RankedTensorType tile) {
  return VectorType::get({elementsPerThread(tile)}, tile.getElementType());
}

Value ThreadBuilder::mul(Value a, int64_t c) {
  if (c == 1) {
    return a;
  }
  return mul(a, i32(c));
}

Value ThreadBuilder::both(Value a, Value c) {
  if (!a || !c) {
    return a ? a : c;
  }
  return b.createOrFold<arith::AndIOp>(loc, a, c);
}

/// Threads and powers of two are not negative, so divisions are shifts.
Value ThreadBuilder::expand(AffineExpr expression, Value thread) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    return i32(constant.getValue());
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary) {
    return thread;
  }
  Value left = expand(binary.getLHS(), thread);
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return add(left, expand(binary.getRHS(), thread));
  case AffineExprKind::Mul:
    return mul(left, right.getValue());
  case AffineExprKind::Mod:
    return bitAnd(left, right.getValue() - 1);
  case AffineExprKind::FloorDiv:
    return shiftRight(left, llvm::Log2_64(uint64_t(right.getValue())));
  default:
    llvm_unreachable("a layout's map has sums, products, and divisions by "
                     "powers of two");
  }
}

SmallVector<Value> ThreadBuilder::placeOf(RankedTensorType tile, Value thread) {
  AffineMap map = layoutOf(tile).getThreadMap(tile.getShape());
  SmallVector<Value> coordinates;
  for (AffineExpr expression : map.getResults()) {
    coordinates.push_back(expand(expression, thread));
  }
  return coordinates;
}

Value ThreadBuilder::isFirstHolder(RankedTensorType tile) {
  TileLayoutAttrInterface layout = layoutOf(tile);
  int64_t held = 0;
  for (int64_t axis = 0; axis < tile.getRank(); ++axis) {
    held |= layout.getThreadBits(axis);
  }
  int64_t others = (layout.getWarpCount() * kWarpThreads - 1) & ~held;
  return others == 0 ? Value() : isZero(bitAnd(thread(), others));
}

Value ThreadBuilder::intrinsic(StringRef name, Type result,
                               ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       operands)
      ->getResult(0);
}

Type ThreadBuilder::wordType(Type element, int64_t bytes) {
  if (element.getIntOrFloatBitWidth() >= 32) {
    return element;
  }
  return b.getIntegerType(unsigned(8 * std::min<int64_t>(bytes, 4)));
}

SmallVector<Value> ThreadBuilder::toWords(ArrayRef<Value> elements) {
  Type element = elements.front().getType();
  if (element.getIntOrFloatBitWidth() >= 32) {
    return SmallVector<Value>(elements);
  }
  size_t bytes = element.getIntOrFloatBitWidth() / 8,
         together = std::min(4 / bytes, elements.size());
  Type word = wordType(element, int64_t(bytes * together));
  SmallVector<Value> words;
  for (size_t at = 0; at < elements.size(); at += together) {
    Value part =
        together == 1 ? elements[at] : vector(elements.slice(at, together));
    words.push_back(part.getType() == word
                        ? part
                        : LLVM::BitcastOp::create(b, loc, word, part));
  }
  return words;
}

SmallVector<Value> ThreadBuilder::fromWords(ArrayRef<Value> words,
                                            Type element) {
  if (element.getIntOrFloatBitWidth() >= 32) {
    return SmallVector<Value>(words);
  }
  SmallVector<Value> parts;
  for (Value word : words) {
    unsigned together = word.getType().getIntOrFloatBitWidth() /
                        element.getIntOrFloatBitWidth();
    if (together == 1) {
      parts.push_back(word.getType() == element
                          ? word
                          : LLVM::BitcastOp::create(b, loc, element, word));
      continue;
    }
    auto some = VectorType::get({together}, element);
    llvm::append_range(parts,
                       elements(LLVM::BitcastOp::create(b, loc, some, word)));
  }
  return parts;
}

Value ThreadBuilder::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value ThreadBuilder::offset(Value pointer, int64_t bytes) {
  if (bytes == 0) {
    return pointer;
  }
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value ThreadBuilder::offset(Value pointer, Value count, int64_t bytes) {
  // LLVM would make a product and a sum of it.
  SmallVector<Value> operands = {count, i32(bytes), pointer};
  return LLVM::InlineAsmOp::create(
             b, loc, pointer.getType(), operands,
             "mad.wide.u32 $0, $1, $2, $3;", "=l,r,n,l",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

Value ThreadBuilder::shared(Value bytes) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  Value begin = LLVM::AddressOfOp::create(b, loc, type, kSharedMemory);
  return offset(begin, bytes);
}

void ThreadBuilder::copyAsync(Value to, Value from, int64_t bytes,
                              Value exists) {
  Value size;
  if (exists) {
    size = arith::SelectOp::create(b, loc, exists, i32(bytes), i32(0));
  }
  // Copies of 16 bytes alone may pass by the first-level cache.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, loc, to, from, uint32_t(bytes), cache, size);
}
