// Buffers and exchanges get offsets in a block's shared memory, and the kernel the bytes of all.
// RUN: split-file %s %t
// RUN: cheems-opt %t/indices.mlir --cheems-tile-plan-shared | FileCheck %s
// RUN: cheems-opt %t/indices.mlir --cheems-tile-plan-shared --cheems-tile-plan-shared | FileCheck %s
// RUN: not cheems-opt %t/target.mlir --cheems-tile-plan-shared 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not cheems-opt %t/none.mlir --cheems-tile-plan-shared 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=@fits

// What is swizzled comes first, because it is aligned to 1024 bytes. The 2 * 2560 bytes of others follow it.
// CHECK-LABEL: @indices
// CHECK-SAME: warps(4) shared(23040)
// CHECK: alloc at 16384 : !cheems_tile.buffer<1x10x128xbf16>
// CHECK: alloc at 0 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
// CHECK: alloc at 18944 : !cheems_tile.buffer<1x10x128xbf16>
// Four warps have a sum of each row of four.
// CHECK: reduce add {{.*}} axis 1 scratch 21504
// CHECK: reduce maximum {{.*}} axis 1 scratch 21504
// The exchange with the most bytes counts: 16 x 8 sums in f32 for each of four warps. The other one has 16 x 32 numbers in bf16.
// CHECK-LABEL: @exchanges
// CHECK-SAME: shared(2048)
// CHECK: sum_partials {{.*}} scratch 0
// CHECK: convert_layout {{.*}} scratch 0
// An offset that none needs is not given: a warp has whole rows.
// CHECK-LABEL: @nothing
// CHECK-SAME: shared(0)
// CHECK: reduce add %{{[^ ]*}} axis 1 :
// An accumulator becomes an operand in place.
// CHECK: convert_layout %{{[^ ]*}} :

// Barriers of rings come after buffers, before what exchanges have.
// CHECK-LABEL: @barriers
// CHECK-SAME: shared(17984)
// CHECK: ring {{.*}} stages 2 at 16384
// CHECK: ring {{.*}} stages 2 at 16416
// CHECK: reduce add {{.*}} axis 1 scratch 16448

// What boxes are copied to is aligned to 128 bytes.
// CHECK-LABEL: @boxes
// CHECK-SAME: shared(1184)
// CHECK: alloc at 1024 : !cheems_tile.buffer<1x1x32xf32>
// CHECK: alloc at 0 : !cheems_tile.buffer<2x2x64xf32>
// CHECK: fill_ring {{.*}} at 1152

// TARGET: target.mlir:2:3: error: 'cheems_tile.kernel' op @large needs 32768 bytes of shared memory, and a block has 32767: choose smaller tiles or fewer stages [pass cheems-tile-plan-shared]
// NONE: none.mlir:5:1: error: 'cheems_tile.kernel' op @large needs 232464 bytes of shared memory, and a block has 232448: choose smaller tiles or fewer stages [pass cheems-tile-plan-shared]

//--- indices.mlir
#wide = #cheems_tile.blocked<rows = 1, columns = 128, width = 1>
#wide_rows = #cheems_tile.slice<axis = 1, of = #wide>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#whole = #cheems_tile.blocked<rows = 16, columns = 8, width = 1>
#other = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>
#row = #cheems_tile.slice<axis = 1, of = #other>
#sums = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#operand = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @indices(%x: memref<4x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %first = cheems_tile.alloc : !cheems_tile.buffer<1x10x128xbf16>
  %ring = cheems_tile.alloc at 1024 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %second = cheems_tile.alloc : !cheems_tile.buffer<1x10x128xbf16>
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x128xf32> -> tensor<96x128xf32, #wide>
  %s = cheems_tile.reduce add %t axis 1 : tensor<96x128xf32, #wide> -> tensor<96xf32, #wide_rows>
  %m = cheems_tile.reduce maximum %t axis 1 : tensor<96x128xf32, #wide> -> tensor<96xf32, #wide_rows>
  cheems_tile.return
}
cheems_tile.kernel @exchanges() warps(4) {
  %sums = arith.constant dense<0.0> : tensor<16x8xf32, #partial>
  %s = cheems_tile.sum_partials %sums : tensor<16x8xf32, #partial> -> tensor<16x8xf32, #whole>
  %t = arith.constant dense<0.0> : tensor<16x32xbf16, #whole>
  %c = cheems_tile.convert_layout %t : tensor<16x32xbf16, #whole> -> tensor<16x32xbf16, #other>
  cheems_tile.return
}
cheems_tile.kernel @nothing() warps(4) {
  %t = arith.constant dense<0.0> : tensor<4x32xf32, #other>
  %s = cheems_tile.reduce add %t axis 1 : tensor<4x32xf32, #other> -> tensor<4xf32, #row>
  %c = arith.constant dense<0.0> : tensor<64x48xbf16, #sums>
  %a = cheems_tile.convert_layout %c : tensor<64x48xbf16, #sums> -> tensor<64x48xbf16, #operand>
  cheems_tile.return
}
cheems_tile.kernel @barriers(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  %t = arith.constant dense<0.0> : tensor<96x128xf32, #wide>
  %s = cheems_tile.reduce add %t axis 1 : tensor<96x128xf32, #wide> -> tensor<96xf32, #wide_rows>
  cheems_tile.return
}
cheems_tile.kernel @boxes(%x: !cheems_tile.tensor_map<1x64xf32>, %n: index) warps(4) fillers(1) {
  %other = cheems_tile.alloc : !cheems_tile.buffer<1x1x32xf32>
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x2x64xf32>
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

//--- target.mlir
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 32767, l2 = 41943040, bandwidth = 1555>} {
  cheems_tile.kernel @large() warps(4) {
    %ring = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.return
  }
}

//--- doc.mlir
// doc: cheems-tile-plan-shared
#rows = #cheems_tile.blocked<rows = 1, columns = 128, width = 1>
#row = #cheems_tile.slice<axis = 1, of = #rows>
cheems_tile.kernel @sum(%tile: memref<3x256xf32>, %sums: memref<3xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %small = cheems_tile.alloc : !cheems_tile.buffer<1x1x12xf32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %t = cheems_tile.load %tile[%c0, %c0] dims [0, 1] : memref<3x256xf32> -> tensor<3x256xf32, #rows>
  %s = cheems_tile.reduce add %t axis 1 : tensor<3x256xf32, #rows> -> tensor<3xf32, #row>
  cheems_tile.store %s, %sums[%c0] dims [0] : tensor<3xf32, #row>, memref<3xf32>
  cheems_tile.return
}
// doc-end

//--- none.mlir
cheems_tile.kernel @fits() warps(4) {
  %ring = cheems_tile.alloc : !cheems_tile.buffer<1x227x512xbf16>
  cheems_tile.return
}
cheems_tile.kernel @large() warps(4) {
  %ring = cheems_tile.alloc : !cheems_tile.buffer<1x227x512xbf16>
  %more = cheems_tile.alloc : !cheems_tile.buffer<1x1x4xi32>
  cheems_tile.return
}
