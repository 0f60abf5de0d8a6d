// Fragments of a part of a swizzled buffer that begins at no power of two are what memory has there.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-lower-tiles | FileCheck %s
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx -o %t.ptx
// DEFINE: %{run} = cheems-ptx-run %t.ptx --grid 1 --block 32 --buffer x:bf16[8x128]=random --buffer y:f32[8x48]=none
// RUN: %{run} --kernel direct --save y=%t.npy
// RUN: %{run} --kernel part --shared 2048 --expect y=@%t.npy --print y

#b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
!piece = !cheems_tile.buffer<1x8x128xbf16, swizzled>
cheems_tile.kernel @direct(%x: memref<8x128xbf16>, %y: memref<8x48xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %t = cheems_tile.load %x[%c0, %c48] dims [0, 1] aligned 4 : memref<8x128xbf16> -> tensor<8x48xbf16, #b>
  %f = arith.extf %t : tensor<8x48xbf16, #b> to tensor<8x48xf32, #b>
  cheems_tile.store %f, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<8x48xf32, #b>, memref<8x48xf32>
  cheems_tile.return
}

// CHECK-LABEL: llvm.func @part
// CHECK: nvvm.ldmatrix {{.*}}num = 4
// CHECK: nvvm.ldmatrix {{.*}}num = 2
cheems_tile.kernel @part(%x: memref<8x128xbf16>, %y: memref<8x48xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %xs = cheems_tile.alloc : !piece
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %xs[%c0] aligned 16 : memref<8x128xbf16>, !piece
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  %t = cheems_tile.read %xs[%c0, %c0, %c48] : !piece -> tensor<8x48xbf16, #b>
  %f = arith.extf %t : tensor<8x48xbf16, #b> to tensor<8x48xf32, #b>
  cheems_tile.store %f, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<8x48xf32, #b>, memref<8x48xf32>
  cheems_tile.return
}

// Two warps hold the same elements: the first of them writes and stores.
// CHECK-LABEL: llvm.func @twice
// CHECK: %[[OTHER:.*]] = arith.andi %{{.*}}, %c32_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[OTHER]]
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.store
// CHECK: arith.andi %{{.*}}, %c32_i32
// CHECK: llvm.inline_asm has_side_effects "@$1 st.global
#twice = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 2>
cheems_tile.kernel @twice(%y: memref<16x16xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<16x16xbf16, #twice>
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x16x16xbf16>
  cheems_tile.write %one, %xs[%c0, %c0, %c0] : tensor<16x16xbf16, #twice>, !cheems_tile.buffer<1x16x16xbf16>
  cheems_tile.store %one, %y[%c0, %c0] dims [0, 1] : tensor<16x16xbf16, #twice>, memref<16x16xbf16>
  cheems_tile.return
}
