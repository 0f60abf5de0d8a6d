// Every op goes, but parameter and worker; with `kernels` those stay that have a micro-kernel. Buffers are refused.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose{kernels=true}))' --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: @layer
// CHECK: cheems.parameter
// CHECK-NOT: cheems.dynamic_mask
// CHECK: linalg.generic
// KERNELS-LABEL: @layer
// KERNELS-NOT: cheems.dynamic_mask
// KERNELS: linalg.generic
// doc: func.func(cheems-decompose)
func.func @layer(%d: tensor<?x2xf32>, %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %a = cheems.parameter ["A"] : tensor<2xf32>
  %m = cheems.dynamic_mask ins(%d, %a : tensor<?x2xf32>, tensor<2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %m : tensor<?x2xf32>
}
// doc-end

// -----

// CHECK-LABEL: @attention
// CHECK-NOT: cheems.
// CHECK: return
// KERNELS-LABEL: @attention
// KERNELS: cheems_cpu.online_attention
func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %mask: tensor<1x?xf32>, %first: index, %m: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index, index) outs(%m, %s, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
  return %r#2 : tensor<?x4x8xf32>
}

// -----

func.func @buffers(%d: memref<4x2xf32>, %a: memref<2xf32>, %o: memref<4x2xf32>) {
  // expected-error@below {{is decomposed before bufferisation, on tensors}}
  cheems.dynamic_mask ins(%d, %a : memref<4x2xf32>, memref<2xf32>) outs(%o : memref<4x2xf32>)
  return
}
