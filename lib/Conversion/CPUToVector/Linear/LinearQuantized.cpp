// What all ways of multiplying with 8- and 4-bit integers share.
//
// Sums of a group are exact integers. So neither the unit nor the shape of a
// tile changes a result. What follows is one chain of f32 operations.
#include "LinearQuantized.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

QuantizedForm::QuantizedForm(LinearKernel &kernel)
    : nibbles(*kernel.op.getBits() == 4), zero(nibbles ? 8 : 128),
      groups(
          cast<MemRefType>(kernel.op.getScales()[0].getType()).getDimSize(1)),
      groupSize(kernel.size / groups),
      dots(kernel.unit.products >= MatmulUnit::DotI8), words(!dots && !nibbles),
      tiles(kernel.unit.products == MatmulUnit::AMX) {}

Value QuantizedKernel::scales(int64_t weight, Value panel, Value group,
                              int64_t column, int64_t lanes) {
  Value scales = k.op.getScales()[weight];
  Type element = cast<MemRefType>(scales.getType()).getElementType();
  Value stored =
      vector::LoadOp::create(b, loc, VectorType::get({lanes}, element), scales,
                             ValueRange{panel, group, k.index(column)});
  if (element.isF32()) {
    return stored;
  }
  return arith::ExtFOp::create(b, loc, VectorType::get({lanes}, b.getF32Type()),
                               stored);
}

void QuantizedKernel::storeRows(Value scratch, int64_t height, Value packed,
                                Value at, Value row, Value count,
                                ArrayRef<Value> panels) {
  int64_t matrices = k.weights.size();
  SmallVector<Value> ofColumns;
  if (!form.nibbles) {
    for (Value panel : panels) {
      for (int64_t w = 0; w < matrices; ++w) {
        ofColumns.push_back(scales(w, panel, k.zero, 0, k.kColumns));
      }
    }
  }
  Value zeros = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
  auto stored = VectorType::get(
      {k.kColumns}, cast<MemRefType>(scratch.getType()).getElementType());
  k.each(k.zero, count, 1, [&](Value r) {
    Value place = arith::AddIOp::create(b, loc, at, r);
    Value ofRow = pack.scale(packed, place), start;
    if (!form.nibbles) {
      start = pack.start(packed, place, k.zero, k.kColumns);
    }
    for (auto [p, panel] : llvm::enumerate(panels)) {
      SmallVector<Value> sums;
      for (int64_t w = 0; w < matrices; ++w) {
        int64_t stream = p * matrices + w;
        Value sum = vector::LoadOp::create(
            b, loc, stored, scratch,
            ValueRange{k.add(r, stream * height), k.zero});
        if (!form.nibbles) {
          sum = arith::SIToFPOp::create(
              b, loc, k.column, arith::AddIOp::create(b, loc, sum, start));
          sum = vector::FMAOp::create(b, loc, sum, ofColumns[stream], zeros);
        }
        sums.push_back(arith::MulFOp::create(b, loc, sum, ofRow));
      }
      k.store(arith::AddIOp::create(b, loc, row, r), panel, sums);
    }
  });
}

void QuantizedKernel::rest(
    llvm::function_ref<void(Value row, Value count)> body) {
  if (!pack.whole) {
    return k.each(k.zero, k.rows, RowPack::kRows, [&](Value m) {
      Value end =
          arith::MinUIOp::create(b, loc, k.add(m, RowPack::kRows), k.rows);
      pack.packHere(m, end);
      body(m, arith::SubIOp::create(b, loc, end, m));
    });
  }
  Value count = arith::SubIOp::create(b, loc, k.rows, pack.whole);
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count, k.zero);
  auto branch = scf::IfOp::create(b, loc, some);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body(pack.whole, count);
}

LogicalResult cheems::lowerLinearQuantized(LinearKernel &kernel) {
  QuantizedKernel codes(kernel);
  if (codes.form.tiles) {
    return lowerLinearQuantizedAMX(codes);
  }
  if (codes.pack.packBefore()) {
    codes.dotBlocks();
  }
  codes.rest([&](Value row, Value count) { codes.dotFew(row, count); });
  return success();
}
