// Interfaces of ops that kernels of CPUs replace.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUINTERFACES_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUINTERFACES_TD

include "mlir/IR/OpBase.td"

def CheemsCPU_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::cheems::cpu";
  let description = [{
    An op for which CPUs have a kernel. The op stays as it is until it is on buffers. Then the kernel replaces it. The interface is
    attached as an external model, so no dialect knows which ops have a kernel.
  }];
  let methods = [
    InterfaceMethod<"Builds the kernel before the op, which is on buffers. `target` is the target's attribute. The caller "
                    "erases the op.",
                    "::llvm::LogicalResult", "lowerToVectors",
                    (ins "::mlir::RewriterBase &":$rewriter, "::cheems::TargetAttrInterface":$target)>
  ];
}

#endif
