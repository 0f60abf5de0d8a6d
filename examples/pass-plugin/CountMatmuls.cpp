// count-products: a pass in a plugin. It says how many matmuls each
// function has.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace {

/// A plugin knows the ops of the cheems dialect by name: their classes are
/// inside cheems-opt, which does not export them. Interfaces of MLIR work on
/// all ops.
bool isMatmul(Operation *op) {
  if (op->getName().getStringRef() == "cheems_cpu.linear") {
    return true;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && linalg::isaContractionOpInterface(structured);
}

struct CountMatmuls : PassWrapper<CountMatmuls, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountMatmuls)

  StringRef getArgument() const final { return "count-products"; }
  StringRef getDescription() const final {
    return "Say how many matmuls each function has";
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t count = 0;
    function.walk([&](Operation *op) { count += isMatmul(op) ? 1 : 0; });
    // Without the op: with it MLIR prints the whole function, too.
    emitRemark(function.getLoc())
        << "matmuls in @" << function.getSymName() << ": " << count;
    markAllAnalysesPreserved();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "count-products", LLVM_VERSION_STRING,
          [] { PassRegistration<CountMatmuls>(); }};
}
