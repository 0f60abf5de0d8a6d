// RUN: not cheems-opt %s --pass-pipeline='builtin.module(gpu.module(cheems-finish-kernels))' --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s

// What MLIR's conversion leaves without an error is one here.
// CHECK: error: 'memref.alloca' op in the kernel stack has no form in llvm or nvvm
gpu.module @kernels {
  llvm.func @stack() attributes {gpu.kernel, nvvm.kernel} {
    %a = memref.alloca() : memref<4xf32>
    llvm.return
  }
}
