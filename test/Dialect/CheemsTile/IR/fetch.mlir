// Rows that threads fetch for themselves print as they parse.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>

// CHECK-LABEL: @fetched
cheems_tile.kernel @fetched(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // CHECK: cheems_tile.fetch_rows %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [1, 2] to %{{.*}}[%{{.*}}] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows{{.*}}>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  // CHECK: cheems_tile.fetch_rows %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} dims [0, 2] to %{{.*}}[%{{.*}}] aligned 4 {test.note = 1 : i64} : memref
  cheems_tile.fetch_rows %x[%c0, %at, %c0] rows %n dims [0, 2] to %b[%c0] aligned 4 {test.note = 1} : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}
