// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=8 registers=16}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @product
// CHECK-NOT: linalg.mmt4d
// CHECK: scf.for
// CHECK: vector.fma
// doc: func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse
func.func @product(%x: memref<1x8x1x1xf32>, %w: memref<1x8x16x1xf32>, %y: memref<1x1x1x16xf32>) {
  linalg.mmt4d ins(%x, %w : memref<1x8x1x1xf32>, memref<1x8x16x1xf32>) outs(%y : memref<1x1x1x16xf32>)
  return
}
// doc-end

// -----

// bf16 weights are widened in registers.
// CHECK-LABEL: @pairs
// CHECK-NOT: linalg.mmt4d
// CHECK: vector.fma
// CHECK: return
func.func @pairs(%x: memref<?x4x1x2xf32>, %w: memref<3x4x16x2xbf16>, %y: memref<?x3x1x16xf32>) {
  linalg.mmt4d ins(%x, %w : memref<?x4x1x2xf32>, memref<3x4x16x2xbf16>) outs(%y : memref<?x3x1x16xf32>)
  return
}

// -----

// CHECK-LABEL: @attention
// CHECK-NOT: cheems.
// CHECK: math.exp
// CHECK: return
func.func @attention(%q: memref<?x4x8xf32>, %k: memref<2x?x8xbf16>, %mask: memref<1x?xf32>, %first: index, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x8xf32>) {
  cheems.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x8xf32>, memref<2x?x8xbf16>, memref<2x?x8xbf16>, memref<1x?xf32>, index, index) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x8xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<?x8x1x1xf32>, %w: tensor<1x8x16x1xf32>, %y: tensor<?x1x1x16xf32>) -> tensor<?x1x1x16xf32> {
  // expected-error@below {{is lowered after bufferisation, on buffers}}
  %r = linalg.mmt4d ins(%x, %w : tensor<?x8x1x1xf32>, tensor<1x8x16x1xf32>) outs(%y : tensor<?x1x1x16xf32>) -> tensor<?x1x1x16xf32>
  return %r : tensor<?x1x1x16xf32>
}
