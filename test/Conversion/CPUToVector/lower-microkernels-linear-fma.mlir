// f32 multiply-adds: what is packed where, and that few rows leave weights and inputs as they are.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=8 registers=16}),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32},buffer-loop-hoisting),cheems-plan-workspace)' --split-input-file | FileCheck %s --check-prefix=PLAN

// From 64 rows on all threads pack the input before the loop over panels, although that one slices it; there the
// weights of all four panels are widened, and then 14 rows at a time pass by them, by 2 panels (6 by 1) in registers.
// PLAN: cheems_cpu.workspace = array<i64: 0, 128,
// CHECK-LABEL: @panels
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) : memref<?x32xf32>
// CHECK: %[[PACKED:.*]] = memref.collapse_shape %[[COPY]] {{\[}}[0, 1]]
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %c64
// CHECK: scf.if %[[MANY]] {
// CHECK: scf.forall
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %[[PACKED]]
// CHECK: vector.maskedstore %[[PACKED]]
// CHECK: {cheems_cpu.name = "pack"}
// CHECK: scf.forall (%{{.*}}) = (0) to (8) step (4)
// CHECK: scf.if
// CHECK: %[[WIDENED:.*]] = memref.alloc() : memref<2048xf32>
// WIDE: scf.for %{{.*}} = %c0 to %c4 step %c2 {
// NARROW: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK: arith.shli
// CHECK: vector.store %{{.*}}, %[[WIDENED]]
// CHECK: scf.for %{{.*}} = %c0 to %{{[0-9]+}} step %c1 {
// WIDE: scf.for %{{.*}} = %c0 to %c4 step %c2 {
// NARROW: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<4x16x32xbf16
// CHECK: vector.load %[[WIDENED]]
// CHECK: memref.load %[[PACKED]]
// WIDE-COUNT-56: vector.fma
// NARROW-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NOT: memref.load %[[PACKED]]
// CHECK: arith.shli
// CHECK: vector.fma
// CHECK: return
func.func @panels(%x: memref<?x32xf32>, %w: memref<8x16x16x2xbf16>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x32xf32>
  scf.forall (%p) = (0) to (8) step (4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
    %all = memref.subview %x[0, 0] [%rows, 32] [1, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[32, 1]>>
    %part = memref.subview %w[%p, 0, 0, 0] [4, 16, 16, 2] [1, 1, 1, 1] : memref<8x16x16x2xbf16> to memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>
    %columns = memref.subview %y[0, %n] [%rows, 64] [1, 1] : memref<?x128xf32> to memref<?x64xf32, strided<[128, 1], offset: ?>>
    cheems_cpu.linear ins(%all : memref<?x32xf32, strided<[32, 1]>>) weights(%part : memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>)
      outs(%columns : memref<?x64xf32, strided<[128, 1], offset: ?>>)
  }
  return
}

// -----

// Without a loop there is nobody to pack for; f32 weights need no widening.
// CHECK-LABEL: @whole
// CHECK-NOT: scf.forall
// CHECK-NOT: memref.alloc
// CHECK: vector.fma
// CHECK: return
// PLAN: @whole
func.func @whole(%x: memref<?x8xf32>, %w: memref<1x8x16x1xf32>, %y: memref<?x16xf32>) {
  cheems_cpu.linear ins(%x : memref<?x8xf32>) weights(%w : memref<1x8x16x1xf32>) outs(%y : memref<?x16xf32>)
  return
}

// -----

// Never many rows: nothing is packed.
// CHECK-LABEL: @eight
// CHECK-NOT: cheems_cpu.name = "pack"
// CHECK-NOT: memref.alloc
// CHECK: return
// PLAN: @eight
func.func @eight(%x: memref<8x32xf32>, %w: memref<8x16x16x2xbf16>, %y: memref<8x128xf32>) {
  scf.forall (%p) = (0) to (8) step (4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
    %part = memref.subview %w[%p, 0, 0, 0] [4, 16, 16, 2] [1, 1, 1, 1] : memref<8x16x16x2xbf16> to memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>
    %columns = memref.subview %y[0, %n] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1], offset: ?>>
    cheems_cpu.linear ins(%x : memref<8x32xf32>) weights(%part : memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>)
      outs(%columns : memref<8x64xf32, strided<[128, 1], offset: ?>>)
  }
  return
}

// -----

// Rows that are another dimension of what the input is cut from, or several of its dimensions, are not counted by its first one:
// nothing is packed before.
// CHECK-LABEL: @slab
// CHECK-NOT: cheems_cpu.name = "pack"
// CHECK: return
// PLAN: @slab
func.func @slab(%x: memref<?x?x32xf32>, %rows: index, %w: memref<8x16x16x2xbf16>, %y: memref<?x128xf32>) {
  %slab = memref.subview %x[1, 0, 0] [1, %rows, 32] [1, 1, 1] : memref<?x?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
  scf.forall (%p) = (0) to (8) step (4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
    %part = memref.subview %w[%p, 0, 0, 0] [4, 16, 16, 2] [1, 1, 1, 1] : memref<8x16x16x2xbf16> to memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>
    %columns = memref.subview %y[0, %n] [%rows, 64] [1, 1] : memref<?x128xf32> to memref<?x64xf32, strided<[128, 1], offset: ?>>
    cheems_cpu.linear ins(%slab : memref<?x32xf32, strided<[32, 1], offset: ?>>) weights(%part : memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>)
      outs(%columns : memref<?x64xf32, strided<[128, 1], offset: ?>>)
  }
  return
}

// -----

// CHECK-LABEL: @merged
// CHECK-NOT: cheems_cpu.name = "pack"
// CHECK: return
// PLAN: @merged
func.func @merged(%x: memref<?x4x32xf32>, %rows: index, %w: memref<8x16x16x2xbf16>, %y: memref<?x128xf32>) {
  %all = memref.collapse_shape %x [[0, 1], [2]] : memref<?x4x32xf32> into memref<?x32xf32>
  scf.forall (%p) = (0) to (8) step (4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
    %part = memref.subview %w[%p, 0, 0, 0] [4, 16, 16, 2] [1, 1, 1, 1] : memref<8x16x16x2xbf16> to memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>
    %columns = memref.subview %y[0, %n] [%rows, 64] [1, 1] : memref<?x128xf32> to memref<?x64xf32, strided<[128, 1], offset: ?>>
    cheems_cpu.linear ins(%all : memref<?x32xf32>) weights(%part : memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>)
      outs(%columns : memref<?x64xf32, strided<[128, 1], offset: ?>>)
  }
  return
}

// -----

// Columns of every row, and heads side by side, have the rows of what they are cut from.
// CHECK-LABEL: @side_by_side
// CHECK: memref.alloc(%{{.*}}) : memref<?x32xf32>
// CHECK: {cheems_cpu.name = "pack"}
// CHECK: return
// PLAN: @side_by_side
func.func @side_by_side(%x: memref<?x6x8xf32>, %rows: index, %w: memref<8x16x16x2xbf16>, %y: memref<?x128xf32>) {
  %merged = memref.collapse_shape %x [[0], [1, 2]] : memref<?x6x8xf32> into memref<?x48xf32>
  %some = memref.subview %merged[0, 16] [%rows, 32] [1, 1] : memref<?x48xf32> to memref<?x32xf32, strided<[48, 1], offset: 16>>
  scf.forall (%p) = (0) to (8) step (4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
    %part = memref.subview %w[%p, 0, 0, 0] [4, 16, 16, 2] [1, 1, 1, 1] : memref<8x16x16x2xbf16> to memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>
    %columns = memref.subview %y[0, %n] [%rows, 64] [1, 1] : memref<?x128xf32> to memref<?x64xf32, strided<[128, 1], offset: ?>>
    cheems_cpu.linear ins(%some : memref<?x32xf32, strided<[48, 1], offset: 16>>) weights(%part : memref<4x16x16x2xbf16, strided<[512, 32, 2, 1], offset: ?>>)
      outs(%columns : memref<?x64xf32, strided<[128, 1], offset: ?>>)
  }
  return
}
