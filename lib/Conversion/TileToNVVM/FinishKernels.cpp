// cheems-finish-kernels: functions of one thread become LLVM's. And the
// pipeline of all that comes after the plan of shared memory.
#include "cheems/Conversion/TileToNVVM/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_FINISHKERNELSPASS
#include "cheems/Conversion/TileToNVVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

/// An error that names the first op that is not LLVM's.
static LogicalResult verifyFinished(gpu::GPUModuleOp module) {
  WalkResult result = module.getBodyRegion().walk([](Operation *op) {
    if (isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect())) {
      return WalkResult::advance();
    }
    auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
    op->emitOpError() << "in the kernel "
                      << (kernel ? kernel.getSymName() : StringRef("module"))
                      << " has no form in llvm or nvvm";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct FinishKernels : cheems::impl::FinishKernelsPassBase<FinishKernels> {
  /// Loops become branches, divisions that round become others, and functions
  /// without an instruction become polynomials.
  LogicalResult expand() {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    populatePolynomialApproximateErfPattern(patterns);
    ConversionTarget legal(getContext());
    legal.addIllegalDialect<scf::SCFDialect>();
    legal.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                       arith::FloorDivSIOp, math::ErfOp>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(getOperation(), legal, std::move(patterns));
  }

  LogicalResult convert() {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(32);
    LLVMTypeConverter types(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    ConversionTarget legal(getContext());
    // What no pattern takes is left, and then named by verifyFinished.
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legal.addLegalOp<gpu::GPUModuleOp>();
    return applyPartialConversion(getOperation(), legal, std::move(patterns));
  }

  void runOnOperation() override {
    if (failed(expand()) || failed(convert()) ||
        failed(verifyFinished(getOperation()))) {
      signalPassFailure();
    }
  }
};
} // namespace

void cheems::buildTileToNVVMPipeline(OpPassManager &pm) {
  pm.addPass(createLowerTilesPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createFinishKernelsPass());
}

void cheems::registerTileToNVVMPipeline() {
  PassPipelineRegistration<>(
      "cheems-tile-to-nvvm",
      "Kernels on tiles, whose shared memory is planned, become LLVM's ops",
      [](OpPassManager &pm) { buildTileToNVVMPipeline(pm); });
}
