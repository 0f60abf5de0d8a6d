// cheems-lower-parameters: offsets in the weight section, and views of it.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/Cheems/Utils/ParameterTable.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems {
#define GEN_PASS_DEF_LOWERPARAMETERSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct LowerParameters
    : cheems::impl::LowerParametersPassBase<LowerParameters> {
  void runOnOperation() override {
    cheems::ParameterTable table(getOperation());
    SmallVector<cheems::ParameterOp> ops;
    getOperation().walk([&](cheems::ParameterOp op) { ops.push_back(op); });
    for (cheems::ParameterOp op : ops) {
      auto type = cast<RankedTensorType>(op.getResult().getType());
      auto parameter = cheems::StoredParameterAttr::get(
          &getContext(), op.getNames(), type, /*offset=*/0, op.getLayoutAttr(),
          op.getPermuteAttr(), op.getByColumns(), op.getQuantizedAttr());
      if (failed(lower(op, type, table.add(parameter)))) {
        return signalPassFailure();
      }
    }
    table.attach();
  }

  LogicalResult lower(cheems::ParameterOp op, RankedTensorType type,
                      int64_t offset) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function) {
      return op.emitOpError("is in no function");
    }
    Value section = cheems::argumentOf(function, cheems::StepField::Parameters);
    if (!section) {
      return op.emitOpError("is in a function without an argument "
                            "{cheems.field = #cheems.step_field<parameters>}");
    }
    OpBuilder b(op);
    Value at = arith::ConstantIndexOp::create(b, op.getLoc(), offset);
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    Value view = memref::ViewOp::create(b, op.getLoc(), memref, section, at,
                                        ValueRange{});
    // Not writable: an attempt to write a weight becomes a copy, which
    // cheems-check-kernels refuses.
    Value tensor = bufferization::ToTensorOp::create(
        b, op.getLoc(), type, view, /*restrict=*/true, /*writable=*/false);
    op.replaceAllUsesWith(tensor);
    op.erase();
    return success();
  }
};
} // namespace
