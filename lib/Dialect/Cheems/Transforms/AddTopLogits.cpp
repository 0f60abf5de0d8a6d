// cheems-add-top-logits: entries that find the best logits of a step.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"

namespace cheems {
#define GEN_PASS_DEF_ADDTOPLOGITSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct AddTopLogits : cheems::impl::AddTopLogitsPassBase<AddTopLogits> {
  using AddTopLogitsPassBase::AddTopLogitsPassBase;

  /// What the steps of the module write, if they write logits.
  static RankedTensorType logitsOf(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        if (stepFieldOf(function, i) == StepField::Logits) {
          return dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
        }
      }
    }
    return {};
  }

  void addEntry(RankedTensorType logits, int64_t count) {
    constexpr int64_t rows = ShapedType::kDynamic;
    Location loc = NameLoc::get(StringAttr::get(&getContext(), "top_logits"));
    ImplicitLocOpBuilder b(loc, &getContext());
    b.setInsertionPointToEnd(getOperation().getBody());
    SmallVector<Type> results = {
        RankedTensorType::get({rows, count}, b.getF32Type()),
        RankedTensorType::get({rows, count}, b.getI32Type()),
        RankedTensorType::get({rows}, b.getF32Type())};
    SmallVector<Type> inputs = {logits};
    llvm::append_range(inputs, results);
    auto function =
        func::FuncOp::create(b, "top_logits_" + std::to_string(count),
                             b.getFunctionType(inputs, results));
    constexpr StepField fields[] = {StepField::StepLogits, StepField::TopValues,
                                    StepField::TopTokens, StepField::LogSums};
    for (auto [i, field] : llvm::enumerate(fields)) {
      function.setArgAttr(unsigned(i), kField,
                          StepFieldAttr::get(&getContext(), field));
    }
    Block *body = function.addEntryBlock();
    b.setInsertionPointToStart(body);
    auto top = TopLogitsOp::create(b, results, body->getArgument(0),
                                   body->getArgument(1), body->getArgument(2),
                                   body->getArgument(3));
    func::ReturnOp::create(b, top.getResults());
  }

  void runOnOperation() override {
    RankedTensorType logits = logitsOf(getOperation());
    if (!logits) {
      return; // nobody asks for any
    }
    for (int64_t count : counts) {
      if (count < 1) {
        getOperation().emitOpError("needs counts of at least 1, not ") << count;
        return signalPassFailure();
      }
      if (count <= logits.getDimSize(1)) {
        addEntry(logits, count);
      }
    }
  }
};
} // namespace
