// An error of a pass says in one line which pass, which op and where.
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Dialect/Cheems/Utils/Refusals.h"
#include "cheems/Import/Error.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gmock/gmock.h>

using namespace cheems;
using namespace mlir;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
/// `refuses`: the error is an UnsupportedError.
std::string errorOf(llvm::StringRef text,
                    llvm::function_ref<void(OpPassManager &)> build,
                    bool refuses = false) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(text, &context, "model.mlir");
  EXPECT_TRUE(bool(module));
  llvm::Error failed = runPasses(*module, build);
  EXPECT_EQ(failed.isA<UnsupportedError>(), refuses);
  std::string error = llvm::toString(std::move(failed));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

/// Fails without a word.
struct Silent : PassWrapper<Silent, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Silent)
  StringRef getArgument() const override { return "silent"; }
  void runOnOperation() override { signalPassFailure(); }
};

/// Has nothing for parameters.
struct Refuses : PassWrapper<Refuses, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Refuses)
  StringRef getArgument() const override { return "refuses"; }
  void runOnOperation() override {
    getOperation()->walk([](cheems::ParameterOp op) {
      emitUnsupported(op) << "is not for this target";
    });
    signalPassFailure();
  }
};

/// The first function with a body returns another type than it says.
void spoil(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal()) {
      Type real = Float32Type::get(module.getContext());
      function.setType(FunctionType::get(module.getContext(),
                                         function.getArgumentTypes(), {real}));
      return;
    }
  }
}

struct Spoils : PassWrapper<Spoils, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Spoils)
  StringRef getArgument() const override { return "spoils"; }
  void runOnOperation() override {
    spoil(getOperation());
    getOperation()->walk(
        [](Operation *op) { op->setLoc(UnknownLoc::get(op->getContext())); });
  }
};

TEST(PassFailure, thePassTheOpAndTheLayerAreNamed) {
  EXPECT_EQ(errorOf(R"(
    func.func private @layer() -> tensor<2xf32> {
      %w = cheems.parameter ["w"] : tensor<2xf32> loc("layer 3 ssd_mlp")
      return %w : tensor<2xf32>
    })",
                    [](OpPassManager &passes) {
                      passes.addPass(cheems::createCheckKernelsPass());
                    }),
            "internal error: 'cheems.parameter' op was not lowered: "
            "cheems-to-buffers comes before cheems-to-loops [pass "
            "cheems-check-kernels] in layer 3 ssd_mlp");
}

TEST(PassFailure, whatATargetHasNothingForIsNoInternalError) {
  EXPECT_EQ(errorOf(
                R"(
    func.func private @layer() -> tensor<2xf32> {
      %w = cheems.parameter ["w"] : tensor<2xf32> loc("layer 3 ssd_mlp")
      return %w : tensor<2xf32>
    })",
                [](OpPassManager &passes) {
                  passes.addPass(std::make_unique<Refuses>());
                },
                /*refuses=*/true),
            "layer 3 ssd_mlp: 'cheems.parameter' op is not for this target");
}

TEST(PassFailure, aPassThatFailsWithoutAWordIsNamed) {
  EXPECT_THAT(errorOf("module @model {}",
                      [](OpPassManager &passes) {
                        passes.addPass(std::make_unique<Silent>());
                      }),
              AllOf(StartsWith("internal error: 'builtin.module' op"),
                    HasSubstr("[pass silent on @model]"),
                    HasSubstr("in model.mlir:1")));
}

TEST(PassFailure, whatAPassLeavesInvalidIsNamedByItsFunction) {
  EXPECT_THAT(errorOf(R"(
    func.func private @good()
    func.func private @layer_ssd(%x: i32) -> i32 {
      return %x : i32
    })",
                      [](OpPassManager &passes) {
                        passes.addPass(std::make_unique<Spoils>());
                      }),
              AllOf(StartsWith("internal error: type of return operand"),
                    EndsWith(" in @layer_ssd")));
}
} // namespace
