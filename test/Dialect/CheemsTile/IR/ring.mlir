// Rings and bulk copies print as they parse, and nothing moves or removes them.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
!x = !cheems_tile.buffer<3x64x64xbf16, swizzled>
!w = !cheems_tile.buffer<3x32x64xbf16, swizzled>

// CHECK-LABEL: @ring
// CHECK-SAME: (%[[X:.*]]: !cheems_tile.tensor_map<64x64xbf16>, %[[W:.*]]: !cheems_tile.tensor_map<32x64xbf16>, %[[STEPS:.*]]: index, %{{.*}}: memref<64x32xf32>) warps(4) fillers(1) shared(128) overlaps {
cheems_tile.kernel @ring(%x: !cheems_tile.tensor_map<64x64xbf16>, %w: !cheems_tile.tensor_map<32x64xbf16>, %steps: index, %y: memref<64x32xf32>) warps(4) fillers(1) shared(128) overlaps {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %xs = cheems_tile.alloc : !x
  %ws = cheems_tile.alloc : !w
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // CHECK: %[[SUMS:.*]] = cheems_tile.ring %[[STEPS]] stages 3 at 48 carries(%{{.*}} : tensor<64x32xf32, #fragment_c>) fill {
  // CHECK-NEXT: ^bb0(%[[STEP:.*]]: index, %[[STAGE:.*]]: index):
  %sums = cheems_tile.ring %steps stages 3 at 48 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    // CHECK-NEXT: %[[K:.*]] = arith.muli %[[STEP]], %c64
    // CHECK-NEXT: cheems_tile.bulk_copy %[[X]][%c0, %[[K]]] to %{{.*}}[%[[STAGE]]] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    // CHECK-NEXT: cheems_tile.bulk_copy %[[W]]
    // CHECK-NEXT: cheems_tile.ring_yield
    %k = arith.muli %step, %c64 : index
    cheems_tile.bulk_copy %x[%c0, %k] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
    cheems_tile.bulk_copy %w[%c0, %k] to %ws[%stage] : !cheems_tile.tensor_map<32x64xbf16>, !w
    cheems_tile.ring_yield
  // CHECK-NEXT: } use {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %[[USED:.*]]: index, %[[PART:.*]]: tensor<64x32xf32, #fragment_c>):
  } use {
  ^bb0(%step: index, %stage: index, %part: tensor<64x32xf32, #c>):
    // CHECK-NEXT: %[[BEGUN:.*]] = cheems_tile.warpgroup_mma %{{.*}}[%[[USED]]], %{{.*}}[%[[USED]]], %[[PART]]
    %begun = cheems_tile.warpgroup_mma %xs[%stage], %ws[%stage], %part : !x, !w, tensor<64x32xf32, #c>
    // CHECK-NEXT: cheems_tile.ring_yield %[[BEGUN]] : tensor<64x32xf32, #fragment_c>
    cheems_tile.ring_yield %begun : tensor<64x32xf32, #c>
  }
  // CHECK: cheems_tile.warpgroup_wait pending 0 %[[SUMS]]
  %all = cheems_tile.warpgroup_wait pending 0 %sums : tensor<64x32xf32, #c>
  cheems_tile.store %all, %y[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #c>, memref<64x32xf32>
  // Without what is carried.
  // CHECK: cheems_tile.ring %[[STEPS]] stages 3 fill {
  cheems_tile.ring %steps stages 3 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// CHECK-LABEL: @fill_ring
cheems_tile.kernel @fill_ring(%k: !cheems_tile.tensor_map<64x64xbf16>, %m: !cheems_tile.tensor_map<1x64xf32>, %steps: index, %y: memref<2x64xf32>) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %keys = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %masks = cheems_tile.alloc : !cheems_tile.buffer<2x2x64xf32>
  // CHECK: %[[RING:.*]] = cheems_tile.fill_ring %{{.*}} {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index):
  // CHECK: cheems_tile.bulk_copy %{{.*}} : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
  // CHECK: } : !cheems_tile.ring<2>
  %ring = cheems_tile.fill_ring %steps {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %k[%step, %c0] to %keys[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    %box = arith.muli %stage, %c2 : index
    cheems_tile.bulk_copy %m[%c0, %step] to %masks[%box] : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  scf.for %step = %c0 to %steps step %c2 {
    // CHECK: cheems_tile.wait_for_stage %[[RING]][%{{.*}}] : !cheems_tile.ring<2>
    cheems_tile.wait_for_stage %ring[%step] : !cheems_tile.ring<2>
    // CHECK-NEXT: cheems_tile.free_stage %[[RING]][%{{.*}}] : !cheems_tile.ring<2>
    cheems_tile.free_stage %ring[%step] : !cheems_tile.ring<2>
  }
  // An offset in shared memory.
  // CHECK: cheems_tile.fill_ring %{{.*}} at 64 {
  %other = cheems_tile.fill_ring %steps at 64 {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %k[%step, %c0] to %keys[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// A launch has the memory itself in the place of a map.
// CHECK: launch @ring grid[%{{.*}}] ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x128xbf16>, memref<32x?xbf16>, index) outs
func.func @maps(%x: memref<?x128xbf16>, %w: memref<32x?xbf16>, %n: index, %y: memref<64x32xf32>) {
  cheems_tile.launch @ring grid[%n, %n, %n] ins(%x, %w, %n : memref<?x128xbf16>, memref<32x?xbf16>, index) outs(%y : memref<64x32xf32>)
  return
}

// A row alone may have any length.
cheems_tile.kernel @row(%m: !cheems_tile.tensor_map<1x64xf32>, %y: memref<64xf32>) warps(4) {
  cheems_tile.return
}
// CHECK: launch @row grid[%{{.*}}] ins(%{{.*}} : memref<1x71xf32>)
func.func @row_of_any_length(%m: memref<1x71xf32>, %n: index, %y: memref<64xf32>) {
  cheems_tile.launch @row grid[%n, %n, %n] ins(%m : memref<1x71xf32>) outs(%y : memref<64xf32>)
  return
}
