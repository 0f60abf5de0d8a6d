// cheems-round-inputs: inputs of matmuls get the type of the weights, and
// those of state-space duality the type that tensor cores multiply.
#include "Builder/Elementwise.h"
#include "Strategy/Strategy.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/Utils/TensorBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace cheems {
#define GEN_PASS_DEF_ROUNDINPUTSPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct RoundInputs : cheems::impl::RoundInputsPassBase<RoundInputs> {
  using RoundInputsPassBase::RoundInputsPassBase;

  /// After the op that makes `x`.
  static Value round(Value x, Type element, Location loc) {
    OpBuilder at(x.getContext());
    at.setInsertionPointAfterValue(x);
    TensorBuilder t{ImplicitLocOpBuilder(loc, at)};
    AffineMap all = AffineMap::getMultiDimIdentityMap(2, x.getContext());
    return t.map({x}, {all}, t.emptyLike(x, element),
                 [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
                   return arith::TruncFOp::create(b, l, element, arguments[0]);
                 });
  }

  /// Rows of heads [T, H, P] that have been rounded, in f32. They are rounded
  /// as the rows [T, H P] that a matmul or a rotation makes: these do it in
  /// their kernels. Those that have been widened stay.
  static Value roundHeads(Value x, Type element, Location loc) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<ReassociationIndices> heads = {{0}, {1, 2}};
    auto expand = x.getDefiningOp<tensor::ExpandShapeOp>();
    Value flat;
    if (expand && expand.getReassociationIndices() == heads) {
      flat = expand.getSrc();
    } else {
      OpBuilder at(x.getContext());
      at.setInsertionPointAfterValue(x);
      flat = tensor::CollapseShapeOp::create(at, loc, x, heads);
    }
    Value before = tile::widenedBy(flat);
    if (before && getElementTypeOrSelf(before) == element) {
      return x;
    }
    Value rounded = round(flat, element, loc);
    OpBuilder after(x.getContext());
    after.setInsertionPointAfterValue(rounded);
    rounded = tensor::ExpandShapeOp::create(after, loc, type.clone(element),
                                            rounded, heads);
    TensorBuilder t{ImplicitLocOpBuilder(loc, after)};
    AffineMap all = AffineMap::getMultiDimIdentityMap(3, x.getContext());
    return t.map({rounded}, {all}, t.emptyLike(rounded, type.getElementType()),
                 [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
                   return arith::ExtFOp::create(b, l, type.getElementType(),
                                                arguments[0]);
                 });
  }

  static void roundInputs(SegmentedSSDOp op) {
    if (!tile::Strategy::takesRounded(op)) {
      return;
    }
    Type element = BFloat16Type::get(op.getContext());
    for (OpOperand *operand :
         {&op.getXMutable(), &op.getBMutable(), &op.getCMutable()}) {
      operand->set(roundHeads(operand->get(), element, op.getLoc()));
    }
  }

  void runOnOperation() override {
    getOperation().walk([](SegmentedSSDOp op) { roundInputs(op); });
    llvm::DenseMap<std::pair<Value, Type>, Value> rounded;
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp op) { products.push_back(op); });
    for (linalg::MatmulOp op : products) {
      Value x = op.getDpsInputs()[0];
      Type wanted = getElementTypeOrSelf(op.getDpsInputs()[1]);
      if (!isa<RankedTensorType>(x.getType()) ||
          !getElementTypeOrSelf(x).isF32() ||
          !(wanted.isBF16() || wanted.isF16())) {
        continue;
      }
      Value &known = rounded[{x, wanted}];
      if (!known) {
        known = round(x, wanted, op.getLoc());
      }
      // Anew, because the types of its body follow from those of its operands.
      OpBuilder b(op);
      auto product = linalg::MatmulOp::create(
          b, op.getLoc(), op.getResultTypes(),
          ValueRange{known, op.getDpsInputs()[1]}, op.getDpsInits(),
          b.getNamedAttr("indexing_maps", op.getIndexingMaps()));
      op.replaceAllUsesWith(product.getResults());
      op.erase();
    }
  }
};
} // namespace
