// Rounds rows to bf16: to the nearest, ties to even. Denormals become zeros,
// because the instructions that read them take them for zeros.
#include "LinearPack.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Value RowPack::allocate(OpFoldResult rows) {
  std::optional<int64_t> size = getConstantIntValue(rows);
  auto type =
      MemRefType::get({size.value_or(ShapedType::kDynamic), stride}, element);
  SmallVector<Value> sizes;
  if (!size) {
    sizes.push_back(cast<Value>(rows));
  }
  return memref::AllocOp::create(b, loc, type, sizes);
}

bool RowPack::packBefore() {
  OpBuilder::InsertionGuard guard(b);
  Value x = k.x;
  auto loop = k.op->getParentOfType<scf::ForallOp>();
  FailureOr<OpFoldResult> most = failure();
  if (loop) {
    b.setInsertionPoint(loop);
    x = k.inputAhead(loop);
  }
  if (x) {
    most = k.mostRows(x);
  }
  if (failed(most)) {
    b.setInsertionPoint(k.op);
    allocateRest();
    return false;
  }
  blocks = allocate(*most);
  allocateRest();
  Value zero = k.index(0), height = k.index(kRows);
  Value rows = memref::DimOp::create(b, loc, x, zero);
  Value left = arith::RemUIOp::create(b, loc, rows, height);
  whole = arith::SubIOp::create(b, loc, rows, left);
  Value count = arith::DivUIOp::create(b, loc, whole, height);
  auto ahead = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{count}, ValueRange(), std::nullopt,
      [&](OpBuilder &, Location, ValueRange at) {
        Value from = arith::MulIOp::create(b, loc, at[0], height);
        pack(x, from, k.add(from, kRows), blocks, from);
        scf::InParallelOp::create(b, loc);
      });
  ahead->setAttr(kName, b.getStringAttr("pack")); // for profiles
  packRest(x, rows);
  return true;
}

void RowPack::pack(Value x, Value from, Value to, Value target, Value at) {
  k.each(from, to, 1, [&](Value row) {
    Value into = arith::AddIOp::create(
        b, loc, arith::SubIOp::create(b, loc, row, from), at);
    packRow(x, row, target, into);
  });
}

// One line more than the row has. If the distance of rows were a multiple of
// 4096 bytes, they would share the lines of one set of the first-level cache.
LinearPack::LinearPack(LinearKernel &kernel, bool widens)
    : RowPack(kernel, kernel.b.getBF16Type(),
              llvm::alignTo(kernel.size, kWidth) + kWidth),
      widens(widens) {}

void LinearPack::allocateRest() {
  RowPack::allocateRest();
  if (widens) {
    single = memref::AllocOp::create(b, loc,
                                     MemRefType::get({stride}, b.getF32Type()));
  }
}

Value LinearPack::isSingle(Value rows) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rows,
                               k.index(1));
}

void LinearPack::packRest(Value x, Value rows) {
  if (!widens) {
    return RowPack::packRest(x, rows);
  }
  scf::IfOp::create(
      b, loc, isSingle(rows),
      [&](OpBuilder &, Location) {
        packSingle(x);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        RowPack::packRest(x, rows);
        scf::YieldOp::create(b, loc);
      });
}

void LinearPack::round(
    Value x, Value row,
    llvm::function_ref<void(Value column, Value rounded)> store) {
  constexpr int64_t lanes = 16;
  auto wide = VectorType::get({lanes}, b.getF32Type());
  auto narrow = VectorType::get({lanes}, b.getBF16Type());
  auto roundAndStore = [&](Value column, Value value) {
    store(column,
          x86vector::CvtPackedF32ToBF16Op::create(b, loc, narrow, value));
  };
  int64_t full = k.size / lanes * lanes;
  k.each(k.index(0), k.index(full), lanes, [&](Value column) {
    roundAndStore(column, vector::LoadOp::create(b, loc, wide, x,
                                                 ValueRange{row, column}));
  });
  Value zeros = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(wide, b.getF32FloatAttr(0)));
  for (int64_t c = full; c < stride - kWidth; c += lanes) {
    Value column = k.index(c), value = zeros;
    if (c < k.size) {
      Value mask = vector::ConstantMaskOp::create(
          b, loc, VectorType::get({lanes}, b.getI1Type()),
          ArrayRef<int64_t>{k.size - c});
      value = vector::MaskedLoadOp::create(
          b, loc, wide, x, ValueRange{row, column}, mask, zeros);
    }
    roundAndStore(column, value);
  }
}

void LinearPack::packRow(Value x, Value row, Value target, Value into) {
  round(x, row, [&](Value column, Value rounded) {
    vector::StoreOp::create(b, loc, rounded, target, ValueRange{into, column});
  });
}

void LinearPack::packSingle(Value x) {
  round(x, k.index(0), [&](Value column, Value rounded) {
    Value widened = arith::ExtFOp::create(b, loc, k.column, rounded);
    vector::StoreOp::create(b, loc, widened, single, column);
  });
}
