// What the destination-style ops of the dialect share.
#include "OpUtils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

void cheems::destinationEffects(
    DestinationStyleOpInterface op, function_ref<bool(Value)> readsInit,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      continue;
    }
    bool init = op.isDpsInit(&operand);
    if (!init || readsInit(operand.get())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    }
    if (init) {
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}

LogicalResult cheems::reifyDestinations(DestinationStyleOpInterface op,
                                        OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (isa<RankedTensorType>(init.get().getType())) {
      shapes.push_back(
          tensor::getMixedSizes(builder, op->getLoc(), init.get()));
    }
  }
  return success();
}

bool cheems::haveOneSemantics(TypeRange types) {
  return !llvm::any_of(types, llvm::IsaPred<TensorType>) ||
         !llvm::any_of(types, llvm::IsaPred<BaseMemRefType>);
}

bool cheems::compatible(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

LogicalResult cheems::verifySameShape(Operation *op, StringRef label,
                                      ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                      StringRef what) {
  bool same = a.size() == b.size() &&
              llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
                return compatible(std::get<0>(pair), std::get<1>(pair));
              });
  return same ? success() : op->emitOpError(label) << ": " << what << " differ";
}

FailureOr<TilingResult> cheems::tileOp(Operation *op, OpBuilder &b,
                                       ArrayRef<OperandTile> tiles) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  for (auto [operand, tile] : llvm::zip_equal(op->getOperands(), tiles)) {
    if (tile.offsets.empty()) {
      operands.push_back(operand);
      continue;
    }
    operands.push_back(slice(b, loc, operand, tile.offsets, tile.sizes));
    slices.push_back(operands.back().getDefiningOp());
  }
  SmallVector<Type> results;
  for (OpOperand &init :
       cast<DestinationStyleOpInterface>(op).getDpsInitsMutable()) {
    results.push_back(operands[init.getOperandNumber()].getType());
  }
  Operation *tiled = mlir::clone(b, op, results, operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

llvm::APFloat cheems::leastF32(llvm::APFloat bound) {
  bool ignored;
  bound.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmTowardPositive,
                &ignored);
  return bound;
}

SmallVector<Range> cheems::fullDomain(OpBuilder &b, Location loc, Value value) {
  SmallVector<Range> domain;
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, value)) {
    domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  }
  return domain;
}

SmallVector<Range> cheems::rowDomain(OpBuilder &b, Location loc, Value value) {
  SmallVector<Range> domain = fullDomain(b, loc, value);
  domain.pop_back();
  return domain;
}

cheems::OperandTile cheems::rowTile(OpBuilder &b, Location loc, Value value,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  OperandTile tile{SmallVector<OpFoldResult>(offsets),
                   SmallVector<OpFoldResult>(sizes)};
  tile.offsets.push_back(b.getIndexAttr(0));
  tile.sizes.push_back(tensor::getMixedSizes(b, loc, value).back());
  return tile;
}

Value cheems::widen(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type();
  if (value.getType().isInteger()) {
    return arith::SIToFPOp::create(b, loc, f32, value);
  }
  return value.getType().isF32()
             ? value
             : arith::ExtFOp::create(b, loc, f32, value).getResult();
}

bool cheems::isOnScalars(Operation *op) {
  return (op->hasTrait<OpTrait::ConstantLike>() ||
          OpTrait::hasElementwiseMappableTraits(op)) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}
