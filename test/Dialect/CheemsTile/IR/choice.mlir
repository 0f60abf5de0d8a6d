// Ops whose elements numbers choose print as they parse.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>

// CHECK-LABEL: @chosen
cheems_tile.kernel @chosen(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  // CHECK: %rows = cheems_tile.gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows{{.*}}> -> tensor<4x64xf32, #blocked>
  %t = cheems_tile.gather %x[%at, %c0, %c0] rows %n dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  // CHECK: cheems_tile.gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [0, 2] aligned 8 {test.note = 1 : i64} : memref<?x?x64xf32>
  %u = cheems_tile.gather %x[%c0, %at, %c0] rows %n dims [0, 2] aligned 8 {test.note = 1} : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  // CHECK: cheems_tile.gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [1] : memref<?x?x64xf32>, tensor<4xi32, #rows{{.*}}> -> tensor<4xf32, #rows{{.*}}>
  %w = cheems_tile.gather %x[%at, %c0, %c0] rows %n dims [1] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4xf32, #rows>
  %l = arith.constant dense<3> : tensor<64xi32, #columns>
  // CHECK: cheems_tile.gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [2, 1] : memref<?x?x64xf32>, tensor<64xi32, #columns{{.*}}> -> tensor<4x64xf32, #blocked>
  %across = cheems_tile.gather %x[%c0, %c0, %c0] rows %l dims [2, 1] : memref<?x?x64xf32>, tensor<64xi32, #columns> -> tensor<4x64xf32, #wide>
  // CHECK: cheems_tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] indices %{{.*}} dim 1 : tensor<4xf32, #rows{{.*}}>, tensor<4xi32, #rows{{.*}}>, memref<?x?x64xf32>
  cheems_tile.scatter %w, %x[%at, %c0, %c0] indices %n dim 1 : tensor<4xf32, #rows>, tensor<4xi32, #rows>, memref<?x?x64xf32>
  // CHECK: cheems_tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] indices %{{.*}} dim 0 {test.note = 1 : i64} : tensor<4xf32
  cheems_tile.scatter %w, %x[%c0, %at, %c0] indices %n dim 0 {test.note = 1} : tensor<4xf32, #rows>, tensor<4xi32, #rows>, memref<?x?x64xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  %list = cheems_tile.alloc : !cheems_tile.buffer<3x1x4xi32>
  // CHECK: cheems_tile.copy_rows %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] else %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] numbers %{{.*}}[%{{.*}}] split 8 dims [1, 2] extents[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] aligned 16 {test.note = 1 : i64} : memref<?x?x64xf32>, memref<?x?x64xf32>, !cheems_tile.buffer<3x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %x[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %at] to %b[%c0] aligned 16 {test.note = 1} : memref<?x?x64xf32>, memref<?x?x64xf32>, !cheems_tile.buffer<3x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.barrier
  // CHECK: %picked = cheems_tile.pick %{{.*}}[%{{.*}}] rows %{{.*}} columns %{{.*}} : !cheems_tile.buffer<2x4x64xf32>, tensor<4xi32, #rows{{.*}}> -> tensor<4xf32, #rows{{.*}}>
  %p = cheems_tile.pick %b[%c0] rows %n columns %n : !cheems_tile.buffer<2x4x64xf32>, tensor<4xi32, #rows> -> tensor<4xf32, #rows>
  // CHECK: cheems_tile.pick %{{.*}}[%{{.*}}] rows %{{.*}} columns %{{.*}} {test.note = 1 : i64} : !cheems_tile.buffer<2x4x64xf32>, tensor<4x64xi32, #blocked> -> tensor<4x64xf32, #blocked>
  %q = cheems_tile.pick %b[%c0] rows %m columns %m {test.note = 1} : !cheems_tile.buffer<2x4x64xf32>, tensor<4x64xi32, #wide> -> tensor<4x64xf32, #wide>
  %bins = cheems_tile.alloc : !cheems_tile.buffer<2x8x257xi32>
  // CHECK: cheems_tile.tally %{{.*}}[%{{.*}}] rows %{{.*}} columns %{{.*}} below 256 : !cheems_tile.buffer<2x8x257xi32>, tensor<4x64xi32, #blocked>
  cheems_tile.tally %bins[%c0] rows %m columns %m below 256 : !cheems_tile.buffer<2x8x257xi32>, tensor<4x64xi32, #wide>
  // CHECK: %maximum = cheems_tile.reduce maximum %{{.*}} axis 1 : tensor<4x64xi32, #blocked> -> tensor<4xi32, #rows{{.*}}>
  %r = cheems_tile.reduce maximum %m axis 1 : tensor<4x64xi32, #wide> -> tensor<4xi32, #rows>
  cheems_tile.return
}
