// RUN: cheems-opt %s --pass-pipeline='builtin.module(gpu.module(cheems-finish-kernels),canonicalize)' | FileCheck %s

// CHECK-LABEL: llvm.func @sum
// CHECK: llvm.br
// CHECK: llvm.icmp
// CHECK: llvm.cond_br
// CHECK: llvm.fadd %{{.*}} : vector<2xf32>
// CHECK-NOT: {{arith|scf|vector|cf}}.
// doc: gpu.module(cheems-finish-kernels),canonicalize
gpu.module @kernels {
  llvm.func @sum(%x: !llvm.ptr<1>, %steps: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : vector<2xf32>
    %value = llvm.load %x : !llvm.ptr<1> -> vector<2xf32>
    %sum = scf.for %i = %zero to %steps step %one iter_args(%part = %none) -> vector<2xf32> : i32 {
      %next = arith.addf %part, %value : vector<2xf32>
      scf.yield %next : vector<2xf32>
    }
    llvm.store %sum, %x : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}
// doc-end

// No instruction has the error function.
// CHECK-LABEL: llvm.func @error_function
// CHECK: llvm.intr.fma
// CHECK: llvm.fdiv
// CHECK-NOT: math.
gpu.module @polynomials {
  llvm.func @error_function(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %value = llvm.load %x : !llvm.ptr<1> -> vector<2xf32>
    %erf = math.erf %value : vector<2xf32>
    llvm.store %erf, %x : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}
