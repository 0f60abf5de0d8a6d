// Kernels and launches print as they parse. Layouts have short names, and results are called by what they are.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-DAG: #blocked = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
// CHECK-DAG: #blocked1 = #cheems_tile.blocked<rows = 1, columns = 32, width = 8>
// CHECK-DAG: #fragment_a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
// CHECK-DAG: #fragment_b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
// CHECK-DAG: #fragment_c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
// CHECK-DAG: #rows = #cheems_tile.slice<axis = 1, of = #blocked>
// CHECK-DAG: #columns = #cheems_tile.slice<axis = 0, of = #fragment_a>
#four = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#one = #cheems_tile.blocked<rows = 1, columns = 32, width = 8>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, warps_k = 1, k_width = 8>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#of_rows = #cheems_tile.slice<axis = 1, of = #four>
#of_columns = #cheems_tile.slice<axis = 0, of = #a>

// CHECK: module @gpu attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
module @gpu attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
  // CHECK: cheems_tile.kernel @none() warps(1) {
  // CHECK-NEXT: cheems_tile.return
  // CHECK-NEXT: }
  cheems_tile.kernel @none() warps(1) {
    cheems_tile.return
  }

  // CHECK: cheems_tile.kernel @early(%{{.*}}: memref<8xf32> {cheems_tile.constant}) warps(1) shared(0) overlaps attributes {test.note = 1 : i64} {
  cheems_tile.kernel @early(%x: memref<8xf32> {cheems_tile.constant}) warps(1) shared(0) overlaps attributes {test.note = 1 : i64} {
    // CHECK: cheems_tile.wait_for_launches {test.note = 3 : i64}
    cheems_tile.wait_for_launches {test.note = 3}
    cheems_tile.return
  }

  // CHECK: cheems_tile.kernel private @all(%{{.*}}: memref<?x8xf32> {test.name = "x"}, %{{.*}}: memref<4xf16>, %{{.*}}: index, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: memref<?xbf16>, %{{.*}}: memref<i32>) warps(32) shared(4096) attributes {test.note = 1 : i64} {
  cheems_tile.kernel private @all(%x: memref<?x8xf32> {test.name = "x"}, %h: memref<4xf16>, %n: index, %k: i32, %e: f32, %b: memref<?xbf16>, %i: memref<i32>) warps(32) shared(4096) attributes {test.note = 1 : i64} {
    // CHECK: %block_x = cheems_tile.block_id x
    // CHECK: %block_y = cheems_tile.block_id y
    // CHECK: %block_z = cheems_tile.block_id z
    %bx = cheems_tile.block_id x
    %by = cheems_tile.block_id y
    %bz = cheems_tile.block_id z
    // CHECK: %buffer = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
    // CHECK: %{{.*}} = cheems_tile.alloc at 1040 : !cheems_tile.buffer<1x5x7xi32>
    %ring = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
    %flat = cheems_tile.alloc at 1040 : !cheems_tile.buffer<1x5x7xi32>
    // CHECK: cheems_tile.barrier
    cheems_tile.barrier
    cheems_tile.return
  }

  // CHECK: func.func private @layouts(tensor<4x64xf32, #blocked>, tensor<1x256xi1, #blocked1>, tensor<32x32xbf16, #fragment_a>, tensor<16x16xf16, #fragment_b>, tensor<16x8xf32, #fragment_c>, tensor<8xi32, #rows>, tensor<32xf32, #columns>)
  func.func private @layouts(tensor<4x64xf32, #four>, tensor<1x256xi1, #one>, tensor<32x32xbf16, #a>, tensor<16x16xf16, #b>, tensor<16x8xf32, #c>, tensor<8xi32, #of_rows>, tensor<32xf32, #of_columns>)

  // CHECK-LABEL: @launches
  func.func @launches(%x: tensor<?x8xf32>, %h: tensor<4xf16>, %b: tensor<9xbf16>, %i: tensor<i32>, %n: index, %k: i32, %e: f32,
                      %m: memref<2x8xf32>, %mh: memref<4xf16>, %mb: memref<?xbf16>, %mi: memref<i32>) -> (tensor<9xbf16>, tensor<i32>) {
    // CHECK: cheems_tile.launch @none grid[%{{.*}}, %{{.*}}, %{{.*}}]{{$}}
    cheems_tile.launch @none grid[%n, %n, %n]
    // CHECK: %[[FEW:.*]] = arith.cmpi
    // CHECK: cheems_tile.launch @none when %[[FEW]] grid[%{{.*}}, %{{.*}}, %{{.*}}]{{$}}
    %few = arith.cmpi ult, %n, %n : index
    cheems_tile.launch @none when %few grid[%n, %n, %n]
    // CHECK: %{{.*}}:2 = cheems_tile.launch @all grid[%{{.*}}, %{{.*}}, %{{.*}}] ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<4xf16>, index, i32, f32) outs(%{{.*}}, %{{.*}} : tensor<9xbf16>, tensor<i32>) -> tensor<9xbf16>, tensor<i32>
    %r:2 = cheems_tile.launch @all grid[%n, %n, %n] ins(%x, %h, %n, %k, %e : tensor<?x8xf32>, tensor<4xf16>, index, i32, f32) outs(%b, %i : tensor<9xbf16>, tensor<i32>) -> tensor<9xbf16>, tensor<i32>
    // CHECK: cheems_tile.launch @all grid[%{{.*}}, %{{.*}}, %{{.*}}] {test.note = 2 : i64} ins(
    cheems_tile.launch @all grid[%n, %n, %n] {test.note = 2} ins(%m, %mh, %n, %k, %e, %mb, %mi : memref<2x8xf32>, memref<4xf16>, index, i32, f32, memref<?xbf16>, memref<i32>)
    return %r#0, %r#1 : tensor<9xbf16>, tensor<i32>
  }
}
