// Inputs of f32 matmuls in the order that row tiles read them: [tile][K][row].
#include "LinearFMA.h"
#include "Transpose.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// Rows of one tile, a square of `lanes` by `lanes` at a time in registers.
struct Packing {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  Value x, packed;
  int64_t height, lanes;

  void tile(Value row) {
    auto vector = VectorType::get({lanes}, b.getF32Type());
    Value base = arith::MulIOp::create(b, loc, row, k.index(k.size));
    auto target = [&](Value column) -> Value {
      return arith::AddIOp::create(
          b, loc, base, arith::MulIOp::create(b, loc, column, k.index(height)));
    };
    int64_t whole = k.size / lanes * lanes;
    Value mask = vector::ConstantMaskOp::create(
        b, loc, VectorType::get({lanes}, b.getI1Type()), ArrayRef{height});
    k.each(k.index(0), k.index(whole), lanes, [&](Value column) {
      SmallVector<Value> square;
      for (int64_t r = 0; r < height; ++r) {
        square.push_back(vector::LoadOp::create(
            b, loc, vector, x, ValueRange{k.add(row, r), column}));
      }
      square.resize(lanes, square.back());
      transposeSquare(b, loc, square);
      Value at = target(column);
      // Each store but the last may write past its rows: the next one follows.
      for (int64_t c = 0; c < lanes; ++c) {
        Value place = k.add(at, c * height);
        if (c + 1 < lanes) {
          vector::StoreOp::create(b, loc, square[c], packed, place);
        } else {
          vector::MaskedStoreOp::create(b, loc, packed, place, mask, square[c]);
        }
      }
    });
    k.each(k.index(whole), k.index(k.size), 1, [&](Value column) {
      Value at = target(column);
      for (int64_t r = 0; r < height; ++r) {
        Value scalar = memref::LoadOp::create(
            b, loc, x, ValueRange{k.add(row, r), column});
        memref::StoreOp::create(b, loc, scalar, packed, k.add(at, r));
      }
    });
  }
};
} // namespace

Value cheems::packRows(LinearKernel &k, int64_t height, int64_t least) {
  auto forall = k.op->getParentOfType<scf::ForallOp>();
  if (!forall) {
    return {};
  }
  OpBuilder &b = k.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall);
  Value x = k.inputAhead(forall);
  FailureOr<OpFoldResult> extent = failure();
  if (x) {
    extent = k.mostRows(x);
  }
  std::optional<int64_t> fixed;
  if (succeeded(extent)) {
    fixed = getConstantIntValue(*extent);
  }
  if (failed(extent) || (fixed && *fixed < least)) {
    return {};
  }
  auto type = MemRefType::get({fixed.value_or(ShapedType::kDynamic), k.size},
                              b.getF32Type());
  SmallVector<Value> sizes;
  if (!fixed) {
    sizes.push_back(cast<Value>(*extent));
  }
  Value whole = memref::AllocOp::create(b, k.loc, type, sizes);
  Value packed = memref::CollapseShapeOp::create(
      b, k.loc, whole, SmallVector<ReassociationIndices>{{0, 1}});
  Value zero = arith::ConstantIndexOp::create(b, k.loc, 0);
  Value rows = memref::DimOp::create(b, k.loc, x, zero);
  Value step = arith::ConstantIndexOp::create(b, k.loc, height);
  Value count = arith::DivUIOp::create(b, k.loc, rows, step);
  Value many =
      arith::CmpIOp::create(b, k.loc, arith::CmpIPredicate::uge, rows,
                            arith::ConstantIndexOp::create(b, k.loc, least));
  scf::IfOp::create(b, k.loc, many, [&](OpBuilder &, Location loc) {
    auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{count},
                                      ValueRange(), std::nullopt);
    loop->setAttr(kName, b.getStringAttr("pack"));
    {
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(loop.getBody());
      Packing packing{k, b, loc, x, packed, height, k.unit.lanes};
      packing.tile(arith::MulIOp::create(b, loc, loop.getInductionVar(0),
                                         k.index(height)));
    }
    scf::YieldOp::create(b, loc);
  });
  return packed;
}
