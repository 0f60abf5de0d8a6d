// A kernel with rings is a branch: threads with tiles use stages, and one thread of the fillers fills them.
// REQUIRES: cheems-translate
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems-tile-plan-shared,cheems-lower-tiles,canonicalize,cse)' | FileCheck %s
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx | FileCheck %s --check-prefix=PTX

// A map is 128 bytes by value.
// CHECK: llvm.func @matmul(%[[MAP:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, {{.*}} nvvm.reqntid = array<i32: 160, 1, 1>
// CHECK-NOT: cheems_tile.threads
// One thread makes the barriers: those of bytes have one arrival, and those of uses one of each warp.
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-4: mbarrier.init.shared::cta.b64
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: }
// CHECK: nvvm.barrier
// CHECK: %[[USES:.*]] = arith.cmpi ult, %{{.*}}, %c128_i32
// CHECK: scf.if %[[USES]] {
// The stage of a step is free one step later: nothing arrives in the first one.
// CHECK: scf.if
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %{{.*}} iter_args(%[[STAGE:[^ ]*]] = %c0_i32, %[[BEFORE:[^ ]*]] = %c0_i32, %[[PARITY:[^ ]*]] = %c0_i32, %{{.*}} = %{{.*}})
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 {{.*}} %{{.*}}, %[[PARITY]]
// CHECK: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: scf.yield
// Barriers of those with tiles do not wait for fillers.
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
// CHECK: } else {
// The filler has the branch, too; it begins as if all stages were free, and says how many bytes will come before they do.
// CHECK: %[[IS_ONE:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32
// CHECK: %[[FILLS:.*]] = arith.andi %[[IS_ONE]], %{{.*}} : i1
// CHECK: scf.if %[[FILLS]] {
// CHECK: scf.for {{.*}} iter_args(%[[STAGE:[^ ]*]] = %c0_i32, %[[PARITY:[^ ]*]] = %c1_i32)
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 {{.*}} %{{.*}}, %[[PARITY]]
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %{{.*}}, %c12288_i32
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK-NOT: cp.async.bulk
// CHECK: scf.yield
// CHECK: llvm.return

// Rings with the same steps: the filler has a loop for both, and fills a stage of each in a step. Uses know stage and phase from the step.
// CHECK: llvm.func @filled
// CHECK-COUNT-8: mbarrier.init.shared::cta.b64
// CHECK-NOT: mbarrier.init
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to
// CHECK: %[[STAGE:.*]] = arith.remui %[[STEP]], %c2_i32
// CHECK: %[[TURN:.*]] = arith.divui %[[STEP]], %c2_i32
// CHECK: %[[PARITY:.*]] = arith.andi %[[TURN]], %c1_i32
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 {{.*}} %{{.*}}, %[[PARITY]]
// CHECK: nvvm.bar.warp.sync
// CHECK: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: nvvm.bar.warp.sync
// CHECK: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0_i32, %{{.*}} = %c1_i32, %{{.*}} = %c0_i32, %{{.*}} = %c1_i32)
// CHECK: mbarrier.try_wait.parity
// Boxes of masks are 256 bytes each, two of them in a stage.
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %{{.*}}, %c8704_i32
// CHECK-COUNT-3: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK: mbarrier.try_wait.parity
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %{{.*}}, %c8192_i32
// CHECK: cp.async.bulk.tensor
// CHECK-NOT: cp.async.bulk
// CHECK: llvm.return

// PTX: .entry matmul(
// PTX-NEXT: .param .align 64 .b8 matmul_param_0[128],
// PTX: .reqntid 160, 1, 1
// PTX: bar.sync 0;
// PTX: bar.sync 1, 128;
// Four fillers hand registers over.
// PTX: .entry two(
// PTX: .reqntid 384, 1, 1
// PTX-DAG: setmaxnreg.inc.sync.aligned.u32 232;
// PTX-DAG: setmaxnreg.dec.sync.aligned.u32 40;

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#two = #cheems_tile.fragment<role = c, warps_m = 8, warps_n = 1>
!x = !cheems_tile.buffer<2x64x64xbf16, swizzled>
!w = !cheems_tile.buffer<2x32x64xbf16, swizzled>
cheems_tile.kernel @matmul(%x: !cheems_tile.tensor_map<64x64xbf16>, %w: !cheems_tile.tensor_map<32x64xbf16>, %steps: index, %y: memref<64x32xf32>) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %xs = cheems_tile.alloc : !x
  %ws = cheems_tile.alloc : !w
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %c64 : index
  %has = arith.cmpi ult, %row, %steps : index
  scf.if %has {
    %sums = cheems_tile.ring %steps stages 2 carries(%zero : tensor<64x32xf32, #c>) fill {
    ^bb0(%step: index, %stage: index):
      %k = arith.muli %step, %c64 : index
      cheems_tile.bulk_copy %x[%row, %k] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
      cheems_tile.bulk_copy %w[%c0, %k] to %ws[%stage] : !cheems_tile.tensor_map<32x64xbf16>, !w
      cheems_tile.ring_yield
    } use {
    ^bb0(%step: index, %stage: index, %part: tensor<64x32xf32, #c>):
      %begun = cheems_tile.warpgroup_mma %xs[%stage], %ws[%stage], %part : !x, !w, tensor<64x32xf32, #c>
      %before = cheems_tile.warpgroup_wait pending 1 %begun : tensor<64x32xf32, #c>
      cheems_tile.ring_yield %before : tensor<64x32xf32, #c>
    }
    %all = cheems_tile.warpgroup_wait pending 0 %sums : tensor<64x32xf32, #c>
    cheems_tile.barrier
    cheems_tile.store %all, %y[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #c>, memref<64x32xf32>
  }
  cheems_tile.return
}
cheems_tile.kernel @two(%x: !cheems_tile.tensor_map<64x64xbf16>, %steps: index) warps(8) fillers(4) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !x
  cheems_tile.ring %steps stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}
cheems_tile.kernel @filled(%k: !cheems_tile.tensor_map<64x64xbf16>, %m: !cheems_tile.tensor_map<1x64xf32>, %steps: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %keys = cheems_tile.alloc : !x
  %values = cheems_tile.alloc : !x
  %masks = cheems_tile.alloc : !cheems_tile.buffer<2x2x64xf32>
  %first = cheems_tile.fill_ring %steps {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %k[%step, %c0] to %keys[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
    %box = arith.muli %stage, %c2 : index
    cheems_tile.bulk_copy %m[%c0, %step] to %masks[%box] : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
    %next = arith.addi %box, %c1 : index
    cheems_tile.bulk_copy %m[%c0, %step] to %masks[%next] : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  %second = cheems_tile.fill_ring %steps {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %k[%step, %c0] to %values[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !x
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  scf.for %step = %c0 to %steps step %c1 {
    cheems_tile.wait_for_stage %first[%step] : !cheems_tile.ring<2>
    cheems_tile.free_stage %first[%step] : !cheems_tile.ring<2>
    cheems_tile.wait_for_stage %second[%step] : !cheems_tile.ring<2>
    cheems_tile.free_stage %second[%step] : !cheems_tile.ring<2>
  }
  cheems_tile.return
}
