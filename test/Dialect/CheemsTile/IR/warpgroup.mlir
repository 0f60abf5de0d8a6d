// Ops of warpgroups print as they parse, and nothing moves or removes them.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 2>

// CHECK-LABEL: @ops
cheems_tile.kernel @ops(%n: index, %y: memref<64x256xf32>) warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xf16, swizzled>
  %w = cheems_tile.alloc : !cheems_tile.buffer<2x256x64xf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #c>
  // CHECK: scf.for
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%part = %zero) -> tensor<64x256xf32, #c> {
    // CHECK: cheems_tile.wait pending 0
    // CHECK-NEXT: cheems_tile.fence
    // CHECK-NEXT: cheems_tile.barrier
    cheems_tile.wait pending 0
    cheems_tile.fence
    cheems_tile.barrier
    // CHECK-NEXT: cheems_tile.warpgroup_mma %{{.*}}[%c0], %{{.*}}[%c1], %{{.*}} : !cheems_tile.buffer<2x64x64xf16, swizzled>, !cheems_tile.buffer<2x256x64xf16, swizzled>, tensor<64x256xf32, #fragment_c>
    // CHECK-NEXT: cheems_tile.warpgroup_mma
    %d = cheems_tile.warpgroup_mma %x[%c0], %w[%c1], %part : !cheems_tile.buffer<2x64x64xf16, swizzled>, !cheems_tile.buffer<2x256x64xf16, swizzled>, tensor<64x256xf32, #c>
    %e = cheems_tile.warpgroup_mma %x[%c1], %w[%c0], %d : !cheems_tile.buffer<2x64x64xf16, swizzled>, !cheems_tile.buffer<2x256x64xf16, swizzled>, tensor<64x256xf32, #c>
    // CHECK-NEXT: cheems_tile.warpgroup_wait pending 1 %{{.*}} : tensor<64x256xf32, #fragment_c>
    %f = cheems_tile.warpgroup_wait pending 1 %e : tensor<64x256xf32, #c>
    scf.yield %f : tensor<64x256xf32, #c>
  }
  // CHECK: cheems_tile.warpgroup_wait pending 0
  %all = cheems_tile.warpgroup_wait pending 0 %sum : tensor<64x256xf32, #c>
  cheems_tile.store %all, %y[%c0, %c0] dims [0, 1] : tensor<64x256xf32, #c>, memref<64x256xf32>
  cheems_tile.return
}

#wide = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#rows = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>

// What a matmul reads from registers is held by its wait.
// CHECK-LABEL: @registers
cheems_tile.kernel @registers(%w: memref<64x64xbf16>, %y: memref<64x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %v = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #wide>
  // CHECK: %[[WEIGHTS:.*]] = cheems_tile.load
  %weights = cheems_tile.load %w[%c0, %c0] dims [0, 1] aligned 4 : memref<64x64xbf16> -> tensor<64x64xbf16, #rows>
  // CHECK: %[[BEGUN:.*]] = cheems_tile.warpgroup_mma_registers %[[WEIGHTS]], %{{.*}}[%c0], %{{.*}} : tensor<64x64xbf16, #fragment_a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #fragment_c1>
  %begun = cheems_tile.warpgroup_mma_registers %weights, %v[%c0], %zero : tensor<64x64xbf16, #rows>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #wide>
  // CHECK-NEXT: cheems_tile.warpgroup_wait pending 0 %[[BEGUN]] holding %[[WEIGHTS]] of tensor<64x64xbf16, #fragment_a> : tensor<64x128xf32, #fragment_c1>
  %sums = cheems_tile.warpgroup_wait pending 0 %begun holding %weights of tensor<64x64xbf16, #rows> : tensor<64x128xf32, #wide>
  cheems_tile.store %sums, %y[%c0, %c0] dims [0, 1] : tensor<64x128xf32, #wide>, memref<64x128xf32>
  cheems_tile.return
}
