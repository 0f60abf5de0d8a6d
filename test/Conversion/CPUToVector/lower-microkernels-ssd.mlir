// ssd_chunk on buffers: one row passes over the state once and needs no scratch; more rows are register tiles.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=8 registers=16}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @decode
// CHECK-NOT: memref.alloc
// CHECK-NOT: f64
// CHECK-NOT: scf.if
// CHECK: math.exp %{{.*}} : f32
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.prefetch %arg5[%{{.*}}], write, locality<3>, data : memref<1x6x16xf32>
// CHECK: vector.store %{{.*}}, %arg5[%{{.*}}] : memref<1x6x16xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}}, %arg4[%{{.*}}] : memref<1x1x16xf32>, vector<16xf32>
// CHECK: return
func.func @decode(%x: memref<1x1x16xf32>, %dt: memref<1x1xf32>, %a: memref<1xf32>, %b: memref<1x1x6xf32>, %y: memref<1x1x16xf32>, %h: memref<1x6x16xf32>) {
  cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %b : memref<1x1x16xf32>, memref<1x1xf32>, memref<1xf32>, memref<1x1x6xf32>, memref<1x1x6xf32>) outs(%y, %h : memref<1x1x16xf32>, memref<1x6x16xf32>)
  return
}

// -----

// Scratch is as long as the longest chunk that the row count's bound allows, in whole pairs of blocks. What a group's heads share,
// c transposed (6 rows of 32, of 36 for tiles of six) and matmuls of b and c, stands before the loop over them.
// CHECK-LABEL: @bounded
// CHECK: memref.alloc() : memref<48xf64>
// CHECK: memref.alloc() : memref<{{192|216}}xf32>
// CHECK: scf.if
// CHECK: } else {
// CHECK: vector.fma
// CHECK: memref.load {{.*}} : memref<1xf32>
// CHECK: arith.subf {{.*}} : vector<16xf64>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: vector.fma
// CHECK-NOT: cheems.
// CHECK: return
func.func @bounded(%x: memref<?x1x16xf32>, %dt: memref<?x1xf32>, %a: memref<1xf32>, %b: memref<?x1x6xf32>, %y: memref<?x1x16xf32>, %h: memref<1x6x16xf32>, %left: index) {
  %n = affine.min affine_map<()[s0] -> (20, s0)>()[%left]
  %xs = memref.subview %x[0, 0, 0] [%n, 1, 16] [1, 1, 1] : memref<?x1x16xf32> to memref<?x1x16xf32, strided<[16, 16, 1]>>
  cheems_cpu.ssd_chunk ins(%xs, %dt, %a, %b, %b : memref<?x1x16xf32, strided<[16, 16, 1]>>, memref<?x1xf32>, memref<1xf32>, memref<?x1x6xf32>, memref<?x1x6xf32>) outs(%y, %h : memref<?x1x16xf32>, memref<1x6x16xf32>)
  return
}

// -----

func.func @apart(%x: memref<?x1x16xf32, strided<[32, 32, 2]>>, %dt: memref<?x1xf32>, %a: memref<1xf32>, %b: memref<?x1x6xf32>, %y: memref<?x1x16xf32>, %h: memref<1x6x16xf32>) {
  // expected-error@below {{has no kernel for rows that are not contiguous}}
  cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %b : memref<?x1x16xf32, strided<[32, 32, 2]>>, memref<?x1xf32>, memref<1xf32>, memref<?x1x6xf32>, memref<?x1x6xf32>) outs(%y, %h : memref<?x1x16xf32>, memref<1x6x16xf32>)
  return
}
