// Ops on tiles print as they parse.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#a = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 8>
#b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 8>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 16, columns = 8, width = 1>
#row = #cheems_tile.slice<axis = 1, of = #wide>
#column = #cheems_tile.slice<axis = 0, of = #wide>

// CHECK-LABEL: @ops
cheems_tile.kernel @ops(%x: memref<16x128xf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : tensor<16x128xf16, #a>
  %b = arith.constant dense<1.0> : tensor<8x128xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // CHECK: cheems_tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x128xf16, #fragment_a>, tensor<8x128xf16, #fragment_b>, tensor<16x8xf32, #fragment_c>
  %d = cheems_tile.mma %a, %b, %c : tensor<16x128xf16, #a>, tensor<8x128xf16, #b>, tensor<16x8xf32, #c>
  // CHECK: cheems_tile.sum_partials %{{.*}} : tensor<16x8xf32, #fragment_c> -> tensor<16x8xf32, #blocked>
  %s = cheems_tile.sum_partials %d : tensor<16x8xf32, #c> -> tensor<16x8xf32, #wide>
  // CHECK: cheems_tile.sum_partials %{{.*}} scratch 1024 {test.note = 1 : i64} : tensor<16x8xf32, #fragment_c> -> tensor<16x8xf32, #blocked>
  %s1 = cheems_tile.sum_partials %d scratch 1024 {test.note = 1} : tensor<16x8xf32, #c> -> tensor<16x8xf32, #wide>
  %w = cheems_tile.alloc : !cheems_tile.buffer<2x16x4xf32>
  %v = cheems_tile.alloc : !cheems_tile.buffer<1x8x4xf32>
  // CHECK: cheems_tile.fma %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : !cheems_tile.buffer<2x16x4xf32>, !cheems_tile.buffer<1x8x4xf32>, tensor<16x8xf32, #blocked>
  %f = cheems_tile.fma %w[%c0], %v[%c0], %s : !cheems_tile.buffer<2x16x4xf32>, !cheems_tile.buffer<1x8x4xf32>, tensor<16x8xf32, #wide>
  // CHECK: %sum = cheems_tile.reduce add %{{.*}} axis 1 : tensor<16x8xf32, #blocked> -> tensor<16xf32, #rows>
  %r = cheems_tile.reduce add %f axis 1 : tensor<16x8xf32, #wide> -> tensor<16xf32, #row>
  %numbers = arith.constant dense<1> : tensor<16x8xi32, #wide>
  // CHECK: cheems_tile.prefix_sum %{{.*}} : tensor<16x8xi32, #blocked>
  %sums = cheems_tile.prefix_sum %numbers : tensor<16x8xi32, #wide>
  // CHECK: cheems_tile.prefix_sum %{{.*}} scratch 512 {test.note = 1 : i64} : tensor<16x8xi32, #blocked>
  %more = cheems_tile.prefix_sum %sums scratch 512 {test.note = 1} : tensor<16x8xi32, #wide>
  // CHECK: %maximum = cheems_tile.reduce maximum %{{.*}} axis 0 scratch 512 : tensor<16x8xf32, #blocked> -> tensor<8xf32, #columns>
  %m = cheems_tile.reduce maximum %f axis 0 scratch 512 : tensor<16x8xf32, #wide> -> tensor<8xf32, #column>
  // CHECK: cheems_tile.broadcast %{{.*}} : tensor<8xf32, #columns> -> tensor<32x8xf32, #blocked>
  %n = cheems_tile.broadcast %m : tensor<8xf32, #column> -> tensor<32x8xf32, #wide>
  // CHECK: cheems_tile.convert_layout %{{.*}} scratch 0 : tensor<16xf32, #rows> -> tensor<16xf32, #rows1>
  %o = cheems_tile.convert_layout %r scratch 0 : tensor<16xf32, #row> -> tensor<16xf32, #cheems_tile.slice<axis = 1, of = #a>>
  // CHECK: cheems_tile.convert_layout %{{.*}} : tensor<32x8xi1, #blocked> -> tensor<32x8xi1, #blocked1>
  %true = arith.constant dense<true> : tensor<32x8xi1, #wide>
  %p = cheems_tile.convert_layout %true : tensor<32x8xi1, #wide> -> tensor<32x8xi1, #cheems_tile.blocked<rows = 32, columns = 4, width = 2>>
  // CHECK: %index = cheems_tile.indices axis 1 : tensor<16x8xi32, #blocked>
  %i = cheems_tile.indices axis 1 : tensor<16x8xi32, #wide>
  // CHECK: cheems_tile.indices axis 0 : tensor<16xi32, #rows>
  %j = cheems_tile.indices axis 0 : tensor<16xi32, #row>
  cheems_tile.return
}
