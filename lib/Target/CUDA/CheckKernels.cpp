// Refuses what a stage before has left: stock conversions report success with
// ops that they could not convert, and LLVM ends the process at what a GPU
// lacks.
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Target/CUDA/PTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace cheems::cuda {
namespace {

/// "kernel @product: 'arith.addi' (at product.mlir:7:3) ..."
llvm::Error refuse(Operation *op, const llvm::Twine &why) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (!function) {
    function = op->getParentOfType<LLVM::LLVMFuncOp>();
  }
  std::string text;
  if (function) {
    text = "kernel @" + function.getName().str() + ": ";
  }
  text += "'" + op->getName().getStringRef().str() + "'";
  std::string place = cheems::placeOf(op->getLoc());
  if (!place.empty()) {
    text += " (at " + place + ")";
  }
  return llvm::createStringError(llvm::Twine(text) + " " + why);
}

/// "sm_90" or "sm_90a".
std::string nameOf(const NVVM::NVVMCheckSMVersion &version) {
  return "sm_" + std::to_string(version.smVersionList.front()) +
         (version.archAccelerated ? "a" : "");
}

llvm::Error check(Operation *op, const Architecture &architecture) {
  if (!isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
          op->getDialect())) {
    return refuse(op, "was not lowered: PTX is made of llvm and nvvm ops; "
                      "cheems-tile-to-nvvm comes before");
  }
  if (auto needs = dyn_cast<NVVM::RequiresSMInterface>(op)) {
    auto least = needs.getRequiredMinSMVersion();
    auto target =
        NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(architecture.name);
    if (!least.isCompatibleWith(target)) {
      return refuse(op, "needs " + nameOf(least) +
                            ", and the kernels are for " + architecture.name);
    }
  }
  if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    bool shared = global.getAddrSpace() ==
                  static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
    if (shared && array && array.getNumElements() == 0 &&
        global.getLinkage() != LLVM::Linkage::External) {
      // The back end gives it one byte of its own and the launch's size none.
      return refuse(op, "@" + global.getSymName() +
                            " is shared memory whose size the launch gives: "
                            "make it external");
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error checkKernels(gpu::GPUModuleOp kernels,
                         const Architecture &architecture) {
  llvm::Error failed = llvm::Error::success();
  (void)!failed; // it is looked at, as one that is written over must be
  kernels.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernels) {
      return WalkResult::advance();
    }
    failed = check(op, architecture);
    return failed ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failed;
}

} // namespace cheems::cuda
