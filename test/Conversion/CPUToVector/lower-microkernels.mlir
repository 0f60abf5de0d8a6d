// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=8 registers=16}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @product
// CHECK-NOT: cheems_cpu.linear
// CHECK: scf.for
// CHECK: vector.fma
// CHECK: return
// doc: func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse
func.func @product(%x: memref<1x8xf32>, %w: memref<1x8x16x1xf32>, %y: memref<1x16xf32>) {
  cheems_cpu.linear ins(%x : memref<1x8xf32>) weights(%w : memref<1x8x16x1xf32>) outs(%y : memref<1x16xf32>)
  return
}
// doc-end

// -----

// Without columns nothing is computed.
// CHECK-LABEL: @no_columns
// CHECK-NEXT: return
func.func @no_columns(%x: memref<?x8xf32>, %w: memref<0x8x16x1xf32>, %y: memref<?x0xf32>) {
  cheems_cpu.linear ins(%x : memref<?x8xf32>) weights(%w : memref<0x8x16x1xf32>) outs(%y : memref<?x0xf32>)
  return
}

// -----

// bf16 weights are widened in registers, and columns past N are never stored.
// CHECK-LABEL: @pairs
// CHECK-NOT: cheems_cpu.linear
// CHECK: vector.fma
// CHECK: vector.maskedstore
// CHECK: return
func.func @pairs(%x: memref<?x8xf32>, %w: memref<3x4x16x2xbf16>, %y: memref<?x40xf32>) {
  cheems_cpu.linear ins(%x : memref<?x8xf32>) weights(%w : memref<3x4x16x2xbf16>) outs(%y : memref<?x40xf32>)
  return
}

// -----

// An epilogue is applied to vectors of finished sums.
// CHECK-LABEL: @gate
// CHECK-NOT: cheems_cpu.linear
// CHECK: %[[P:.*]] = arith.maximumf %{{.*}}, %{{.*}} : vector<{{8|16}}xf32>
// CHECK: arith.mulf %[[P]], %{{.*}} : vector<{{8|16}}xf32>
// CHECK: return
func.func @gate(%x: memref<?x8xf32>, %g: memref<2x8x16x1xf32>, %u: memref<2x8x16x1xf32>, %y: memref<?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  cheems_cpu.linear ins(%x : memref<?x8xf32>) weights(%g, %u : memref<2x8x16x1xf32>, memref<2x8x16x1xf32>) outs(%y : memref<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %positive = arith.maximumf %a, %zero : f32
    %product = arith.mulf %positive, %b : f32
    cheems_cpu.yield %product : f32
  }
  return
}

// -----

// CHECK-LABEL: @attention
// CHECK-NOT: cheems.
// CHECK: math.exp
// CHECK: return
func.func @attention(%q: memref<?x4x8xf32>, %k: memref<2x?x8xbf16>, %mask: memref<1x?xf32>, %first: index, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x8xf32>) {
  cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x8xf32>, memref<2x?x8xbf16>, memref<2x?x8xbf16>, memref<1x?xf32>, index, index) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x8xf32>)
  return
}

// -----

// If there are no rows, there is no last one, whose count would be read.
// CHECK-LABEL: func.func @attention_of_stored
// CHECK-SAME: %[[SEEN:[a-z0-9]+]]: memref<?xi32>
// CHECK-NOT: memref.load %[[SEEN]]
// CHECK: scf.if
// CHECK: memref.load %[[SEEN]]
// CHECK: return
func.func @attention_of_stored(%q: memref<?x4x8xf32>, %k: memref<2x?x8xbf16>, %mask: memref<1x?xf32>, %first: index, %seen: memref<?xi32>, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x8xf32>) {
  cheems_cpu.online_attention threshold scale 0.125 hide_below 0.5 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x8xf32>, memref<2x?x8xbf16>, memref<2x?x8xbf16>, memref<1x?xf32>, index, index) seen(%seen : memref<?xi32>) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x8xf32>)
  return
}

// -----

// Vectors of values, and a shorter one for what is left; matmuls are rounded before they are added.
// CHECK-LABEL: @merge
// CHECK-NOT: cheems.
// CHECK: arith.cmpf une
// CHECK-COUNT-2: math.exp
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<{{8|16}}xf32>
// CHECK: %[[Q:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<{{8|16}}xf32>
// CHECK: arith.addf %[[P]], %[[Q]] : vector<{{8|16}}xf32>
// CHECK: vector.store {{.*}} vector<3xf32>
// CHECK: return
func.func @merge(%m1: memref<?x4xf32>, %s1: memref<?x4xf32>, %y1: memref<?x4x35xf32>, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x35xf32>) {
  cheems_cpu.merge_attention ins(%m1, %s1, %y1 : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x35xf32>) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x35xf32>)
  return
}

// -----

func.func @tensors(%x: tensor<?x8xf32>, %w: tensor<1x8x16x1xf32>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-error@below {{is lowered after bufferisation, on buffers}}
  %r = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<1x8x16x1xf32>) outs(%y : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
