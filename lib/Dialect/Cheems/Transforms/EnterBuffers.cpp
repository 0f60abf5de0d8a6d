// cheems-enter-buffers: a step takes buffers and returns nothing.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems {
#define GEN_PASS_DEF_ENTERBUFFERSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
MemRefType bufferOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

struct EnterBuffers : cheems::impl::EnterBuffersPassBase<EnterBuffers> {
  static bool isWritten(func::FuncOp function, unsigned i) {
    constexpr StepField written[] = {
        StepField::Logits,    StepField::Embeddings, StepField::Pools,
        StepField::TopValues, StepField::TopTokens,  StepField::LogSums};
    std::optional<StepField> field = stepFieldOf(function, i);
    return field && llvm::is_contained(written, *field);
  }
  static bool hasField(func::FuncOp function) {
    return llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
      return stepFieldOf(function, i).has_value();
    });
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool enters = !function.isExternal() && function.getNumArguments() > 0 &&
                    isa<RankedTensorType>(function.getArgumentTypes()[0]) &&
                    hasField(function);
      if (enters && failed(enter(function))) {
        return signalPassFailure();
      }
    }
  }

  LogicalResult enter(func::FuncOp function) {
    SmallVector<unsigned> written;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!isa<RankedTensorType>(function.getArgumentTypes()[i])) {
        return function.emitOpError("takes a tensor per field, but argument ")
               << i << " is of type " << function.getArgumentTypes()[i];
      }
      if (isWritten(function, i)) {
        written.push_back(i);
      }
    }
    auto leave = dyn_cast<func::ReturnOp>(function.front().getTerminator());
    if (!leave) {
      return function.emitOpError("is not one block that returns");
    }
    bool matched =
        leave.getNumOperands() == written.size() &&
        llvm::all_of(llvm::zip_equal(leave.getOperands(), written),
                     [&](auto pair) {
                       auto [value, i] = pair;
                       return value.getType() == function.getArgumentTypes()[i];
                     });
    if (!matched) {
      return function.emitOpError("returns ")
             << leave.getNumOperands() << " tensors, and " << written.size()
             << " of its arguments are written; each is returned, in order";
    }

    OpBuilder b(&function.front(), function.front().begin());
    for (BlockArgument argument : function.getArguments()) {
      auto tensor = cast<RankedTensorType>(argument.getType());
      argument.setType(bufferOf(tensor));
      auto read = bufferization::ToTensorOp::create(
          b, argument.getLoc(), tensor, argument, /*restrict=*/true,
          isWritten(function, argument.getArgNumber()));
      argument.replaceAllUsesExcept(read, read);
    }
    // Otherwise an update that was not in place would be lost in silence.
    b.setInsertionPoint(leave);
    for (auto [value, i] : llvm::zip_equal(leave.getOperands(), written)) {
      bufferization::MaterializeInDestinationOp::create(
          b, function.getArgument(i).getLoc(), Type(), value,
          function.getArgument(i),
          /*restrict=*/true, /*writable=*/true);
    }
    leave.getOperandsMutable().clear();
    function.setFunctionType(
        b.getFunctionType(function.front().getArgumentTypes(), {}));

    unsigned at = 0;
    while (at < function.getNumArguments() &&
           stepFieldOf(function, at) != StepField::Pools) {
      ++at;
    }
    auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    auto field = b.getDictionaryAttr(b.getNamedAttr(
        kField, StepFieldAttr::get(&getContext(), StepField::Parameters)));
    if (failed(function.insertArgument(at, bytes, field, function.getLoc()))) {
      return failure();
    }
    function->setAttr(kEntry, b.getStringAttr("cheems_" + function.getName()));
    return success();
  }
};
} // namespace
