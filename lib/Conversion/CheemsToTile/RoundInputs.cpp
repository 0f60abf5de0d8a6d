// cheems-round-inputs: inputs of products get the type of the weights.
#include "cheems/Conversion/CheemsToTile/Passes.h"
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

  /// Behind the op that makes `x`.
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

  void runOnOperation() override {
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
