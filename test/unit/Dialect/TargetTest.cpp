// A module that says another target than a CPU.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {

/// Makes every string a target.
struct Elsewhere : TargetAttrInterface::ExternalModel<Elsewhere, StringAttr> {
  StringRef getBackend(Attribute) const { return "elsewhere"; }
};

TEST(Target, ASecondOneIsRefusedByName) {
  MLIRContext context;
  context.loadDialect<CheemsCPUDialect>();
  StringAttr::attachInterface<Elsewhere>(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  (*module)->setAttr(kTarget, StringAttr::get(&context, "any"));
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  PassManager passes(&context);
  passes.addPass(createSelectStrategyPass());
  EXPECT_TRUE(failed(passes.run(*module)));
  EXPECT_EQ(message, "the module is for the target 'elsewhere', not for a CPU");
}

} // namespace
