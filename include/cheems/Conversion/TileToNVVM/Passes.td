// From kernels on tiles to functions of the NVVM dialect. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_TILETONVVM_PASSES_TD
#define CHEEMS_CONVERSION_TILETONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTilesPass : Pass<"cheems-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "Kernels on tiles become functions of one thread";
  let description = [{
    Before: `cheems_tile.kernel`s, whose buffers have offsets (`cheems-tile-plan-shared`).
    After: `gpu.module @kernels` with one `llvm.func` per kernel and the block's shared memory, `@cheems_shared`. The parameters are those
    of `cheems/Dialect/CheemsTile/IR/KernelABI.h`. A tile is a vector of the elements that one thread holds, in the order of its layout.
    An `index` is 32 bits wide. Bodies are of `arith`, `math`, `scf`, `vector`, `llvm` and `nvvm`. Launches stay. `wait_for_launches` is
    `griddepcontrol.wait`, and then lets the next kernel start. Memory that nobody writes while a kernel runs is loaded past the coherent
    caches, but for loads before the wait, which stay there.
    Requires: constant tiles have one value. Of `tensor` and `memref`, kernels have `tensor.splat`, `memref.dim` and `memref.load`. A kernel
    that `overlaps` waits before it touches memory that others may touch, and before its end.
    Guarantees: every other op is refused, with the kernel's name. Sums have the order that the ops specify.

    Functions have the error of the instruction that computes them (PTX ISA, "Floating Point Instructions"). `math.exp2`, `rsqrt`, `log2`
    and `log` are one approximation: 2^-22 relative to the result (of logarithms near 1, absolute); subnormal numbers are zero.
    `math.exp` is 2^(x log2(e)), which adds 2^-24 |x log2(e)|. `math.sqrt` and `arith.divf` are rounded correctly; with fastmath<arcp> a
    division has an error of 2 units in the last place. `math.log1p` of f32 has an error of 2^-21, relative to the result if its argument
    is between -1/2 and 1. `math.erf` of f32 stays for `cheems-finish-kernels`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FinishKernelsPass : Pass<"cheems-finish-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Functions of one thread become LLVM's";
  let description = [{
    Before: functions as `cheems-lower-tiles` leaves them.
    After: nothing but `llvm` and `nvvm` ops. `math.erf` is a quotient of polynomials, 2^-21 relative to the result.
    Requires: vectors have one dimension.
    Guarantees: an op that has no form in `llvm` or `nvvm` is an error, with the kernel's name.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
