// From text to PTX by the passes that a compile runs.
#include "TileHarness.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CUDA/PTX.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace cheems::test {
namespace {

LogicalResult runPasses(ModuleOp module, const std::string &text) {
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  return success(succeeded(parsePassPipeline(text, passes)) &&
                 succeeded(passes.run(module)));
}

} // namespace

TileModule::TileModule() {
  static const bool registered = [] {
    registerTransformsPasses();
    cheems::registerPassesAndPipelines();
    return true;
  }();
  (void)registered;
  cheems::registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
}

std::unique_ptr<TileModule> TileModule::compile(const std::string &text,
                                                const std::string &passes) {
  std::unique_ptr<TileModule> result(new TileModule());
  std::string said;
  ScopedDiagnosticHandler handler(result->context.get(),
                                  [&](Diagnostic &diagnostic) {
                                    said += diagnostic.str() + "\n";
                                    return success();
                                  });
  auto failed = [&](const std::string &what) {
    ADD_FAILURE() << what << "\n" << said;
    return nullptr;
  };
  result->module = parseSourceString<ModuleOp>(text, result->context.get());
  if (!result->module) {
    return failed("the text is no module");
  }
  std::string planned =
      passes + (passes.empty() ? "" : ",") + "cheems-tile-plan-shared";
  if (runPasses(*result->module, planned).failed()) {
    return failed(planned);
  }
  // Launches name kernels of tiles, so those stay in the module.
  OwningOpRef<ModuleOp> lowered = result->module->clone();
  for (auto function :
       llvm::make_early_inc_range(lowered->getOps<func::FuncOp>())) {
    function.erase();
  }
  if (runPasses(*lowered, "cheems-tile-to-nvvm").failed()) {
    return failed("cheems-tile-to-nvvm");
  }
  auto kernels = lowered->getOps<gpu::GPUModuleOp>();
  if (kernels.empty()) {
    return failed("there are no kernels");
  }
  auto architecture =
      llvm::cantFail(cuda::Architecture::find(GPU::get().architecture()));
  auto ptx = cuda::generatePTX(*kernels.begin(), architecture);
  if (!ptx) {
    return failed(llvm::toString(ptx.takeError()));
  }
  result->code = std::move(*ptx);
  return result;
}

std::optional<std::vector<Array>>
TileModule::call(llvm::StringRef function, llvm::ArrayRef<Argument> arguments) {
  try {
    return runPlanned(*module, function, code, arguments);
  } catch (const GPUError &error) {
    ADD_FAILURE() << "@" << function.str() << ": " << error.what();
    return std::nullopt;
  }
}

} // namespace cheems::test
