// cheems-opt: mlir-opt with the cheems dialect, its passes and pipelines. A
// pass that fails is named in the error.
#include "cheems/Interpreter/Passes.h"
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {
LogicalResult optimize(llvm::StringRef input, llvm::StringRef output,
                       DialectRegistry &registry,
                       const MlirOptMainConfig &config) {
  std::string message;
  auto source = openInputFile(input, &message);
  auto target = source ? openOutputFile(output, &message) : nullptr;
  if (!target) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(target->os(), std::move(source), registry, config))) {
    return failure();
  }
  target->keep();
  return success();
}
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  cheems::registerDialects(registry);
  registerAllPasses();
  cheems::registerPassesAndPipelines();
  cheems::interpreter::registerCheemsInterpreterPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Cheems optimizer driver\n", registry);
  MlirOptMainConfig asked = MlirOptMainConfig::createFromCLOptions();
  if (asked.shouldShowDialects() || asked.shouldListPasses()) {
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  }
  llvm::InitLLVM init(argc, argv);
  MlirOptMainConfig named = asked;
  named.setPassPipelineSetupFn([&](PassManager &passes) {
    cheems::namePassFailures(passes);
    return asked.setupPassPipeline(passes);
  });
  return asMainReturnCode(optimize(input, output, registry, named));
}
