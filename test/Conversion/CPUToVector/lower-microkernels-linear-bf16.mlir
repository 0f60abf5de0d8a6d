// Matmuls of bf16 weights in the ways that round their inputs: packed once before the loop over panels, by all threads.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32 products=amx}),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefixes=CHECK,AMX
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32 products=dot-bf16}),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefixes=CHECK,DOT --implicit-check-not=vector.fma --implicit-check-not=amx.

// CHECK-LABEL: func.func @panels
// CHECK-NOT: scf.forall
// CHECK-DAG: memref.alloc({{.*}}) : memref<?x96xbf16>
// CHECK-DAG: memref.alloc() : memref<16x96xbf16>
// AMX-DAG: memref.alloc() : memref<96xf32>
// CHECK: scf.forall
// CHECK: x86vector.avx512.cvt.packed.f32_to_bf16
// The only row is widened again.
// AMX: %[[SINGLE:.*]] = arith.cmpi eq, %{{.*}}, %c1
// AMX: scf.if %[[SINGLE]]
// AMX: x86vector.avx512.cvt
// AMX-NEXT: arith.extf
// AMX: else
// CHECK: scf.forall
// CHECK-NOT: x86vector.avx512.cvt
// It meets four panels: 16 pairs in two chains each, then their sum.
// AMX: scf.if
// AMX: scf.for
// AMX: scf.for
// AMX-COUNT-8: vector.fma
// AMX-NEXT: scf.yield
// AMX-COUNT-8: arith.addf
// AMX-NEXT: scf.yield
// AMX: else
// AMX-NOT: vector.fma
// A pair of tiles of rows with a pair of panels; in each of two blocks of k half of the lines that their sums go to are fetched.
// AMX-COUNT-4: amx.tile_zero
// AMX: scf.for
// AMX-COUNT-32: memref.prefetch %{{.*}}, write, locality<3>, data : memref<?x64xf32
// AMX-COUNT-4: amx.tile_mulf
// AMX: scf.yield
// AMX-COUNT-4: amx.tile_store
// One tile of rows with four panels, whose weights are prefetched.
// AMX-COUNT-4: amx.tile_zero
// AMX: scf.for
// AMX-COUNT-64: memref.prefetch
// AMX-COUNT-4: amx.tile_mulf
// AMX: scf.yield
// The rest.
// AMX: amx.tile_load {{.*}}, %{{.*}} : memref<16x96xbf16>
// 14 rows by two panels, then fewer rows by more.
// DOT-COUNT-28: x86vector.avx512.dot
// DOT: scf.yield
// DOT-COUNT-16: x86vector.avx512.dot
// DOT: scf.yield
// CHECK: return
func.func @panels(%x: memref<?x64xf32>, %w: memref<16x32x16x2xbf16>, %y: memref<?x256xf32>) {
  %zero = arith.constant 0 : index
  %rows = memref.dim %x, %zero : memref<?x64xf32>
  scf.forall (%i) = (0) to (16) step (4) {
    %column = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %weights = memref.subview %w[%i, 0, 0, 0] [4, 32, 16, 2] [1, 1, 1, 1] : memref<16x32x16x2xbf16> to memref<4x32x16x2xbf16, strided<[1024, 32, 2, 1], offset: ?>>
    %part = memref.subview %y[0, %column] [%rows, 64] [1, 1] : memref<?x256xf32> to memref<?x64xf32, strided<[256, 1], offset: ?>>
    cheems_cpu.linear ins(%x : memref<?x64xf32>) weights(%weights : memref<4x32x16x2xbf16, strided<[1024, 32, 2, 1], offset: ?>>) outs(%part : memref<?x64xf32, strided<[256, 1], offset: ?>>)
  }
  return
}

// -----

// K = 40: eight of the last block's 32 are there. Inputs are filled up with zeros while they are packed, weights beside their panel.
// CHECK-LABEL: func.func @remainder
// CHECK-DAG: memref.alloc() : memref<16x96xbf16>
// AMX-DAG: memref.alloc() : memref<4x16x32xbf16>
// CHECK: vector.maskedload {{.*}} : memref<5x40xf32>
// AMX: amx.tile_load {{.*}} : memref<4x16x32xbf16>
// DOT: x86vector.avx512.dot
// CHECK: vector.maskedstore
// CHECK: return
func.func @remainder(%x: memref<5x40xf32>, %w: memref<2x20x16x2xbf16>, %y: memref<5x20xf32>) {
  cheems_cpu.linear ins(%x : memref<5x40xf32>) weights(%w : memref<2x20x16x2xbf16>) outs(%y : memref<5x20xf32>)
  return
}

// -----

// A row alone: no tiles, and a last block of four pairs, whose chains still see the zeros of a whole one.
// CHECK-LABEL: func.func @single
// AMX-NOT: amx.
// AMX: scf.for {{.*}} to %c16
// AMX-COUNT-4: vector.fma
// AMX: scf.for {{.*}} to %c4
// AMX-COUNT-4: vector.fma
// AMX: %[[EVEN:.*]] = arith.addf %{{.*}}#0, %[[ZERO:.*]] : vector<16xf32>
// AMX: %[[ODD:.*]] = arith.addf %{{.*}}#1, %[[ZERO]] : vector<16xf32>
// AMX: %[[BOTH:.*]] = arith.addf %[[EVEN]], %[[ODD]]
// AMX: arith.addf %{{.*}}, %[[BOTH]]
// AMX-NOT: amx.
// DOT: x86vector.avx512.dot
// CHECK: return
func.func @single(%x: memref<1x40xf32>, %w: memref<2x20x16x2xbf16>, %y: memref<1x20xf32>) {
  cheems_cpu.linear ins(%x : memref<1x40xf32>) weights(%w : memref<2x20x16x2xbf16>) outs(%y : memref<1x20xf32>)
  return
}

// -----

// Inputs that are made in the iteration itself are packed there, 16 rows at a time.
// CHECK-LABEL: func.func @inside
// CHECK: scf.forall
// CHECK: memref.alloc() : memref<16x64xbf16>
// CHECK: scf.for
// CHECK: x86vector.avx512.cvt.packed.f32_to_bf16
// AMX: amx.tile_mulf
// DOT: x86vector.avx512.dot
// CHECK-NOT: scf.forall
// CHECK: return
func.func @inside(%x: memref<8x20x32xf32>, %w: memref<1x16x16x2xbf16>, %y: memref<8x20x16xf32>) {
  scf.forall (%i) in (8) {
    %in = memref.subview %x[%i, 0, 0] [1, 20, 32] [1, 1, 1] : memref<8x20x32xf32> to memref<20x32xf32, strided<[32, 1], offset: ?>>
    %out = memref.subview %y[%i, 0, 0] [1, 20, 16] [1, 1, 1] : memref<8x20x16xf32> to memref<20x16xf32, strided<[16, 1], offset: ?>>
    cheems_cpu.linear ins(%in : memref<20x32xf32, strided<[32, 1], offset: ?>>) weights(%w : memref<1x16x16x2xbf16>) outs(%out : memref<20x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// -----

// The gate of two weights: both sums of 16 columns meet in the epilogue.
// CHECK-LABEL: func.func @gate
// AMX-COUNT-4: amx.tile_store
// CHECK: %[[G:.*]] = arith.maximumf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: arith.mulf %[[G]], %{{.*}} : vector<16xf32>
// CHECK: return
func.func @gate(%x: memref<?x32xf32>, %g: memref<2x16x16x2xbf16>, %u: memref<2x16x16x2xbf16>, %y: memref<?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  cheems_cpu.linear ins(%x : memref<?x32xf32>) weights(%g, %u : memref<2x16x16x2xbf16>, memref<2x16x16x2xbf16>) outs(%y : memref<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %positive = arith.maximumf %a, %zero : f32
    %product = arith.mulf %positive, %b : f32
    cheems_cpu.yield %product : f32
  }
  return
}

// -----

// Rows that are another dimension of what the input is cut from are not counted by its first one: they are packed in the iteration.
// CHECK-LABEL: func.func @slab
// CHECK-NOT: memref.alloc({{.+}}) : memref<?x
// CHECK: return
func.func @slab(%x: memref<?x?x64xf32>, %rows: index, %w: memref<16x32x16x2xbf16>, %y: memref<?x256xf32>) {
  %slab = memref.subview %x[1, 0, 0] [1, %rows, 64] [1, 1, 1] : memref<?x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
  scf.forall (%i) = (0) to (16) step (4) {
    %column = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
    %weights = memref.subview %w[%i, 0, 0, 0] [4, 32, 16, 2] [1, 1, 1, 1] : memref<16x32x16x2xbf16> to memref<4x32x16x2xbf16, strided<[1024, 32, 2, 1], offset: ?>>
    %part = memref.subview %y[0, %column] [%rows, 64] [1, 1] : memref<?x256xf32> to memref<?x64xf32, strided<[256, 1], offset: ?>>
    cheems_cpu.linear ins(%slab : memref<?x64xf32, strided<[64, 1], offset: ?>>) weights(%weights : memref<4x32x16x2xbf16, strided<[1024, 32, 2, 1], offset: ?>>) outs(%part : memref<?x64xf32, strided<[256, 1], offset: ?>>)
  }
  return
}
