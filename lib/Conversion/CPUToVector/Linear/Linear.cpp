// Matmuls with weights in panels: what all ways of computing them share.
#include "Linear.h"
#include "Epilogue.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LinearKernel::LinearKernel(OpBuilder &b, LinearOp op, const VectorUnit &unit)
    : KernelBuilder(b, op.getLoc()), op(op), unit(unit), x(op.getX()),
      y(op.getY()) {
  size = cast<MemRefType>(x.getType()).getDimSize(1);
  pair = op.getPair();
  column = VectorType::get({kColumns}, b.getF32Type());
  zero = index(0);
  one = index(1);
  for (Value weight : op.getWeights()) {
    weights.push_back(memref::CollapseShapeOp::create(
        b, loc, weight, SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}}));
  }
  rows = memref::DimOp::create(b, loc, x, zero);
  panels = memref::DimOp::create(b, loc, weights[0], zero);
  int64_t columns = cast<MemRefType>(y.getType()).getDimSize(1);
  whole = !ShapedType::isDynamic(columns) && columns % kColumns == 0;
}

std::optional<int64_t> LinearKernel::panelCount() {
  return getConstantIntValue(memref::getMixedSize(b, loc, weights[0], 0));
}

bool LinearKernel::mayRepeat(int64_t count) {
  std::optional<int64_t> all = panelCount();
  return !all || *all % count != 0;
}

SmallVector<Value> LinearKernel::panelsFrom(Value n, int64_t count) {
  Value last = arith::SubIOp::create(b, loc, panels, one);
  SmallVector<Value> result;
  for (int64_t p = 0; p < count; ++p) {
    Value panel = add(n, p);
    result.push_back(
        p && mayRepeat(count)
            ? arith::MinUIOp::create(b, loc, panel, last).getResult()
            : panel);
  }
  return result;
}

void LinearKernel::store(Value row, Value panel, ValueRange sums) {
  // A register at a time: what an epilogue holds between its ops is little.
  int64_t lanes = std::min(unit.lanes, kColumns);
  if (op.hasIdentityEpilogue()) {
    lanes = kColumns;
  }
  for (int64_t c = 0; c < kColumns; c += lanes) {
    SmallVector<Value> parts =
        llvm::map_to_vector(sums, [&](Value sum) -> Value {
          return lanes == kColumns ? sum
                                   : vector::ExtractStridedSliceOp::create(
                                         b, loc, sum, c, lanes, 1)
                                         .getResult();
        });
    Value at = arith::MulIOp::create(b, loc, panel, index(kColumns));
    storeColumns(row, add(at, c), VectorType::get({lanes}, b.getF32Type()),
                 parts);
  }
}

void LinearKernel::storeColumns(Value row, Value at, VectorType type,
                                ValueRange sums) {
  auto like = [&](Type element) -> Type {
    return VectorType::get(type.getShape(), element);
  };
  Value mask;
  if (!whole) {
    Value left = arith::SubIOp::create(
        b, loc, memref::DimOp::create(b, loc, y, one), at);
    mask = vector::CreateMaskOp::create(
        b, loc, cast<VectorType>(like(b.getI1Type())), left);
  }
  Value result = sums[0];
  if (!op.hasIdentityEpilogue()) {
    Block &epilogue = op.getEpilogue().front();
    SmallVector<Value> arguments(sums);
    for (Value operand : op.getWith()) {
      SmallVector<Value> indices{at};
      if (cast<MemRefType>(operand.getType()).getRank() == 2) {
        indices.insert(indices.begin(), row);
      }
      if (mask) {
        Value zeros = arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(0)));
        arguments.push_back(vector::MaskedLoadOp::create(b, loc, type, operand,
                                                         indices, mask, zeros));
      } else {
        arguments.push_back(
            vector::LoadOp::create(b, loc, type, operand, indices));
      }
    }
    result = emitEpilogue(b, loc, epilogue, arguments, type.getDimSize(0));
  }
  if (mask) {
    vector::MaskedStoreOp::create(b, loc, y, ValueRange{row, at}, mask, result);
  } else {
    vector::StoreOp::create(b, loc, result, y, ValueRange{row, at});
  }
}

/// `value`, or a copy of what it is made of inside of `outside`; null where
/// that is more than pure ops.
static Value rebuild(OpBuilder &b, Value value, Operation *outside,
                     IRMapping &map) {
  if (Value mapped = map.lookupOrNull(value)) {
    return mapped;
  }
  if (!outside->isAncestor(value.getParentRegion()->getParentOp())) {
    return value;
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || !isPure(definition) || definition->getNumRegions()) {
    return {};
  }
  for (Value operand : definition->getOperands()) {
    Value there = rebuild(b, operand, outside, map);
    if (!there) {
      return {};
    }
    map.map(operand, there);
  }
  b.clone(*definition, map);
  return map.lookup(value);
}

Value LinearKernel::inputAhead(scf::ForallOp loop) {
  IRMapping map;
  return rebuild(b, x, loop, map);
}

FailureOr<OpFoldResult> LinearKernel::mostRows(Value input) {
  int64_t count = cast<MemRefType>(input.getType()).getDimSize(0);
  if (!ShapedType::isDynamic(count)) {
    return OpFoldResult(b.getIndexAttr(count));
  }
  // A part has no more rows than what it is a part of.
  input = sourceOfRows(input);
  auto type = cast<MemRefType>(input.getType());
  if (type.getRank() == 0 || !type.isDynamicDim(0)) {
    return failure();
  }
  if (auto alloc = input.getDefiningOp<memref::AllocOp>()) {
    if (alloc.getDynamicSizes().size() != 1) {
      return failure();
    }
    return OpFoldResult(alloc.getDynamicSizes()[0]);
  }
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument || !argument.getOwner()->isEntryBlock() ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp())) {
    return failure();
  }
  return OpFoldResult(
      memref::DimOp::create(b, loc, input, index(0)).getResult());
}

LogicalResult cheems::lowerLinear(LinearOp op, const VectorUnit &unit,
                                  RewriterBase &rewriter) {
  LinearKernel kernel(rewriter, op, unit);
  // Without columns there is nothing to compute, and no way's groups of panels.
  if (kernel.panelCount() == 0) {
    return success();
  }
  if (op.isQuantized()) {
    return lowerLinearQuantized(kernel);
  }
  // f32 weights keep f32 inputs, and only pairs are what the instructions read.
  bool pairs = kernel.pair == 2;
  if (pairs && unit.products == MatmulUnit::AMX) {
    return lowerLinearAMX(kernel);
  }
  if (pairs && unit.products == MatmulUnit::DotBF16) {
    return lowerLinearDot(kernel);
  }
  return lowerLinearFMA(kernel);
}
