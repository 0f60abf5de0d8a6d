// Recognises elementwise ops, and builds their bodies on tiles.
#include "Elementwise.h"
#include "Strategy/Strategy.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cheems::tile;

static AffineMap identity(MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(2, context);
}

Reach cheems::tile::reachOf(linalg::GenericOp op, OpOperand &operand) {
  return op.getMatchingIndexingMap(&operand) == identity(op.getContext())
             ? Reach::Element
             : Reach::Column;
}

/// Ops that have a meaning on each element of a tile, and the yield. Of what is
/// outside of the body they may read constants.
static bool isOnElements(Operation &op) {
  auto isKnown = [&](Value operand) {
    return operand.getParentBlock() == op.getBlock() ||
           operand.getDefiningOp<arith::ConstantOp>();
  };
  return (op.hasTrait<OpTrait::Elementwise>() ||
          isa<arith::ConstantOp, linalg::YieldOp>(op)) &&
         llvm::all_of(op.getOperands(), isKnown);
}

bool cheems::tile::isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumLoops() != 2 || op.getNumParallelLoops() != 2 ||
      op.hasIndexSemantics()) {
    return false;
  }
  AffineMap all = identity(op.getContext()), column = all.dropResult(0);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        (map != all && (map != column || op.isDpsInit(&operand)))) {
      return false;
    }
  }
  return llvm::all_of(*op.getBlock(), isOnElements);
}

bool cheems::tile::isFunctionOfVector(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getNumDpsInputs() == 1 && op.getNumLoops() == 1 &&
         op.getNumParallelLoops() == 1 && !op.hasIndexSemantics() &&
         op.getBlock()->getArguments().back().use_empty() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         llvm::all_of(*op.getBlock(), isOnElements);
}

Value cheems::tile::widenedBy(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumResults() != 1 || op.getNumLoops() != op.getNumParallelLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); })) {
    return {};
  }
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  auto wide = yield.getOperand(0).getDefiningOp<arith::ExtFOp>();
  bool widens = wide && wide.getIn() == op.getBlock()->getArgument(0);
  return widens ? op.getInputs()[0] : Value();
}

Value cheems::tile::filledWithZeros(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat())
             ? fill.getOutputs()[0]
             : Value();
}

linalg::GenericOp cheems::tile::onlyElementwiseUse(Value value) {
  if (!hasOneUseInBlock(value)) {
    return {};
  }
  auto op = dyn_cast<linalg::GenericOp>(*value.user_begin());
  return op && isElementwise(op) && llvm::is_contained(op.getInputs(), value)
             ? op
             : linalg::GenericOp();
}

Place RowsAndColumns::place() const {
  return across ? Place{{row, column}, {1, 0}} : Place{{row, column}, {0, 1}};
}

int64_t cheems::tile::alignmentOf(Value memory, const RowsAndColumns &at) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t columns = type.getShape().back();
  return at.across || ShapedType::isDynamic(columns)
             ? 0
             : alignmentOf(columns, type.getElementType());
}

SmallVector<Value>
cheems::tile::loadArguments(TileBuilder &t, linalg::GenericOp op,
                            ArrayRef<Value> memory, ArrayRef<Value> tiles,
                            RankedTensorType like, const RowsAndColumns &at) {
  SmallVector<Value> arguments;
  for (auto [operand, argument, source, tile] : llvm::zip_equal(
           op->getOpOperands(), op.getBlock()->getArguments(), memory, tiles)) {
    if (argument.use_empty() || tile) {
      arguments.push_back(argument.use_empty() ? Value() : tile);
      continue;
    }
    auto type = t.withElement(like, argument.getType());
    if (reachOf(op, operand) == Reach::Element) {
      arguments.push_back(
          t.load(type, source, at.place(), alignmentOf(source, at)));
      continue;
    }
    // The dimension of the tile along which the vector is repeated.
    int64_t axis = at.across ? 1 : 0;
    Value vector = t.load(t.sliceType(type, axis), source, at.columns());
    arguments.push_back(t.broadcast(vector, type));
  }
  return arguments;
}

Value cheems::tile::inlineBody(TileBuilder &t, linalg::GenericOp op,
                               ArrayRef<Value> arguments,
                               RankedTensorType like) {
  IRMapping map;
  for (auto [argument, tile] :
       llvm::zip_equal(op.getBlock()->getArguments(), arguments)) {
    if (tile) {
      map.map(argument, tile);
    }
  }
  auto tileOf = [&](Type scalar) -> Type {
    return t.withElement(like, scalar);
  };
  auto fill = [&](arith::ConstantOp constant) {
    auto values = DenseElementsAttr::get(
        cast<ShapedType>(tileOf(constant.getType())), constant.getValue());
    map.map(constant.getResult(),
            arith::ConstantOp::create(t.b, values).getResult());
  };
  for (Operation &inner : *op.getBlock()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      fill(constant);
      continue;
    }
    for (Value operand : inner.getOperands()) {
      auto constant = operand.getDefiningOp<arith::ConstantOp>();
      if (constant && !map.contains(operand)) {
        fill(constant);
      }
    }
    if (auto yield = dyn_cast<linalg::YieldOp>(inner)) {
      return map.lookup(yield.getOperand(0));
    }
    Operation *clone = t.b.clone(inner, map);
    for (auto [result, made] :
         llvm::zip_equal(inner.getResults(), clone->getResults())) {
      made.setType(tileOf(result.getType()));
    }
  }
  llvm_unreachable("a body ends with its yield");
}
