// Ops on tiles of bytes print as they parse.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#a = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 4>
#b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 4>
#packed = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 16>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 16, columns = 8, width = 1>

// CHECK-LABEL: @ops
cheems_tile.kernel @ops(%x: memref<16x256xi8>, %y: memref<16x256xi8>) warps(4) {
  %c0 = arith.constant 0 : index
  // CHECK: cheems_tile.load {{.*}} : memref<16x256xi8> -> tensor<16x256xi8, #fragment_a>
  %p = cheems_tile.load %x[%c0, %c0] dims [0, 1] aligned 16 : memref<16x256xi8> -> tensor<16x256xi8, #packed>
  // CHECK: cheems_tile.nibbles %{{.*}} part 3 : tensor<16x256xi8, #fragment_a> -> tensor<16x128xi8, #fragment_a1>
  %a = cheems_tile.nibbles %p part 3 : tensor<16x256xi8, #packed> -> tensor<16x128xi8, #a>
  %b = arith.constant dense<1> : tensor<8x128xi8, #b>
  %c = arith.constant dense<0> : tensor<16x8xi32, #c>
  // CHECK: cheems_tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x128xi8, #fragment_a1>, tensor<8x128xi8, #fragment_b>, tensor<16x8xi32, #fragment_c>
  %d = cheems_tile.mma %a, %b, %c : tensor<16x128xi8, #a>, tensor<8x128xi8, #b>, tensor<16x8xi32, #c>
  // CHECK: cheems_tile.sum_partials %{{.*}} : tensor<16x8xi32, #fragment_c> -> tensor<16x8xi32, #blocked>
  %s = cheems_tile.sum_partials %d : tensor<16x8xi32, #c> -> tensor<16x8xi32, #wide>
  %w = cheems_tile.alloc : !cheems_tile.buffer<1x16x256xi8, swizzled>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %w[%c0] aligned 16 : memref<16x256xi8>, !cheems_tile.buffer<1x16x256xi8, swizzled>
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  // CHECK: cheems_tile.read {{.*}} : !cheems_tile.buffer<1x16x256xi8, swizzled> -> tensor<16x256xi8, #fragment_a1>
  %r = cheems_tile.read %w[%c0, %c0, %c0] : !cheems_tile.buffer<1x16x256xi8, swizzled> -> tensor<16x256xi8, #a>
  // CHECK: cheems_tile.store {{.*}} : tensor<16x256xi8, #fragment_a1>, memref<16x256xi8>
  cheems_tile.store %r, %y[%c0, %c0] dims [0, 1] aligned 4 : tensor<16x256xi8, #a>, memref<16x256xi8>
  cheems_tile.return
}
