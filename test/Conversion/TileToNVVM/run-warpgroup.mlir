// Matmuls that tensor cores read from shared memory: a ring of four stages, two of which are copied while one is multiplied and one may
// still be read. They give what the exact matmul of the same numbers gives, in the tile of two warpgroups above each other and beside.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm -o %t.mlir
// RUN: cheems-translate %t.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=REGISTERS --implicit-check-not='"=f,' < %t.mlir
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// DEFINE: %{x} = --buffer x:f16[130x200]=random:0:1 --arg s32:130 --arg s32:200
// DEFINE: %{w} = --buffer w:f16[250x200]=random:0:1 --arg s32:250 --arg s32:200
// DEFINE: %{y} = --buffer y:f32[130x250]=none --arg s32:130 --arg s32:250
// DEFINE: %{like} = --expect y=@%t.npy --tolerance 1e-4
// RUN: cheems-ptx-run %t.ptx --kernel exact --shared 8192 --grid 5,8 --block 128 %{x} %{w} %{y} --save y=%t.npy --print y | FileCheck %s --check-prefix=EXACT
// RUN: cheems-ptx-run %t.ptx --kernel above --shared 196608 --grid 2 --block 256 %{x} %{w} %{y} %{like} --counts %t.json
// RUN: cheems-ptx-run %t.ptx --kernel above --shared 196608 --grid 2 --block 256 %{x} %{w} %{y} %{like} --mode late --seed 3
// RUN: cheems-ptx-run %t.ptx --kernel beside --shared 163840 --grid 3 --block 256 %{x} %{w} %{y} %{like} --mode late --seed 5
// RUN: FileCheck %s --check-prefix=COUNTS < %t.json

// A tile in registers and a buffer with k from row to row, whose columns are two panels of 64 or three of 32: what instructions of one warp give.
// DEFINE: %{a} = --buffer a:bf16[64x64]=random:-1:1
// DEFINE: %{weighed} = --shared 16384 --grid 1 --block 128 %{a} --buffer v:bf16[64x128]=random:-1:1 --buffer y:f32[64x128]=none
// DEFINE: %{narrow} = --shared 12288 --grid 1 --block 128 %{a} --buffer v:bf16[64x96]=random:-1:1 --buffer y:f32[64x96]=none
// RUN: cheems-ptx-run %t.ptx --kernel one_warp %{weighed} --save y=%t.128.npy
// RUN: cheems-ptx-run %t.ptx --kernel weighed %{weighed} --expect y=@%t.128.npy --tolerance 1e-5
// RUN: cheems-ptx-run %t.ptx --kernel weighed %{weighed} --expect y=@%t.128.npy --tolerance 1e-5 --mode late --seed 7
// RUN: cheems-ptx-run %t.ptx --kernel one_warp_narrow %{narrow} --save y=%t.96.npy
// RUN: cheems-ptx-run %t.ptx --kernel weighed_narrow %{narrow} --expect y=@%t.96.npy --tolerance 1e-5 --mode late --seed 9

// The first matmul writes sums before the last one reads its inputs: no register is both.
// REGISTERS: wgmma.mma_async{{.*}} "=&f,=&f,

// EXACT-NOT: ?
// COUNTS: "bank_conflicts": 0,

// The sums of the loop stay where they are: nothing moves them between matmuls, and waits are for those of the step before.
// PTX: .visible .entry above(
// PTX: fence.proxy.async.shared::cta;
// PTX: bar.sync 0;
// PTX: wgmma.fence.sync.aligned;
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// PTX-NEXT: wgmma.commit_group.sync.aligned;
// PTX-NOT: mov.b32
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX-NOT: mov.b32
// PTX: bra
// PTX: .visible .entry beside(
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// The first matmul does not read its sums, which are zero. The wait takes the registers that the matmuls read.
// PTX: .visible .entry weighed(
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {%r{{.*}}}, %rd{{[0-9]+}}, none, 1, 1, 1;
// PTX-COUNT-3: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {%r{{.*}}}, %rd{{[0-9]+}}, adds, 1, 1, 1;

#above = #cheems_tile.fragment<role = c, warps_m = 8, warps_n = 1>
#beside = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 2>
#grid = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>
#quads = #cheems_tile.blocked<rows = 16, columns = 8, width = 4>
!memory = memref<?x?xf16>
!x128 = !cheems_tile.buffer<4x128x64xf16, swizzled>
!x64 = !cheems_tile.buffer<4x64x64xf16, swizzled>
!w = !cheems_tile.buffer<4x256x64xf16, swizzled>

cheems_tile.kernel @exact(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i = cheems_tile.block_id x
  %j = cheems_tile.block_id y
  %row = arith.muli %i, %c32 : index
  %column = arith.muli %j, %c32 : index
  %depth = memref.dim %x, %c1 : !memory
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %ws = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #grid>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #grid> {
    %a = cheems_tile.load %x[%row, %k] dims [0, 1] aligned 8 : !memory -> tensor<32x32xf16, #quads>
    %b = cheems_tile.load %w[%column, %k] dims [0, 1] aligned 8 : !memory -> tensor<32x32xf16, #quads>
    %a32 = arith.extf %a : tensor<32x32xf16, #quads> to tensor<32x32xf32, #quads>
    %b32 = arith.extf %b : tensor<32x32xf16, #quads> to tensor<32x32xf32, #quads>
    cheems_tile.barrier
    cheems_tile.write %a32, %xs[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.write %b32, %ws[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.barrier
    %next = cheems_tile.fma %xs[%c0], %ws[%c0], %part
        : !cheems_tile.buffer<1x32x32xf32, swizzled>, !cheems_tile.buffer<1x32x32xf32, swizzled>, tensor<32x32xf32, #grid>
    scf.yield %next : tensor<32x32xf32, #grid>
  }
  cheems_tile.store %sum, %y[%row, %column] dims [0, 1] : tensor<32x32xf32, #grid>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @above(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %rows = arith.constant 128 : index
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %rows : index
  %depth = memref.dim %x, %c1 : !memory
  %steps = arith.ceildivui %depth, %c64 : index
  %xs = cheems_tile.alloc : !x128
  %ws = cheems_tile.alloc : !w
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #above>
  scf.for %step = %c0 to %c2 step %c1 {
    %k = arith.muli %step, %c64 : index
    cheems_tile.async_copy %x[%row, %k] dims [0, 1] to %xs[%step] aligned 16 : !memory, !x128
    cheems_tile.async_copy %w[%c0, %k] dims [0, 1] to %ws[%step] aligned 16 : !memory, !w
    cheems_tile.commit
  }
  %begun = scf.for %step = %c0 to %steps step %c1 iter_args(%part = %zero) -> tensor<128x256xf32, #above> {
    %stage = arith.remui %step, %c4 : index
    %later = arith.addi %step, %c2 : index
    %other = arith.remui %later, %c4 : index
    %k = arith.muli %later, %c64 : index
    cheems_tile.wait pending 1
    cheems_tile.fence
    cheems_tile.barrier
    %sums = cheems_tile.warpgroup_mma %xs[%stage], %ws[%stage], %part : !x128, !w, tensor<128x256xf32, #above>
    cheems_tile.async_copy %x[%row, %k] dims [0, 1] to %xs[%other] aligned 16 : !memory, !x128
    cheems_tile.async_copy %w[%c0, %k] dims [0, 1] to %ws[%other] aligned 16 : !memory, !w
    cheems_tile.commit
    %next = cheems_tile.warpgroup_wait pending 1 %sums : tensor<128x256xf32, #above>
    scf.yield %next : tensor<128x256xf32, #above>
  }
  %sum = cheems_tile.warpgroup_wait pending 0 %begun : tensor<128x256xf32, #above>
  cheems_tile.wait pending 0
  cheems_tile.store %sum, %y[%row, %c0] dims [0, 1] aligned 8 : tensor<128x256xf32, #above>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @beside(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %rows = arith.constant 64 : index
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %rows : index
  %depth = memref.dim %x, %c1 : !memory
  %steps = arith.ceildivui %depth, %c64 : index
  %xs = cheems_tile.alloc : !x64
  %ws = cheems_tile.alloc : !w
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #beside>
  scf.for %step = %c0 to %c2 step %c1 {
    %k = arith.muli %step, %c64 : index
    cheems_tile.async_copy %x[%row, %k] dims [0, 1] to %xs[%step] aligned 16 : !memory, !x64
    cheems_tile.async_copy %w[%c0, %k] dims [0, 1] to %ws[%step] aligned 16 : !memory, !w
    cheems_tile.commit
  }
  %begun = scf.for %step = %c0 to %steps step %c1 iter_args(%part = %zero) -> tensor<64x256xf32, #beside> {
    %stage = arith.remui %step, %c4 : index
    %later = arith.addi %step, %c2 : index
    %other = arith.remui %later, %c4 : index
    %k = arith.muli %later, %c64 : index
    cheems_tile.wait pending 1
    cheems_tile.fence
    cheems_tile.barrier
    %sums = cheems_tile.warpgroup_mma %xs[%stage], %ws[%stage], %part : !x64, !w, tensor<64x256xf32, #beside>
    cheems_tile.async_copy %x[%row, %k] dims [0, 1] to %xs[%other] aligned 16 : !memory, !x64
    cheems_tile.async_copy %w[%c0, %k] dims [0, 1] to %ws[%other] aligned 16 : !memory, !w
    cheems_tile.commit
    %next = cheems_tile.warpgroup_wait pending 1 %sums : tensor<64x256xf32, #beside>
    scf.yield %next : tensor<64x256xf32, #beside>
  }
  %sum = cheems_tile.warpgroup_wait pending 0 %begun : tensor<64x256xf32, #beside>
  cheems_tile.wait pending 0
  cheems_tile.store %sum, %y[%row, %c0] dims [0, 1] aligned 8 : tensor<64x256xf32, #beside>, memref<?x?xf32>
  cheems_tile.return
}

#left = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#right = #cheems_tile.fragment<role = b, warps_m = 4, warps_n = 1>
#sums = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>

cheems_tile.kernel @weighed(%a: memref<64x64xbf16>, %v: memref<64x128xbf16>, %y: memref<64x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %vs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %p0 = arith.constant 0 : index
  %n0 = arith.constant 0 : index
  cheems_tile.async_copy %v[%c0, %n0] dims [0, 1] to %vs[%p0] aligned 16 : memref<64x128xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %p1 = arith.constant 1 : index
  %n1 = arith.constant 64 : index
  cheems_tile.async_copy %v[%c0, %n1] dims [0, 1] to %vs[%p1] aligned 16 : memref<64x128xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.commit
  %left = cheems_tile.load %a[%c0, %c0] dims [0, 1] aligned 4 : memref<64x64xbf16> -> tensor<64x64xbf16, #left>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
  cheems_tile.wait pending 0
  cheems_tile.fence
  cheems_tile.barrier
  %begun = cheems_tile.warpgroup_mma_registers %left, %vs[%c0], %zero : tensor<64x64xbf16, #left>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #sums>
  %sum = cheems_tile.warpgroup_wait pending 0 %begun holding %left of tensor<64x64xbf16, #left> : tensor<64x128xf32, #sums>
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<64x128xf32, #sums>, memref<64x128xf32>
  cheems_tile.return
}

cheems_tile.kernel @one_warp(%a: memref<64x64xbf16>, %v: memref<64x128xbf16>, %y: memref<64x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %vs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %p0 = arith.constant 0 : index
  %n0 = arith.constant 0 : index
  cheems_tile.async_copy %v[%c0, %n0] dims [0, 1] to %vs[%p0] aligned 16 : memref<64x128xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %p1 = arith.constant 1 : index
  %n1 = arith.constant 64 : index
  cheems_tile.async_copy %v[%c0, %n1] dims [0, 1] to %vs[%p1] aligned 16 : memref<64x128xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  %left = cheems_tile.load %a[%c0, %c0] dims [0, 1] aligned 4 : memref<64x64xbf16> -> tensor<64x64xbf16, #left>
  %right0 = cheems_tile.read %vs[%p0, %c0, %c0] transposed : !cheems_tile.buffer<2x64x64xbf16, swizzled> -> tensor<64x64xbf16, #right>
  %zero0 = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %sum0 = cheems_tile.mma %left, %right0, %zero0 : tensor<64x64xbf16, #left>, tensor<64x64xbf16, #right>, tensor<64x64xf32, #sums>
  cheems_tile.store %sum0, %y[%c0, %n0] dims [0, 1] aligned 8 : tensor<64x64xf32, #sums>, memref<64x128xf32>
  %right1 = cheems_tile.read %vs[%p1, %c0, %c0] transposed : !cheems_tile.buffer<2x64x64xbf16, swizzled> -> tensor<64x64xbf16, #right>
  %zero1 = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %sum1 = cheems_tile.mma %left, %right1, %zero1 : tensor<64x64xbf16, #left>, tensor<64x64xbf16, #right>, tensor<64x64xf32, #sums>
  cheems_tile.store %sum1, %y[%c0, %n1] dims [0, 1] aligned 8 : tensor<64x64xf32, #sums>, memref<64x128xf32>
  cheems_tile.return
}

cheems_tile.kernel @weighed_narrow(%a: memref<64x64xbf16>, %v: memref<64x96xbf16>, %y: memref<64x96xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %vs = cheems_tile.alloc : !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p0 = arith.constant 0 : index
  %n0 = arith.constant 0 : index
  cheems_tile.async_copy %v[%c0, %n0] dims [0, 1] to %vs[%p0] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p1 = arith.constant 1 : index
  %n1 = arith.constant 32 : index
  cheems_tile.async_copy %v[%c0, %n1] dims [0, 1] to %vs[%p1] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p2 = arith.constant 2 : index
  %n2 = arith.constant 64 : index
  cheems_tile.async_copy %v[%c0, %n2] dims [0, 1] to %vs[%p2] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  cheems_tile.commit
  %left = cheems_tile.load %a[%c0, %c0] dims [0, 1] aligned 4 : memref<64x64xbf16> -> tensor<64x64xbf16, #left>
  %zero = arith.constant dense<0.0> : tensor<64x96xf32, #sums>
  cheems_tile.wait pending 0
  cheems_tile.fence
  cheems_tile.barrier
  %begun = cheems_tile.warpgroup_mma_registers %left, %vs[%c0], %zero : tensor<64x64xbf16, #left>, !cheems_tile.buffer<3x64x32xbf16, swizzled>, tensor<64x96xf32, #sums>
  %sum = cheems_tile.warpgroup_wait pending 0 %begun holding %left of tensor<64x64xbf16, #left> : tensor<64x96xf32, #sums>
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<64x96xf32, #sums>, memref<64x96xf32>
  cheems_tile.return
}

cheems_tile.kernel @one_warp_narrow(%a: memref<64x64xbf16>, %v: memref<64x96xbf16>, %y: memref<64x96xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %vs = cheems_tile.alloc : !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p0 = arith.constant 0 : index
  %n0 = arith.constant 0 : index
  cheems_tile.async_copy %v[%c0, %n0] dims [0, 1] to %vs[%p0] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p1 = arith.constant 1 : index
  %n1 = arith.constant 32 : index
  cheems_tile.async_copy %v[%c0, %n1] dims [0, 1] to %vs[%p1] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  %p2 = arith.constant 2 : index
  %n2 = arith.constant 64 : index
  cheems_tile.async_copy %v[%c0, %n2] dims [0, 1] to %vs[%p2] aligned 16 : memref<64x96xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  %left = cheems_tile.load %a[%c0, %c0] dims [0, 1] aligned 4 : memref<64x64xbf16> -> tensor<64x64xbf16, #left>
  %right0 = cheems_tile.read %vs[%p0, %c0, %c0] transposed : !cheems_tile.buffer<3x64x32xbf16, swizzled> -> tensor<32x64xbf16, #right>
  %zero0 = arith.constant dense<0.0> : tensor<64x32xf32, #sums>
  %sum0 = cheems_tile.mma %left, %right0, %zero0 : tensor<64x64xbf16, #left>, tensor<32x64xbf16, #right>, tensor<64x32xf32, #sums>
  cheems_tile.store %sum0, %y[%c0, %n0] dims [0, 1] aligned 8 : tensor<64x32xf32, #sums>, memref<64x96xf32>
  %right1 = cheems_tile.read %vs[%p1, %c0, %c0] transposed : !cheems_tile.buffer<3x64x32xbf16, swizzled> -> tensor<32x64xbf16, #right>
  %zero1 = arith.constant dense<0.0> : tensor<64x32xf32, #sums>
  %sum1 = cheems_tile.mma %left, %right1, %zero1 : tensor<64x64xbf16, #left>, tensor<32x64xbf16, #right>, tensor<64x32xf32, #sums>
  cheems_tile.store %sum1, %y[%c0, %n1] dims [0, 1] aligned 8 : tensor<64x32xf32, #sums>, memref<64x96xf32>
  %right2 = cheems_tile.read %vs[%p2, %c0, %c0] transposed : !cheems_tile.buffer<3x64x32xbf16, swizzled> -> tensor<32x64xbf16, #right>
  %zero2 = arith.constant dense<0.0> : tensor<64x32xf32, #sums>
  %sum2 = cheems_tile.mma %left, %right2, %zero2 : tensor<64x64xbf16, #left>, tensor<32x64xbf16, #right>, tensor<64x32xf32, #sums>
  cheems_tile.store %sum2, %y[%c0, %n2] dims [0, 1] aligned 8 : tensor<64x32xf32, #sums>, memref<64x96xf32>
  cheems_tile.return
}
